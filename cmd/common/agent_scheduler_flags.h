// The command line of vc-agent-scheduler: Volcano's flags with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cmd/common/flags.h"
#include "cmd/common/scheduler_common_flags.h"
#include "scheduler/scheduler.h"

namespace bth::cmd {

// Lives as long as the FlagSet it was added to.
struct AgentSchedulerFlags : SchedulerCommonFlags {
  std::string scheduler_name = "agent-scheduler";
  int64_t workers = 1;

  AgentSchedulerFlags() : SchedulerCommonFlags("agent-scheduler") {}
  void AddTo(FlagSet& flags);
  // Every mistake that is not one of spelling, and every option that it would be wrong to pass
  // over.
  absl::Status Check() const;
  // What is accepted but passed over, one line each.
  std::vector<std::string> Notes() const;
  // Without what ServeSinglePods adds.
  scheduler::SchedulerOptions Options(uint64_t seed) const;
};

}  // namespace bth::cmd
