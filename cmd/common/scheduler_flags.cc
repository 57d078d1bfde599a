#include "cmd/common/scheduler_flags.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/features.h"

namespace bth::cmd {
namespace {

absl::Status Refused(std::string_view flag, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--", ToAbsl(flag), ": ", ToAbsl(why)));
}

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

void ApiFlags::AddTo(FlagSet& flags) {
  flags.Add("master", &master, "Address of the API server; wins over the kubeconfig's");
  flags.Add("kubeconfig", &kubeconfig,
            "File that says how to reach the API server; without it and --master: the pod's "
            "service account");
  flags.Add("kube-api-qps", &qps, "Requests per second to the API server");
  flags.Add("kube-api-burst", &burst, "Requests that may go out at once");
}

absl::Status ApiFlags::Check() const {
  if (!(qps > 0)) return absl::InvalidArgumentError("kube-api-qps must be greater than zero");
  if (burst <= 0 || burst > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError("kube-api-burst must be greater than zero");
  }
  return absl::OkStatus();
}

client::ConfigSources ApiFlags::Sources() const {
  client::ConfigSources sources;
  sources.kubeconfig = kubeconfig;
  sources.master = master;
  sources.in_cluster_first = true;
  return sources;
}

void SchedulerFlags::AddTo(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  AddPolicy(flags);
  AddPages(flags);
  AddLeader(flags);
  AddWithoutEffect(flags);
  AddRefused(flags);
  log.AddTo(flags);
}

void SchedulerFlags::AddPolicy(FlagSet& flags) {
  flags.Add("scheduler-conf", &scheduler_conf, "File with the scheduling policy");
  flags.Add("disable-default-scheduler-config", &disable_default_conf,
            "End at start when there is no valid policy file, instead of using the built-in one");
  flags.AddRepeated("scheduler-name", &scheduler_names, "Serve pods with this schedulerName");
  flags.Add("default-queue", &default_queue, "Queue of PodGroups that name none; created at start");
  flags.Add("resource-sync-timeout", &sync_timeout,
            "How long the first lists may take before a warning; 0: none");
  flags.Add("schedule-period", &period,
            "Longest pause between cycles while jobs wait on time; changes start one at once");
  flags.AddList("node-selector", &node_selector,
                "Use only nodes that have one of these labels, as key:value");
  flags.Add("priority-class", &priority_classes, "Read PriorityClasses; false: jobs have none");
  flags.Add("feature-gates", &feature_gates, "Name=true,Other=false");
  flags.Add("gate-removal-worker-num", &gate_workers,
            "Removals of scheduling gates at once, with SchedulingGatesQueueAdmission");
  flags.Add("plugins-dir", &plugins_dir, "Folder of shared objects with further plugins");
  flags.Add("cache-dumper", &dump_on_signal,
            "Write the cluster to a file on SIGUSR1, the last cycle on SIGUSR2");
  flags.Add("cache-dump-dir", &dump_folder, "Where to write them");
}

void SchedulerFlags::AddPages(FlagSet& flags) {
  flags.Add("enable-healthz", &pages.healthz, "Serve /healthz and /readyz");
  flags.Add("healthz-address", &pages.healthz_address, "Where to");
  flags.Add("enable-metrics", &pages.metrics, "Serve /metrics and the debug pages");
  flags.Add("listen-address", &pages.listen_address, "Where to");
  flags.Add("ca-cert-file", &pages.ca_file, "Authority of clients of the health pages");
  flags.Add("tls-cert-file", &pages.certificate_file, "Certificate of the health pages");
  flags.Add("tls-private-key-file", &pages.key_file, "Key of the health pages");
}

void SchedulerFlags::AddLeader(FlagSet& flags) {
  client::LeaderElectionOptions& options = leader.options;
  options.lease_name = "volcano";
  flags.Add("leader-elect", &leader.elect, "Act only while holding the lease");
  flags.Add("leader-elect-lease-duration", &options.lease_duration,
            "How long others wait for a leader that fell silent");
  flags.Add("leader-elect-renew-deadline", &options.renew_deadline,
            "How long a leader acts without a renewal that succeeded");
  flags.Add("leader-elect-retry-period", &options.retry_period, "Pause between attempts");
  flags.Add("leader-elect-resource-lock", &leader.resource_lock, "Only leases are supported");
  flags.Add("leader-elect-resource-name", &options.lease_name, "Name of the lease");
  flags.Add("leader-elect-resource-namespace", &options.namespace_name, "Its namespace");
  flags.Add("lock-object-namespace", &leader.lock_namespace,
            "Deprecated: use --leader-elect-resource-namespace");
  flags.Deprecated("lock-object-namespace",
                   "This flag is deprecated and will be removed in a future release. Please use "
                   "--leader-elect-resource-namespace instead.");
}

void SchedulerFlags::AddWithoutEffect(FlagSet& flags) {
  const auto add = [&flags](std::string_view name, auto* target, std::string_view why) {
    if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
      flags.AddList(name, target, absl::StrCat("No effect: ", ToAbsl(why)));
    } else {
      flags.Add(name, target, absl::StrCat("No effect: ", ToAbsl(why)));
    }
    flags.WithoutEffect(name, why);
  };
  const std::string_view all_nodes = "all nodes are considered, whatever their number";
  const std::string_view storage = "the capacity of storage is not looked at";
  add("resync-period", &resync_period_, "a watch that breaks resumes or lists anew by itself");
  add("minimum-feasible-nodes", &nodes_min_, all_nodes);
  add("minimum-percentage-nodes-to-find", &percentage_min_, all_nodes);
  add("percentage-nodes-to-find", &percentage_, all_nodes);
  add("node-worker-threads", &node_workers_, "changes of nodes are applied as they are read");
  add("csi-storage", &csi_storage_, storage);
  add("ignored-provisioners", &ignored_provisioners_, storage);
  add("scheduler-sharding-name", &sharding_name_, "there are no shards: use --node-selector");
  add("enable-pprof", &pprof_, "there are no Go profiles: use perf, or /debug/cycle");
}

void SchedulerFlags::AddRefused(FlagSet& flags) {
  flags.Add("scheduler-sharding-mode", &sharding_mode_, "Only none: use --node-selector");
}

absl::Status SchedulerFlags::CheckPolicy() const {
  if (sharding_mode_ != "none") {
    return Refused("scheduler-sharding-mode",
                   absl::StrCat("\"", sharding_mode_, "\" is not supported, only none is: give ",
                                "each scheduler its nodes with --node-selector"));
  }
  BTH_RETURN_IF_ERROR(conf::FeatureGates::Parse(feature_gates));
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return Refused("scheduler-name", "must not be empty");
  }
  if (default_queue.empty()) return Refused("default-queue", "must not be empty");
  if (period <= absl::ZeroDuration()) return Refused("schedule-period", "must be positive");
  if (!node_selector.empty() && NodeLabels().empty()) {
    return Refused("node-selector", "no entry has the form key:value, so no node would be used");
  }
  return absl::OkStatus();
}

