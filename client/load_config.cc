// Where the configuration comes from: flags, environment, files of the pod.
#include <cstdlib>

#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "client/kubeconfig.h"

namespace bth::client {
namespace {

constexpr size_t kKubeconfigBytesMax = 1 << 20;
constexpr size_t kKubeconfigFilesMax = 64;

std::string Variable(const ConfigSources& sources, const char* name) {
  if (sources.environment) return sources.environment(name).value_or("");
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<Kubeconfig> ReadKubeconfig(const std::string& path) {
  BTH_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kKubeconfigBytesMax));
  return ParseKubeconfig(text, path);
}

// The files of $KUBECONFIG; earlier ones win and missing ones are passed over, as kubectl does.
absl::StatusOr<Kubeconfig> ReadKubeconfigList(const std::string& list) {
  Kubeconfig merged;
  size_t found = 0;
  const std::vector<std::string> paths = absl::StrSplit(list, ':', absl::SkipEmpty());
  if (paths.size() > kKubeconfigFilesMax) {
    return absl::InvalidArgumentError("$KUBECONFIG names more than 64 files");
  }
  for (const std::string& path : paths) {
    absl::StatusOr<Kubeconfig> next = ReadKubeconfig(path);
    if (absl::IsNotFound(next.status())) continue;
    BTH_RETURN_IF_ERROR(next);
    merged = MergeKubeconfigs(std::move(merged), *next);
    ++found;
  }
  if (found == 0) {
    return absl::NotFoundError(StrCat("none of the files in $KUBECONFIG exists: ", list));
  }
  return merged;
}

// `chosen_by` is why this file was read and no other.
absl::StatusOr<ClientConfig> Select(const Kubeconfig& kubeconfig, const ConfigSources& sources,
                                    std::string_view chosen_by) {
  // The address is known; a context that is named, here or there, must exist all the same.
  const bool names_context = !sources.context.empty() || !kubeconfig.current_context.empty();
  if (!names_context && !sources.master.empty()) return ClientConfig();
  absl::StatusOr<ClientConfig> config = SelectContext(kubeconfig, sources.context);
  // A file that the context names: kNotFound is for callers to whom nothing names a server.
  if (absl::IsNotFound(config.status())) {
    return absl::FailedPreconditionError(StrCat(chosen_by, ": ", config.status().message()));
  }
  BTH_RETURN_IF_ERROR(config);
  config->origin = StrCat(chosen_by, ": ", config->origin);
  return config;
}

absl::StatusOr<ClientConfig> FromHome(const ConfigSources& sources) {
  const std::string home = Variable(sources, "HOME");
  if (home.empty()) return absl::NotFoundError("$HOME is not set");
  BTH_ASSIGN_OR_RETURN(const Kubeconfig kubeconfig, ReadKubeconfig(StrCat(home, "/.kube/config")));
  return Select(kubeconfig, sources, "~/.kube/config");
}

absl::StatusOr<ClientConfig> FromHomeOrCluster(const ConfigSources& sources) {
  using Source = absl::StatusOr<ClientConfig> (*)(const ConfigSources&);
  const Source first = sources.in_cluster_first ? InClusterConfig : FromHome;
  const Source second = sources.in_cluster_first ? FromHome : InClusterConfig;
  absl::StatusOr<ClientConfig> config = first(sources);
  if (!absl::IsNotFound(config.status())) return config;
  config = second(sources);
  if (!absl::IsNotFound(config.status())) return config;
  return absl::NotFoundError(
      "no cluster configured: give --kubeconfig or --master, set $KUBECONFIG, create "
      "~/.kube/config, or run inside a pod with a service account");
}

absl::StatusOr<ClientConfig> FromFiles(const ConfigSources& sources) {
  if (!sources.kubeconfig.empty()) {
    absl::StatusOr<Kubeconfig> kubeconfig = ReadKubeconfig(sources.kubeconfig);
    if (!kubeconfig.ok()) return Annotate(kubeconfig.status(), "--kubeconfig");
    return Select(*kubeconfig, sources, "--kubeconfig");
  }
  if (const std::string list = Variable(sources, "KUBECONFIG"); !list.empty()) {
    BTH_ASSIGN_OR_RETURN(const Kubeconfig kubeconfig, ReadKubeconfigList(list));
    return Select(kubeconfig, sources, "$KUBECONFIG");
  }
  return FromHomeOrCluster(sources);
}

// --master replaces the address; without a scheme it is https where the context has what TLS needs.
// Certificates and credentials stay those of the context, except
// that they are dropped when the new address is plain HTTP.
absl::Status ApplyMaster(const std::string& master, ClientConfig* config) {
  const bool means_tls =
      !config->ca.empty() || !config->certificate.empty() || config->insecure_skip_verify;
  absl::StatusOr<ServerUrl> url = ParseServerUrl(master, means_tls ? "https" : "http");
  if (!url.ok()) return Annotate(url.status(), "--master");
  config->server = *std::move(url);
  if (!config->server.tls) {
    config->certificate = {};
    config->key = {};
    config->credentials = {};
  }
  config->origin =
      config->origin.empty() ? "--master" : StrCat("--master, beside ", config->origin);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClientConfig> InClusterConfig(const ConfigSources& sources) {
  const std::string host = Variable(sources, "KUBERNETES_SERVICE_HOST");
  const std::string port = Variable(sources, "KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return absl::NotFoundError(
        "not inside a cluster: $KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT are not set");
  }
  ClientConfig config;
  config.origin = "the service account of the pod";
  const bool ipv6 = host.find(':') != std::string::npos;
  const std::string url = StrCat("https://", ipv6 ? "[" : "", host, ipv6 ? "]" : "", ":", port);
  absl::StatusOr<ServerUrl> server = ParseServerUrl(url);
  if (!server.ok()) return Annotate(server.status(), "$KUBERNETES_SERVICE_HOST");
  config.server = *std::move(server);
  config.credentials.token.file = StrCat(sources.service_account_folder, "/token");
  config.ca.file = StrCat(sources.service_account_folder, "/ca.crt");
  // Read once here so that a pod without a token says so at start and not at the first request.
  absl::StatusOr<std::string> token = ReadSmallFile(config.credentials.token.file, 64 << 10);
  if (!token.ok()) {
    return absl::FailedPreconditionError(
        StrCat("in-cluster: no service account token (", token.status().message(),
               "); set automountServiceAccountToken: true or give --kubeconfig"));
  }
  absl::StatusOr<std::string> space =
      ReadSmallFile(StrCat(sources.service_account_folder, "/namespace"), 1024);
  if (space.ok() && !space->empty()) config.default_namespace = *std::move(space);
  return config;
}

absl::StatusOr<ClientConfig> LoadClientConfig(const ConfigSources& sources) {
  absl::StatusOr<ClientConfig> config = FromFiles(sources);
  if (sources.master.empty()) return config;
  // --master alone is enough, unless files that were asked for are broken.
  if (absl::IsNotFound(config.status()) && sources.kubeconfig.empty()) {
    config = ClientConfig();
  }
  BTH_RETURN_IF_ERROR(config);
  BTH_RETURN_IF_ERROR(ApplyMaster(sources.master, &*config));
  return config;
}

}  // namespace bth::client
