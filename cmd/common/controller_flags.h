// The command line of vc-controller-manager: Volcano's flags with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "controllers/manager/options.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct ControllerFlags {
  ApiFlags api;
  PageFlags pages;
  LeaderFlags leader;
  LogFlags log;
  bool version = false;
  controllers::ManagerOptions options;  // Without what stands below.
  std::string feature_gates;

  ControllerFlags();
  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  // What is accepted but passed over, one line each.
  std::vector<std::string> Notes() const;
  controllers::ManagerOptions Options() const;

 private:
  absl::Status CheckCounts() const;

  int64_t worker_threads_ = 3;
  int64_t cronjob_workers_ = 3;
  int64_t podgroup_workers_ = 5;
  int64_t queue_workers_ = 5;
  int64_t gc_workers_ = 1;
  int64_t max_requeues_ = 15;
};

}  // namespace bth::cmd
