#include "cmd/common/controller_flags.h"

#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "conf/features.h"
#include "controllers/manager/builtin.h"
#include "controllers/manager/selection.h"
#include "controllers/sharding/sharding_config.h"

namespace bth::cmd {
namespace {

constexpr int64_t kWorkersMax = 10'000;

// Options() says how.
constexpr conf::Gate kControllerGates[] = {
    conf::Gate::kWorkLoadSupport, conf::Gate::kVolcanoJobSupport, conf::Gate::kQueueCommandSync,
    conf::Gate::kPriorityClass, conf::Gate::kCronVolcanoJobSupport};

}  // namespace

ControllerFlags::ControllerFlags() {
  pages.listen_address = ":8081";
  leader.options.lease_name = "vc-controller-manager";
}

void ControllerFlags::AddTo(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  flags.AddList("controllers", &options.controllers, "Which to run: NAME, -NAME, * for all others");
  flags.AddRepeated("scheduler-name", &options.scheduler_names,
                    "Look after pods with this schedulerName");
  flags.Add("worker-threads", &worker_threads_, "Jobs worked on at once");
  flags.Add("worker-threads-for-cronjob", &cronjob_workers_, "CronJobs worked on at once");
  flags.Add("worker-threads-for-podgroup", &podgroup_workers_, "Pods given a PodGroup at once");
  flags.Add("worker-threads-for-queue", &queue_workers_, "Queues worked on at once");
  flags.Add("worker-threads-for-gc", &gc_workers_, "Finished jobs removed at once");
  flags.Add("max-requeue-num", &max_requeues_, "Attempts at one request; negative: no limit");
  flags.Add("inherit-owner-annotations", &options.inherit_owner_annotations,
            "PodGroups of pods take over annotations of the pods' owners");
  AddFeatureGates(flags, &feature_gates);
  flags.AddList("scheduler-configs", &options.scheduler_configs,
                "Sharding: NAME:TYPE:MIN:MAX:PREFER_WARMUP:MIN_NODES:MAX_NODES");
  flags.Deprecated("scheduler-configs", "use the ConfigMap that --sharding-configmap names");
  flags.Add("shard-sync-period", &options.shard_sync_period, "Sharding: longest pause");
  flags.Add("enable-node-event-trigger", &options.enable_node_event_trigger,
            "Sharding: follow changes of nodes and pods at once");
  flags.Add("sharding-configmap", &options.sharding_configmap, "Sharding: its configuration");
  flags.Add("sharding-configmap-namespace", &options.sharding_configmap_namespace,
            "Sharding: its namespace");
  pages.AddTo(flags);
  leader.AddTo(flags);
  log.AddTo(flags);
}

absl::Status ControllerFlags::CheckCounts() const {
  const std::pair<std::string_view, int64_t> counts[] = {
      {"worker-threads", worker_threads_},
      {"worker-threads-for-cronjob", cronjob_workers_},
      {"worker-threads-for-podgroup", podgroup_workers_},
      {"worker-threads-for-queue", queue_workers_},
      {"worker-threads-for-gc", gc_workers_}};
  for (const auto& [flag, count] : counts) {
    if (count < 1 || count > kWorkersMax) {
      return RefusedFlag(flag, StrCat("must be between 1 and ", kWorkersMax));
    }
  }
  return absl::OkStatus();
}

absl::Status ControllerFlags::Check() const {
  BTH_RETURN_IF_ERROR(api.Check());
  BTH_RETURN_IF_ERROR(pages.Check());
  BTH_RETURN_IF_ERROR(log.Check());
  BTH_RETURN_IF_ERROR(conf::FeatureGates::Parse(feature_gates));
  BTH_RETURN_IF_ERROR(controllers::CheckSelection(options.controllers));
  BTH_RETURN_IF_ERROR(
      controllers::CheckNames(options.controllers, controllers::BuiltinControllerNames()));
  BTH_RETURN_IF_ERROR(CheckCounts());
  if (const auto sharding = controllers::ShardingConfigOfFlags(options); !sharding.ok()) {
    return RefusedFlag("scheduler-configs", ToStd(sharding.status().message()));
  }
  for (const std::string& name : options.scheduler_names) {
    if (name.empty()) return RefusedFlag("scheduler-name", "must not be empty");
  }
  return leader.Check();
}

std::vector<std::string> ControllerFlags::Notes() const {
  std::vector<std::string> notes = log.Notes();
  for (std::string& note : pages.Notes()) notes.push_back(std::move(note));
  for (std::string& note :
       controllers::UnknownNames(options.controllers, controllers::BuiltinControllerNames())) {
    notes.push_back(std::move(note));
  }
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(feature_gates);
  if (!gates.ok()) return notes;
  for (std::string& note : gates->WithoutEffect(kControllerGates)) notes.push_back(std::move(note));
  return notes;
}

controllers::ManagerOptions ControllerFlags::Options() const {
  controllers::ManagerOptions made = options;
  made.worker_threads = static_cast<int>(worker_threads_);
  made.worker_threads_for_cronjob = static_cast<int>(cronjob_workers_);
  made.worker_threads_for_podgroup = static_cast<int>(podgroup_workers_);
  made.worker_threads_for_queue = static_cast<int>(queue_workers_);
  made.worker_threads_for_gc = static_cast<int>(gc_workers_);
  made.max_requeue_num = max_requeues_ < 0 ? -1 : static_cast<int>(max_requeues_);
  // The ConfigMap of the HyperNode discovery is named after the release and the pod's namespace.
  made.discovery_configmap_namespace = Environment("KUBE_POD_NAMESPACE", "volcano-system");
  made.discovery_configmap =
      StrCat(Environment("HELM_RELEASE_NAME", "volcano"), "-controller-configmap");
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(feature_gates);
  if (!gates.ok()) return made;
  made.gates.workload_support = gates->Enabled(conf::Gate::kWorkLoadSupport);
  made.gates.volcano_job_support = gates->Enabled(conf::Gate::kVolcanoJobSupport);
  made.gates.queue_command_sync = gates->Enabled(conf::Gate::kQueueCommandSync);
  made.gates.priority_class = gates->Enabled(conf::Gate::kPriorityClass);
  made.gates.cron_volcano_job_support = gates->Enabled(conf::Gate::kCronVolcanoJobSupport);
  return made;
}

}  // namespace bth::cmd
