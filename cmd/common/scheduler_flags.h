// The command line of vc-scheduler: Volcano's flags with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/debug_flags.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct SchedulerFlags {
  ApiFlags api;
  PageFlags pages;
  DebugFlags debug;
  LeaderFlags leader;
  LogFlags log;
  bool version = false;
  std::vector<std::string> scheduler_names = {"volcano"};
  std::string scheduler_conf;
  bool disable_default_conf = false;
  std::string default_queue = "default";
  absl::Duration sync_timeout = absl::Seconds(60);
  absl::Duration period = absl::Seconds(1);
  std::vector<std::string> node_selector;  // "key:value".
  bool priority_classes = true;
  bool dump_on_signal = true;
  std::string dump_folder = "/tmp";
  bool csi_storage = true;
  std::string feature_gates;
  static constexpr int kGateWorkersDefault = 5;
  int64_t gate_workers = kGateWorkersDefault;
  std::string plugins_dir;
  std::string sharding_mode = "none";
  std::string sharding_name = "volcano";

  SchedulerFlags();
  void AddTo(FlagSet& flags);
  // Every mistake that is not one of spelling, and every wish that it would be wrong to pass over.
  absl::Status Check() const;
  // What is accepted but passed over, one line each.
  std::vector<std::string> Notes() const;
  scheduler::SchedulerOptions Options(uint64_t seed) const;

 private:
  void AddPolicy(FlagSet& flags);
  void AddWithoutEffect(FlagSet& flags);
  absl::Status CheckPolicy() const;
  void ApplyGates(scheduler::SchedulerOptions* options) const;
  // Of --node-selector; entries of another form are passed over.
  std::vector<std::pair<std::string, std::string>> NodeLabels() const;

  // Without effect; AddWithoutEffect says why.
  absl::Duration resync_period_ = absl::ZeroDuration();
  int64_t nodes_min_ = 100;
  int64_t percentage_min_ = 5;
  int64_t percentage_ = 0;
  int64_t node_workers_ = 20;
  std::vector<std::string> ignored_provisioners_;
  bool pprof_ = false;
};

}  // namespace bth::cmd