absl::Status SchedulerFlags::Check() const {
  BTH_RETURN_IF_ERROR(api.Check());
  BTH_RETURN_IF_ERROR(log.Check());
  BTH_RETURN_IF_ERROR(CheckPolicy());
  if (!leader.elect) return absl::OkStatus();
  if (leader.resource_lock != "leases") {
    return Refused("leader-elect-resource-lock", "must be leases: there is no other kind");
  }
  return client::CheckLeaderElection(Election("any"));
}

std::vector<std::string> SchedulerFlags::Notes() const {
  std::vector<std::string> notes = log.Notes();
  for (const std::string& entry : node_selector) {
    if (ParseNodeLabel(entry).has_value()) continue;
    notes.push_back(absl::StrCat("--node-selector: \"", entry, "\" is not of the form key:value"));
  }
  return notes;
}

std::vector<std::pair<std::string, std::string>> SchedulerFlags::NodeLabels() const {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& entry : node_selector) {
    if (auto label = ParseNodeLabel(entry)) labels.push_back(*std::move(label));
  }
  return labels;
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
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(feature_gates);
  options.priority_classes =
      priority_classes && gates.ok() && gates->Enabled(conf::Gate::kPriorityClass);
  options.disruption_budgets =
      !gates.ok() || gates->Enabled(conf::Gate::kPodDisruptionBudgetsSupport);
  if (gates.ok() && gates->Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) {
    constexpr int64_t kGateWorkersMax = 1000;
    options.gate_removals =
        gate_workers < 1 ? 5 : static_cast<int>(std::min(gate_workers, kGateWorkersMax));
  }
  options.seed = seed;
  return options;
}

client::LeaderElectionOptions SchedulerFlags::Election(const std::string& identity) const {
  client::LeaderElectionOptions options = leader.options;
  options.identity = identity;
  if (!leader.lock_namespace.empty()) options.namespace_name = leader.lock_namespace;
  return options;
}

}  // namespace bth::cmd
