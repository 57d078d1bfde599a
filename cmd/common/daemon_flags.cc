#include "cmd/common/daemon_flags.h"

#include <limits>

#include "api/types/protobuf/wire.h"
#include "base/strings.h"

namespace bth::cmd {

absl::Status RefusedFlag(std::string_view flag, std::string_view why) {
  return absl::InvalidArgumentError(StrCat("--", flag, ": ", why));
}

void ApiFlags::AddTo(FlagSet& flags) {
  flags.Add("master", &master, "Address of the API server; wins over the kubeconfig's");
  flags.Add("kubeconfig", &kubeconfig,
            "File that says how to reach the API server; without it and --master: the pod's "
            "service account");
  flags.Add("kube-api-qps", &qps, "Requests per second to the API server");
  flags.Add("kube-api-burst", &burst, "Requests that may go out at once");
  flags.Add("kube-api-content-type", &content_type,
            "How core objects are read, and bindings and events sent: "
            "application/vnd.kubernetes.protobuf or application/json");
}

absl::Status ApiFlags::Check() const {
  if (!(qps > 0)) return absl::InvalidArgumentError("kube-api-qps must be greater than zero");
  if (burst <= 0 || burst > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError("kube-api-burst must be greater than zero");
  }
  if (content_type != "application/json" && content_type != types::kProtobufMediaType) {
    return RefusedFlag("kube-api-content-type",
                       StrCat("must be ", types::kProtobufMediaType, " or application/json"));
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

void PageFlags::AddTo(FlagSet& flags) {
  flags.Add("enable-healthz", &healthz, "Serve /healthz and /readyz");
  flags.Add("healthz-address", &healthz_address, "Where to");
  flags.Add("enable-metrics", &metrics, "Serve /metrics");
  flags.Add("listen-address", &listen_address, "Where to");
  flags.Add("ca-cert-file", &ca_file, "Authority of clients of the health pages");
  flags.Add("tls-cert-file", &certificate_file, "Certificate of the health pages");
  flags.Add("tls-private-key-file", &key_file, "Key of the health pages");
}

void LeaderFlags::AddTo(FlagSet& flags) {
  flags.Add("leader-elect", &elect, "Act only while holding the lease");
  flags.Add("leader-elect-lease-duration", &options.lease_duration,
            "How long others wait for a leader that fell silent");
  flags.Add("leader-elect-renew-deadline", &options.renew_deadline,
            "How long a leader acts without a renewal that succeeded");
  flags.Add("leader-elect-retry-period", &options.retry_period, "Pause between attempts");
  flags.Add("leader-elect-resource-lock", &resource_lock, "Only leases are supported");
  flags.Add("leader-elect-resource-name", &options.lease_name, "Name of the lease");
  flags.Add("leader-elect-resource-namespace", &options.namespace_name, "Its namespace");
  flags.Add("lock-object-namespace", &lock_namespace,
            "Deprecated: use --leader-elect-resource-namespace");
  flags.Deprecated("lock-object-namespace",
                   "This flag is deprecated and will be removed in a future release. Please use "
                   "--leader-elect-resource-namespace instead.");
}

absl::Status LeaderFlags::Check() const {
  if (!elect) return absl::OkStatus();
  if (resource_lock != "leases") {
    return RefusedFlag("leader-elect-resource-lock", "must be leases: there is no other kind");
  }
  return client::CheckLeaderElection(Election("any"));
}

client::LeaderElectionOptions LeaderFlags::Election(const std::string& identity) const {
  client::LeaderElectionOptions election = options;
  election.identity = identity;
  if (!lock_namespace.empty()) election.namespace_name = lock_namespace;
  return election;
}

}  // namespace bth::cmd
