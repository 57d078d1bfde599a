// What selectors say of devices, and who is to search for some: remembered from session to session.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/device_allocation.h"
#include "plugins/predicates/device_turns.h"

namespace bth::plugins::predicates {

// Each expression is run once per device of each state of a pool. Lives with the plugin. Thread:
// scheduling. Memory: a byte per pair of selector and device that was asked for lately.
class DeviceVerdicts final : public algo::DeviceJudge {
 public:
  Verdict Judge(const model::DeviceTest& test, const model::PoolFacts& pool, size_t device,
                int64_t* steps) override;
  std::string FaultOf(const model::DeviceTest& test, const model::PoolFacts& pool,
                      size_t device) override;

  // Passes the turn on. Forgets what was not asked for since the last call but one, when there is
  // much of it.
  void BeginSession();
  size_t size() const { return rows_.size(); }
  int64_t runs() const { return runs_; }
  DeviceTurns& turns() { return turns_; }

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // Serials of selector and pool.
  struct Row {
    std::vector<uint8_t> verdicts;  // 0: not asked yet; else the verdict and one.
    std::map<size_t, std::string> faults;
    uint64_t session = 0;
  };

  absl::flat_hash_map<Key, Row> rows_;
  uint64_t session_ = 0;
  size_t sweep_at_ = 1024;
  int64_t runs_ = 0;
  DeviceTurns turns_;
};

}  // namespace bth::plugins::predicates
