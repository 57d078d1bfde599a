#include "cmd/common/daemon_flags.h"

#include <cstdlib>
#include <limits>

#include "absl/strings/str_join.h"
#include "api/types/protobuf/wire.h"
#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/endpoint.h"
#include "conf/features.h"

namespace bth::cmd {

absl::Status RefusedFlag(std::string_view flag, std::string_view why) {
  return absl::InvalidArgumentError(StrCat("--", flag, ": ", why));
}

std::string Environment(const char* name, std::string_view fallback) {
  const char* value = std::getenv(name);
  return std::string(value == nullptr || *value == '\0' ? fallback : value);
}

void AddFeatureGates(FlagSet& flags, std::string* target) {
  constexpr std::string_view kName = "feature-gates";
  flags.Add(kName, target, "Name=true,Other=false");
  flags.Gathered(kName);
  flags.Checked(kName, [kName](const std::string& text) {
    const absl::Status read = conf::FeatureGates::Parse(text).status();
    std::string_view why = ToStd(read.message());
    const std::string prefix = StrCat("--", kName, ": ");  // Usages name the flag by themselves.
    if (why.starts_with(prefix)) why.remove_prefix(prefix.size());
    return read.ok() ? read : absl::InvalidArgumentError(ToAbsl(why));
  });
}

void ApiFlags::AddTo(FlagSet& flags) {
  flags.Add("master", &master, "Address of the API server, instead of the one found there");
  flags.Add("kubeconfig", &kubeconfig,
            "File that says how to reach the API server; without it: the files of $KUBECONFIG, "
            "else the pod's service account, else ~/.kube/config");
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
  healthz_default_ = healthz_address;
  listen_default_ = listen_address;
  flags.Add("enable-healthz", &healthz, "Serve /healthz and /readyz");
  flags.Add("healthz-address", &healthz_address, "Where to");
  flags.Add("enable-metrics", &metrics, "Serve /metrics");
  flags.Add("listen-address", &listen_address, "Where to");
  flags.Add("ca-cert-file", &ca_file, "Authority of clients of the health pages");
  flags.Add("tls-cert-file", &certificate_file, "Certificate of the health pages");
  flags.Add("tls-private-key-file", &key_file, "Key of the health pages");
}

absl::Status PageFlags::Check() const {
  const std::pair<std::string_view, const std::string*> addresses[] = {
      {"healthz-address", &healthz_address}, {"listen-address", &listen_address}};
  for (const auto& [flag, address] : addresses) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(*address);
    if (!endpoint.ok()) return RefusedFlag(flag, ToStd(endpoint.status().message()));
  }
  const std::pair<std::string_view, const std::string*> files[] = {
      {"ca-cert-file", &ca_file},
      {"tls-cert-file", &certificate_file},
      {"tls-private-key-file", &key_file}};
  std::string_view given;
  std::vector<std::string> missing;
  for (const auto& [flag, file] : files) {
    if (file->empty()) {
      missing.push_back(StrCat("--", flag));
    } else if (given.empty()) {
      given = flag;
    }
  }
  if (given.empty() || missing.empty()) return absl::OkStatus();
  return RefusedFlag(given, StrCat("give ", absl::StrJoin(missing, " and "),
                                   " too: without all three the health pages have no TLS"));
}

std::vector<std::string> PageFlags::Notes() const {
  std::vector<std::string> notes;
  if (listen_default_.empty()) return notes;  // Nobody has read a command line.
  if (!metrics && listen_address != listen_default_) {
    notes.push_back("--listen-address: no metrics are served: add --enable-metrics");
  }
  if (!healthz && healthz_address != healthz_default_) {
    notes.push_back("--healthz-address: no health pages are served: add --enable-healthz");
  }
  if (!healthz && !certificate_file.empty() && Check().ok()) {
    notes.push_back("--tls-cert-file: no health pages are served: add --enable-healthz");
  }
  return notes;
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
