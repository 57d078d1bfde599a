#include "cmd/common/scheduler_flags.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/model/shard_mode.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/features.h"

namespace bth::cmd {
namespace {

// Options() says how.
constexpr conf::Gate kSchedulerGates[] = {conf::Gate::kWorkLoadSupport,
                                          conf::Gate::kPriorityClass,
                                          conf::Gate::kPodDisruptionBudgetsSupport,
                                          conf::Gate::kSchedulingGatesQueueAdmission,
                                          conf::Gate::kPodLevelResources,
                                          conf::Gate::kResourceTopology,
                                          conf::Gate::kMatchLabelKeysInPodTopologySpread};

std::optional<std::pair<std::string, std::string>> ParseNodeLabel(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  std::pair<std::string, std::string> label(text.substr(0, colon), text.substr(colon + 1));
  absl::StripAsciiWhitespace(&label.first);
  absl::StripAsciiWhitespace(&label.second);
  if (label.first.empty() || label.second.empty()) return std::nullopt;
  return label;
}

}  // namespace

SchedulerFlags::SchedulerFlags() {
  api.qps = 2000;
  api.burst = 2000;
  leader.options.lease_name = "volcano";
}

void SchedulerFlags::AddTo(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  AddPolicy(flags);
  pages.AddTo(flags);
  debug.AddTo(flags);
  leader.AddTo(flags);
  AddWithoutEffect(flags);
  log.AddTo(flags);
}

void SchedulerFlags::AddPolicy(FlagSet& flags) {
  flags.Add("scheduler-conf", &scheduler_conf, "File with the scheduling policy");
  flags.Add("disable-default-scheduler-config", &disable_default_conf,
            "Require --scheduler-conf, instead of using the built-in policy without it");
  flags.AddRepeated("scheduler-name", &scheduler_names, "Serve pods with this schedulerName");
  flags.Add("default-queue", &default_queue, "Queue of PodGroups that name none; created at start");
  flags.Add("resource-sync-timeout", &sync_timeout,
            "How long the first lists may take before a warning; 0: none");
  flags.Add("schedule-period", &period,
            "Longest pause between cycles while jobs wait on time; changes start one at once");
  flags.AddList("node-selector", &node_selector,
                "Use only nodes that have one of these labels, as key:value");
  flags.Add("priority-class", &priority_classes, "Read PriorityClasses; false: jobs have none");
  flags.Add("csi-storage", &csi_storage,
            "Read what CSI drivers tell of free capacity; false: there is always enough");
  flags.Add("feature-gates", &feature_gates, "Name=true,Other=false");
  flags.Add("gate-removal-worker-num", &gate_workers,
            "Removals of scheduling gates at once, with SchedulingGatesQueueAdmission");
  flags.Add("plugins-dir", &plugins_dir, "Folder of shared objects with further plugins");
  flags.Add("scheduler-sharding-mode", &sharding_mode,
            "Use only (hard) or first (soft) the nodes of the NodeShard; none: all alike");
  flags.Add("scheduler-sharding-name", &sharding_name, "Name of the NodeShard");
  flags.Add("cache-dumper", &dump_on_signal,
            "Write the cluster to a file on SIGUSR1, the last cycle on SIGUSR2");
  flags.Add("cache-dump-dir", &dump_folder, "Where to write them");
}

void SchedulerFlags::AddWithoutEffect(FlagSet& flags) {
  const auto add = [&flags](std::string_view name, auto* target, std::string_view why) {
    if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
      flags.AddList(name, target, StrCat("No effect: ", why));
    } else {
      flags.Add(name, target, StrCat("No effect: ", why));
    }
    flags.WithoutEffect(name, why);
  };
  const std::string_view all_nodes = "all nodes are considered, whatever their number";
  add("resync-period", &resync_period_, "a watch that breaks resumes or lists anew by itself");
  add("minimum-feasible-nodes", &nodes_min_, all_nodes);
  add("minimum-percentage-nodes-to-find", &percentage_min_, all_nodes);
  add("percentage-nodes-to-find", &percentage_, all_nodes);
  add("node-worker-threads", &node_workers_, "changes of nodes are applied as they are read");
  add("ignored-provisioners", &ignored_provisioners_,
      "volumes are counted only where a node tells a limit of their driver");
  add("enable-pprof", &pprof_, "there are no Go profiles: use perf, or /debug/cycle");
}

