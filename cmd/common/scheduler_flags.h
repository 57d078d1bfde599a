// The command line of vc-scheduler: Volcano's flags with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cmd/common/flags.h"
#include "cmd/common/scheduler_common_flags.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct SchedulerFlags : SchedulerCommonFlags {
  std::vector<std::string> scheduler_names = {"volcano"};
  std::string default_queue = "default";
  absl::Duration period = absl::Seconds(1);
  bool priority_classes = true;
  static constexpr int kGateWorkersDefault = 5;
  int64_t gate_workers = kGateWorkersDefault;
  std::string plugins_dir;

  SchedulerFlags() : SchedulerCommonFlags("volcano") {}
  void AddTo(FlagSet& flags);
  // Every mistake that is not one of spelling, and every option that it would be wrong to pass
  // over; so is sharing by hashing, which only the environment asks for.
  absl::Status Check() const;
  // What is accepted but passed over, one line each.
  std::vector<std::string> Notes() const;
  scheduler::SchedulerOptions Options(uint64_t seed) const;

 private:
  void ApplyGates(scheduler::SchedulerOptions* options) const;

  // Without effect; AddTo says why.
  std::vector<std::string> ignored_provisioners_;
  bool pprof_ = false;
};

}  // namespace bth::cmd
