#include "api/model/chip_reports.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"

namespace bth::model {
namespace {

bool Has(const std::vector<int32_t>& numbers, int32_t number) {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

// All that is named, and as many as there are: whoever is on one of them is to be counted.
std::vector<int32_t> NumbersOf(const ChipLayout& layout, const ChipReport& report) {
  std::vector<int32_t> out = report.free;
  for (int32_t number = 0; number < layout.chips; ++number) out.push_back(number);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [&report](int32_t number) { return Has(report.broken, number); });
  return out;
}

DevicePool PoolOf(const ChipLayout& layout, const ChipReport& report, bool closed) {
  DevicePool pool{.kind = kMindClusterKind, .closed = closed};
  for (const int32_t number : NumbersOf(layout, report)) {
    pool.devices.push_back({.id = StrCat(number),
                            .slots = std::numeric_limits<int32_t>::max(),
                            .memory = layout.cpus,
                            .cores = layout.cores,
                            .offered = Has(report.free, number)});
  }
  return pool;
}

}  // namespace

std::shared_ptr<const NodeDevices> WithChips(std::shared_ptr<const NodeDevices> devices,
                                             const ChipReport* report, bool closed) {
  if (devices == nullptr || devices->layout.chips == 0) return devices;
  auto out = std::make_shared<NodeDevices>(*devices);
  std::erase_if(out->pools, [](const DevicePool& pool) { return pool.kind == kMindClusterKind; });
  if (report != nullptr) {
    const auto at = std::find_if(out->pools.begin(), out->pools.end(), [](const DevicePool& pool) {
      return kMindClusterKind < pool.kind;
    });
    out->pools.insert(at, PoolOf(out->layout, *report, closed));
  }
  return out;
}

}  // namespace bth::model