absl::Status SchedulerFlags::CheckPolicy() const {
  if (!model::ParseShardMode(sharding_mode)) {
    return RefusedFlag("scheduler-sharding-mode",
                       StrCat("\"", sharding_mode, "\" is none of none, hard, soft"));
  }
  if (sharding_name.empty()) return RefusedFlag("scheduler-sharding-name", "must not be empty");
  BTH_RETURN_IF_ERROR(conf::FeatureGates::Parse(feature_gates));
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return RefusedFlag("scheduler-name", "must not be empty");
  }
  if (default_queue.empty()) return RefusedFlag("default-queue", "must not be empty");
  if (period <= absl::ZeroDuration()) return RefusedFlag("schedule-period", "must be positive");
  if (!node_selector.empty() && NodeLabels().empty()) {
    return RefusedFlag("node-selector",
                       "no entry has the form key:value, so no node would be used");
  }
  return absl::OkStatus();
}

absl::Status SchedulerFlags::Check() const {
  BTH_RETURN_IF_ERROR(api.Check());
  BTH_RETURN_IF_ERROR(log.Check());
  BTH_RETURN_IF_ERROR(CheckPolicy());
  BTH_RETURN_IF_ERROR(debug.Check());
  BTH_RETURN_IF_ERROR(pages.Check());
  return leader.Check();
}

std::vector<std::string> SchedulerFlags::Notes() const {
  std::vector<std::string> notes = log.Notes();
  for (std::string& note : pages.Notes()) notes.push_back(std::move(note));
  if (sharding_mode == "none" && sharding_name != "volcano") {
    notes.push_back(
        "--scheduler-sharding-name: there are no shards: add --scheduler-sharding-mode=hard or "
        "soft");
  }
  for (const std::string& entry : node_selector) {
    if (ParseNodeLabel(entry).has_value()) continue;
    notes.push_back(StrCat("--node-selector: \"", entry, "\" is not of the form key:value"));
  }
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(feature_gates);
  if (!gates.ok()) return notes;
  if (gate_workers != kGateWorkersDefault &&
      !gates->Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) {
    notes.push_back(
        "--gate-removal-worker-num: no gates are removed: add "
        "--feature-gates=SchedulingGatesQueueAdmission=true");
  }
  for (std::string& note : gates->WithoutEffect(kSchedulerGates)) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::pair<std::string, std::string>> SchedulerFlags::NodeLabels() const {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& entry : node_selector) {
    if (auto label = ParseNodeLabel(entry)) labels.push_back(*std::move(label));
  }
  return labels;
}

void SchedulerFlags::ApplyGates(scheduler::SchedulerOptions* options) const {
  // Check has refused what cannot be read.
  const conf::FeatureGates gates =
      conf::FeatureGates::Parse(feature_gates).value_or(conf::FeatureGates());
  options->workloads = gates.Enabled(conf::Gate::kWorkLoadSupport);
  options->priority_classes &= gates.Enabled(conf::Gate::kPriorityClass);
  options->numa_reports = gates.Enabled(conf::Gate::kResourceTopology);
  options->disruption_budgets = gates.Enabled(conf::Gate::kPodDisruptionBudgetsSupport);
  options->pod_level_resources = gates.Enabled(conf::Gate::kPodLevelResources);
  options->spread_by_own_labels = gates.Enabled(conf::Gate::kMatchLabelKeysInPodTopologySpread);
  if (!gates.Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) return;
  constexpr int64_t kGateWorkersMax = 1000;
  options->gate_removals = gate_workers < 1
                               ? kGateWorkersDefault
                               : static_cast<int>(std::min(gate_workers, kGateWorkersMax));
}

scheduler::SchedulerOptions SchedulerFlags::Options(uint64_t seed) const {
  scheduler::SchedulerOptions options;
  options.scheduler_names = scheduler_names;
  options.default_queue = default_queue;
  options.policy.path = scheduler_conf;
  options.policy.disable_default = disable_default_conf;
  // Nothing is decided on half a cluster, whatever the flag says: it is the pause between warnings,
  // and zero asks for none.
  const bool silent = sync_timeout <= absl::ZeroDuration();
  options.sync_timeout = silent ? absl::Hours(24 * 365) : sync_timeout;
  options.period = period;
  options.node_labels = NodeLabels();
  options.storage_capacity = csi_storage;
  options.shard = {.mode = model::ParseShardMode(sharding_mode).value_or(model::ShardMode::kNone),
                   .name = sharding_name};
  options.seed = seed;
  options.priority_classes = priority_classes;
  ApplyGates(&options);
  return options;
}

}  // namespace bth::cmd
