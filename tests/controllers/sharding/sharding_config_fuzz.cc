// Any bytes as sharding.yaml: no crash, and what is accepted is within its limits.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "controllers/sharding/sharding_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::controllers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto flag = ParseSchedulerFlag(text);
  BTH_CHECK(flag.ok() || !flag.status().message().empty());
  const auto loaded = ParseShardingConfig(text, ShardingConfig());
  if (!loaded.ok()) {
    BTH_CHECK(!loaded.status().message().empty());
    return 0;
  }
  const ShardingConfig& config = loaded->config;
  BTH_CHECK(!config.schedulers.empty() && config.schedulers.size() <= kShardSchedulersMax);
  BTH_CHECK(config.period > absl::ZeroDuration());
  std::set<std::string> names;
  for (const ShardScheduler& scheduler : config.schedulers) {
    BTH_CHECK(!scheduler.name.empty() && names.insert(scheduler.name).second);
    for (const ShardPolicy& policy : scheduler.policies) {
      BTH_CHECK(policy.weight > 0);
      if (const auto* rate = std::get_if<AllocationRate>(&policy.rule)) {
        BTH_CHECK(rate->min >= 0 && rate->min <= rate->max && rate->max <= 1);
      }
      if (const auto* limit = std::get_if<NodeLimit>(&policy.rule)) {
        BTH_CHECK(limit->min >= 0 && (limit->max == 0 || limit->max >= limit->min));
      }
      if (const auto* warmup = std::get_if<Warmup>(&policy.rule)) BTH_CHECK(!warmup->label.empty());
    }
  }
  return 0;
}
