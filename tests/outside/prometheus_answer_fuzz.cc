// Any bytes as an answer of Prometheus, of the custom metrics API, or as a file of loads: no crash,
// and every load that comes out is a percentage.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/node_load/answers.h"

namespace {

void CheckLoads(const bth::scheduler::node_load::Reading& reading, absl::Time now) {
  for (const auto& [node, load] : reading.loads) {
    BTH_CHECK(load.cpu_percent >= 0 && load.cpu_percent <= 100);
    BTH_CHECK(load.memory_percent >= 0 && load.memory_percent <= 100);
    BTH_CHECK(load.measured_at_us <= absl::ToUnixMicros(now));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::scheduler::node_load;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::Time now = absl::FromUnixSeconds(1'767'225'600);
  if (const auto samples = ParsePrometheusAnswer(text); samples.ok()) {
    CheckLoads(Combine(*samples, *samples, 1, now), now);
  }
  if (const auto samples = ParseMetricValues(text); samples.ok()) {
    CheckLoads(Combine(*samples, *samples, 100, now), now);
  }
  if (const auto samples = ParseLoadFile(text); samples.ok()) {
    CheckLoads(Combine(samples->cpu, samples->memory, 1, now), now);
  }
  return 0;
}
