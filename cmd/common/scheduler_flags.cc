#include "cmd/common/scheduler_flags.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

// Options() says how.
constexpr conf::Gate kSchedulerGates[] = {conf::Gate::kWorkLoadSupport,
                                          conf::Gate::kPriorityClass,
                                          conf::Gate::kPodDisruptionBudgetsSupport,
                                          conf::Gate::kSchedulingGatesQueueAdmission,
                                          conf::Gate::kPodLevelResources,
                                          conf::Gate::kResourceTopology,
                                          conf::Gate::kMatchLabelKeysInPodTopologySpread,
                                          conf::Gate::kDraDeviceTaintRules,
                                          conf::Gate::kDraExtendedResource,
                                          conf::Gate::kStorageCapacityScoring};

// Volcano's schedulers that share a cluster by hashing have no flag: only the environment says so.
// Each of ours would place the pods of all.
absl::Status CheckHashing() {
  if (Environment("MULTI_SCHEDULER_ENABLE") != "true") return absl::OkStatus();
  const std::string count = Environment("SCHEDULER_NUM");
  int64_t schedulers = 1;  // As there: also where it is no number.
  if (!SimpleAtoi(count, &schedulers) || schedulers <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("MULTI_SCHEDULER_ENABLE=true, SCHEDULER_NUM=", schedulers,
             ": sharing a cluster by hashing is not supported, and each scheduler would place all "
             "pods; unset both, and give each its own NodeShard and --scheduler-name: "
             "--scheduler-sharding-mode=hard --scheduler-sharding-name=NAME"));
}

}  // namespace

void SchedulerFlags::AddTo(FlagSet& flags) {
  AddCommon(flags);
  flags.AddRepeated("scheduler-name", &scheduler_names, "Serve pods with this schedulerName");
  flags.Add("default-queue", &default_queue, "Queue of PodGroups that name none; created at start");
  flags.Add("schedule-period", &period,
            "Longest pause between cycles while jobs wait on time; changes start one at once");
  flags.Add("priority-class", &priority_classes, "Read PriorityClasses; false: jobs have none");
  flags.Add("gate-removal-worker-num", &gate_workers,
            "Removals of scheduling gates at once, with SchedulingGatesQueueAdmission");
  flags.Add("plugins-dir", &plugins_dir, "Folder of shared objects with further plugins");
  AddIdle(flags, "ignored-provisioners", &ignored_provisioners_,
          "volumes are counted only where a node tells a limit of their driver");
  AddIdle(flags, "enable-pprof", &pprof_, "there are no Go profiles: use perf, or /debug/cycle");
}

absl::Status SchedulerFlags::Check() const {
  BTH_RETURN_IF_ERROR(CheckCommon());
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return RefusedFlag("scheduler-name", "must not be empty");
  }
  if (default_queue.empty()) return RefusedFlag("default-queue", "must not be empty");
  if (period <= absl::ZeroDuration()) return RefusedFlag("schedule-period", "must be positive");
  return CheckHashing();
}

std::vector<std::string> SchedulerFlags::Notes() const {
  std::vector<std::string> notes = CommonNotes(kSchedulerGates);
  if (gate_workers != kGateWorkersDefault &&
      !gates().Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) {
    notes.push_back(
        "--gate-removal-worker-num: no gates are removed: add "
        "--feature-gates=SchedulingGatesQueueAdmission=true");
  }
  return notes;
}

void SchedulerFlags::ApplyGates(scheduler::SchedulerOptions* options) const {
  const conf::FeatureGates on = gates();
  options->priority_classes &= on.Enabled(conf::Gate::kPriorityClass);
  options->numa_reports = on.Enabled(conf::Gate::kResourceTopology);
  options->disruption_budgets = on.Enabled(conf::Gate::kPodDisruptionBudgetsSupport);
  if (!on.Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) return;
  constexpr int64_t kGateWorkersMax = 1000;
  options->gate_removals = gate_workers < 1
                               ? kGateWorkersDefault
                               : static_cast<int>(std::min(gate_workers, kGateWorkersMax));
}

scheduler::SchedulerOptions SchedulerFlags::Options(uint64_t seed) const {
  scheduler::SchedulerOptions options;
  ApplyCommon(&options);
  options.scheduler_names = scheduler_names;
  options.default_queue = default_queue;
  options.period = period;
  options.seed = seed;
  options.priority_classes = priority_classes;
  ApplyGates(&options);
  return options;
}

}  // namespace bth::cmd
