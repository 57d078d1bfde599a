#include "plugins/predicates/device_verdicts.h"

#include <algorithm>

namespace bth::plugins::predicates {

namespace {

// A step of the search takes about as long as so many units of an expression's cost.
constexpr int64_t kStepsPerRun = 20;
constexpr uint64_t kCostPerStep = 10;

}  // namespace

DeviceVerdicts::Verdict DeviceVerdicts::Judge(const model::DeviceTest& test,
                                              const model::PoolFacts& pool, size_t device,
                                              int64_t* steps) {
  Row& row = rows_[Key(test.serial(), pool.serial)];
  row.session = session_;
  row.verdicts.resize(pool.devices.size());
  uint8_t& known = row.verdicts[device];
  if (known != 0) return static_cast<Verdict>(known - 1);
  model::DeviceTest::Outcome outcome = test.Run(pool.driver, *pool.devices[device].facts);
  ++runs_;
  *steps += kStepsPerRun + static_cast<int64_t>(outcome.cost / kCostPerStep);
  Verdict verdict = outcome.matches ? Verdict::kYes : Verdict::kNo;
  if (!outcome.error.empty()) {
    verdict = Verdict::kFault;
    row.faults[device] = std::move(outcome.error);
  }
  known = static_cast<uint8_t>(static_cast<uint8_t>(verdict) + 1);
  return verdict;
}

std::string DeviceVerdicts::FaultOf(const model::DeviceTest& test, const model::PoolFacts& pool,
                                    size_t device) {
  const auto row = rows_.find(Key(test.serial(), pool.serial));
  if (row == rows_.end()) return "";
  const auto fault = row->second.faults.find(device);
  return fault == row->second.faults.end() ? "" : fault->second;
}

void DeviceVerdicts::BeginSession() {
  ++session_;
  turns_.BeginSession();
  if (rows_.size() < sweep_at_) return;
  absl::erase_if(rows_, [this](const auto& row) { return row.second.session + 2 < session_; });
  sweep_at_ = std::max<size_t>(1024, 2 * rows_.size());
}

}  // namespace bth::plugins::predicates
