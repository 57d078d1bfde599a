// Flags that vc-scheduler and vc-agent-scheduler have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/debug_flags.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "conf/features.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct SchedulerCommonFlags {
  ApiFlags api;
  PageFlags pages;
  DebugFlags debug;
  LeaderFlags leader;
  LogFlags log;
  bool version = false;
  std::string scheduler_conf;
  bool disable_default_conf = false;
  absl::Duration sync_timeout = absl::Seconds(60);
  std::vector<std::string> node_selector;  // "key:value".
  bool dump_on_signal = true;
  std::string dump_folder = "/tmp";
  bool csi_storage = true;
  std::string feature_gates;
  std::string sharding_mode = "none";
  std::string sharding_name;

 protected:
  // `name`: of the scheduler, its lease and its shard.
  explicit SchedulerCommonFlags(std::string name);
  void AddCommon(FlagSet& flags);
  // Accepts a flag that changes nothing here.
  template <typename T>
  static void AddIdle(FlagSet& flags, std::string_view name, T* target, std::string_view why);
  absl::Status CheckCommon() const;
  // `acted_on`: the feature gates that this program acts on.
  std::vector<std::string> CommonNotes(absl::Span<const conf::Gate> acted_on) const;
  void ApplyCommon(scheduler::SchedulerOptions* options) const;
  // Check has refused what cannot be read.
  conf::FeatureGates gates() const;

 private:
  // Of --node-selector; entries of another form are passed over.
  std::vector<std::pair<std::string, std::string>> NodeLabels() const;

  std::string own_shard_;
  // Without effect; AddCommon says why.
  absl::Duration resync_period_ = absl::ZeroDuration();
  int64_t nodes_min_ = 100;
  int64_t percentage_min_ = 5;
  int64_t percentage_ = 0;
  int64_t node_workers_ = 20;
};

template <typename T>
void SchedulerCommonFlags::AddIdle(FlagSet& flags, std::string_view name, T* target,
                                   std::string_view why) {
  const std::string help = "No effect: " + std::string(why);
  if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    flags.AddList(name, target, help);
  } else {
    flags.Add(name, target, help);
  }
  flags.WithoutEffect(name, why);
}

}  // namespace bth::cmd
