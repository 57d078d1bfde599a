#include "cmd/common/scheduler_flags.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/features.h"

namespace bth::cmd {
namespace {

absl::Status NotYet(std::string_view flag, std::string_view why) {
  return absl::UnimplementedError(absl::StrCat("--", ToAbsl(flag), ": ", ToAbsl(why)));
}

// Gates that would change what the scheduler does, and that it does not know how to.
absl::Status CheckGates(const std::string& text) {
  const absl::StatusOr<conf::FeatureGates> gates = conf::FeatureGates::Parse(text);
  if (!gates.ok()) return gates.status();
  if (gates->Enabled(conf::Gate::kSchedulingGatesQueueAdmission)) {
    return NotYet("feature-gates", "SchedulingGatesQueueAdmission is not supported yet");
  }
  if (!gates->Enabled(conf::Gate::kPriorityClass)) {
    return NotYet("feature-gates", "PriorityClass cannot be turned off: classes are always read");
  }
  return absl::OkStatus();
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

void LogFlags::AddTo(FlagSet& flags) {
  flags.Add("v", &verbosity, "Log level: from 2 the flags, from 4 every detail");
  flags.Add("logtostderr", &to_stderr_, "Log to stderr; there is no other target");
  flags.Add("log-flush-frequency", &flush_, "Accepted: lines are written at once");
  flags.Add("log-file", &file_, "Not supported: redirect stderr");
  flags.Add("log-dir", &folder_, "Not supported: redirect stderr");
  flags.Add("log-file-max-size", &file_size_, "Accepted without effect");
  for (const char* name : {"add-dir-header", "alsologtostderr", "legacy-stderr-threshold-behavior",
                           "one-output", "skip-headers", "skip-log-headers"}) {
    flags.Add(name, &ignored_, "Accepted without effect");
  }
  for (const char* name : {"log-backtrace-at", "stderrthreshold", "vmodule"}) {
    flags.Add(name, &ignored_text_, "Accepted without effect");
  }
}

void SchedulerFlags::AddTo(FlagSet& flags) {
  api.AddTo(flags);
  flags.Add("version", &version, "Print the version and exit");
  AddPolicy(flags);
  AddPages(flags);
  AddLeader(flags);
  AddWithoutEffect(flags);
  AddNotYet(flags);
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
  flags.Add("feature-gates", &feature_gates, "Name=true,Other=false");
  flags.Add("cache-dumper", &dump_on_signal, "Write the last cycle to a file on SIGUSR1");
  flags.Add("cache-dump-dir", &dump_folder, "Where to write it");
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
}

void SchedulerFlags::AddWithoutEffect(FlagSet& flags) {
  flags.Add("schedule-period", &schedule_period_, "Accepted: changes start a cycle at once");
  flags.Add("resync-period", &resync_period_, "Accepted without effect");
  flags.Add("minimum-feasible-nodes", &nodes_min_, "Accepted: all nodes are considered");
  flags.Add("minimum-percentage-nodes-to-find", &percentage_min_, "Accepted, likewise");
  flags.Add("percentage-nodes-to-find", &percentage_, "Accepted, likewise");
  flags.Add("node-worker-threads", &node_workers_, "Accepted without effect");
  flags.Add("gate-removal-worker-num", &gate_workers_, "Accepted without effect");
  flags.Add("csi-storage", &csi_storage_, "Accepted without effect");
}

void SchedulerFlags::AddNotYet(FlagSet& flags) {
  flags.Add("plugins-dir", &plugins_dir_, "Not supported yet");
  flags.AddList("node-selector", &node_selector_, "Not supported yet");
  flags.AddList("ignored-provisioners", &ignored_provisioners_, "Not supported yet");
  flags.Add("scheduler-sharding-mode", &sharding_mode_, "Only none is supported yet");
  flags.Add("scheduler-sharding-name", &sharding_name_, "Not supported yet");
  flags.Add("enable-pprof", &pprof_, "Not supported: use perf");
  flags.Add("priority-class", &priority_class_, "Cannot be turned off");
}

absl::Status SchedulerFlags::Check() const {
  BTH_RETURN_IF_ERROR(api.Check());
  if (!plugins_dir_.empty()) {
    return NotYet("plugins-dir", "plugins as shared objects are not supported yet");
  }
  if (!node_selector_.empty()) {
    return NotYet("node-selector", "schedulers for a part of the nodes are not supported yet");
  }
  if (!ignored_provisioners_.empty()) {
    return NotYet("ignored-provisioners", "volume provisioning is not looked at yet");
  }
  if (sharding_mode_ != "none") {
    return NotYet("scheduler-sharding-mode",
                  absl::StrCat("\"", sharding_mode_, "\" is not supported yet, only none is"));
  }
  if (pprof_) return NotYet("enable-pprof", "there are no Go profiles here; use perf");
  if (!priority_class_) return NotYet("priority-class", "priority classes are always read");
  if (!log.file_.empty() || !log.folder_.empty()) {
    return NotYet(log.file_.empty() ? "log-dir" : "log-file", "logs go to stderr; redirect it");
  }
  BTH_RETURN_IF_ERROR(CheckGates(feature_gates));
  for (const std::string& name : scheduler_names) {
    if (name.empty()) return absl::InvalidArgumentError("--scheduler-name: must not be empty");
  }
  if (default_queue.empty()) {
    return absl::InvalidArgumentError("--default-queue: must not be empty");
  }
  if (!leader.elect) return absl::OkStatus();
  if (leader.resource_lock != "leases") {
    return NotYet("leader-elect-resource-lock", "must be leases");
  }
  return client::CheckLeaderElection(Election("any"));
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
