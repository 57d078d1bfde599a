// The configuration of sharding: flags, and the ConfigMap that takes precedence over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/finding.h"
#include "controllers/manager/options.h"
#include "controllers/sharding/shard_policy.h"

namespace bth::controllers {

// Key in the ConfigMap.
inline constexpr std::string_view kShardingConfigKey = "sharding.yaml";

inline constexpr size_t kShardSchedulersMax = 64;
inline constexpr size_t kShardPoliciesMax = 16;

struct ShardingConfig {
  std::vector<ShardScheduler> schedulers;  // Names are unique; each has its policies.
  absl::Duration period = absl::Seconds(120);
  bool node_event_trigger = true;
  bool operator==(const ShardingConfig&) const = default;
};

// One entry of --scheduler-configs: NAME:TYPE:MIN:MAX:PREFER_WARMUP:MIN_NODES:MAX_NODES. As in
// Volcano, PREFER_WARMUP is read but without effect; the ConfigMap has preferWarmupNodes.
absl::StatusOr<ShardScheduler> ParseSchedulerFlag(std::string_view text);
// kInvalidArgument names the entry.
absl::StatusOr<ShardingConfig> ShardingConfigOfFlags(const ManagerOptions& options);

struct LoadedSharding {
  ShardingConfig config;
  std::vector<conf::Finding> findings;
};

// What the text leaves out is as in `base`. kInvalidArgument says where the text is wrong.
absl::StatusOr<LoadedSharding> ParseShardingConfig(std::string_view yaml,
                                                   const ShardingConfig& base);

}  // namespace bth::controllers
