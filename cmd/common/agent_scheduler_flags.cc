#include "cmd/common/agent_scheduler_flags.h"

#include "base/status.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

// Options() says how.
constexpr conf::Gate kAgentGates[] = {conf::Gate::kWorkLoadSupport,
                                      conf::Gate::kPodLevelResources,
                                      conf::Gate::kMatchLabelKeysInPodTopologySpread,
                                      conf::Gate::kDraDeviceTaintRules,
                                      conf::Gate::kDraExtendedResource,
                                      conf::Gate::kStorageCapacityScoring};
// Each is a thread with plugins of its own.
constexpr int64_t kSideWorkersMax = 64;

}  // namespace

void AgentSchedulerFlags::AddTo(FlagSet& flags) {
  AddCommon(flags);
  flags.Add("scheduler-name", &scheduler_name, "Serve pods with this schedulerName");
  flags.Add("scheduler-worker-count", &workers,
            "Workers that decide side by side on one snapshot; 1 is best for pods that are alike");
}

absl::Status AgentSchedulerFlags::Check() const {
  if (workers == 0) {
    return absl::InvalidArgumentError("scheduler-worker-count must be greater than 0");
  }
  if (workers < 0 || workers > kSideWorkersMax) {
    return RefusedFlag("scheduler-worker-count", StrCat("must be between 1 and ", kSideWorkersMax));
  }
  if (scheduler_name.empty()) return RefusedFlag("scheduler-name", "must not be empty");
  return CheckCommon();
}

std::vector<std::string> AgentSchedulerFlags::Notes() const {
  return CommonNotes(kAgentGates);
}

scheduler::SchedulerOptions AgentSchedulerFlags::Options(uint64_t seed) const {
  scheduler::SchedulerOptions options;
  ApplyCommon(&options);
  options.scheduler_names = {scheduler_name};
  options.numa_reports = false;
  options.seed = seed;
  return options;
}

}  // namespace bth::cmd
