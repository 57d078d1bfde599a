// Merging kubeconfig files and turning one context into a ClientConfig.
#include "absl/strings/escaping.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "client/file.h"
#include "client/kubeconfig.h"

namespace bth::client {
namespace {

template <typename T>
void MergeEntries(const std::vector<Named<T>>& from, std::vector<Named<T>>* into) {
  const size_t own = into->size();
  for (const Named<T>& entry : from) {
    bool known = false;
    for (size_t i = 0; i < own; ++i) known |= (*into)[i].name == entry.name;
    if (!known) into->push_back(entry);
  }
}

template <typename T>
absl::StatusOr<const Named<T>*> FindEntry(const std::vector<Named<T>>& entries,
                                          std::string_view kind, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Named<T>& entry : entries) {
    if (entry.name == name) {
      BTH_RETURN_IF_ERROR(entry.usable);
      return &entry;
    }
    known.push_back(entry.name);
  }
  return absl::InvalidArgumentError(StrCat("kubeconfig: there is no ", kind, " \"", name, "\"",
                                           DidYouMean(name, known),
                                           "; check with: kubectl config view"));
}

absl::StatusOr<std::string> ClusterForExec(const Named<KubeconfigCluster>& cluster) {
  const KubeconfigCluster& value = cluster.value;
  types::Json json = types::Json::MakeObject({{"server", value.server}});
  if (!value.tls_server_name.empty()) json.Set("tls-server-name", value.tls_server_name);
  if (value.insecure_skip_verify) json.Set("insecure-skip-tls-verify", true);
  std::string ca = value.ca.text;
  if (!value.ca.file.empty()) {
    absl::StatusOr<std::string> read = ReadSmallFile(value.ca.file, 1 << 20);
    if (!read.ok()) {
      return Annotate(read.status(),
                      StrCat(cluster.file, ": ", cluster.where, ".cluster.certificate-authority"));
    }
    ca = *std::move(read);
  }
  if (!ca.empty()) json.Set("certificate-authority-data", absl::Base64Escape(ca));
  if (!value.exec_config_json.empty()) {
    BTH_ASSIGN_OR_RETURN(types::Json config, types::Json::Parse(value.exec_config_json));
    json.Set("config", std::move(config));
  }
  return json.Dump();
}

absl::Status ApplyCluster(const Named<KubeconfigCluster>& cluster, ClientConfig* config) {
  const KubeconfigCluster& value = cluster.value;
  const std::string at = StrCat(cluster.file, ": ", cluster.where, ".cluster");
  if (value.server.empty()) {
    return absl::InvalidArgumentError(StrCat(at,
                                             ".server is missing; set it to the API "
                                             "server's URL, such as https://host:6443"));
  }
  const bool means_tls = !value.ca.empty() || value.insecure_skip_verify;
  absl::StatusOr<ServerUrl> url = ParseServerUrl(value.server, means_tls ? "https" : "http");
  if (!url.ok()) return Annotate(url.status(), StrCat(at, ".server"));
  if (value.insecure_skip_verify && !value.ca.empty()) {
    return absl::InvalidArgumentError(
        StrCat(at,
               ": insecure-skip-tls-verify and a certificate-authority exclude each "
               "other; remove insecure-skip-tls-verify"));
  }
  config->server = *std::move(url);
  config->ca = value.ca;
  config->insecure_skip_verify = value.insecure_skip_verify;
  config->tls_server_name = value.tls_server_name;
  return absl::OkStatus();
}

}  // namespace

Kubeconfig MergeKubeconfigs(Kubeconfig first, const Kubeconfig& second) {
  if (first.current_context.empty()) first.current_context = second.current_context;
  MergeEntries(second.clusters, &first.clusters);
  MergeEntries(second.users, &first.users);
  MergeEntries(second.contexts, &first.contexts);
  return first;
}

absl::StatusOr<ClientConfig> SelectContext(const Kubeconfig& kubeconfig, std::string_view context) {
  if (context.empty()) context = kubeconfig.current_context;
  if (context.empty()) {
    return absl::InvalidArgumentError(
        "kubeconfig: current-context is not set; choose one with: kubectl config use-context NAME");
  }
  BTH_ASSIGN_OR_RETURN(const auto* chosen, FindEntry(kubeconfig.contexts, "context", context));
  const KubeconfigContext& names = chosen->value;
  ClientConfig config;
  config.origin = StrCat(chosen->file, " (context \"", chosen->name, "\")");
  if (!names.namespace_name.empty()) config.default_namespace = names.namespace_name;
  BTH_ASSIGN_OR_RETURN(const auto* cluster,
                       FindEntry(kubeconfig.clusters, "cluster", names.cluster));
  BTH_RETURN_IF_ERROR(ApplyCluster(*cluster, &config));
  // Secrets are never sent in clear, so that over plain HTTP the user entry does not matter.
  if (names.user.empty() || !config.server.tls) return config;
  BTH_ASSIGN_OR_RETURN(const auto* user, FindEntry(kubeconfig.users, "user", names.user));
  config.certificate = user->value.certificate;
  config.key = user->value.key;
  config.credentials = user->value.credentials;
  if (config.credentials.exec.has_value() && user->value.exec_wants_cluster) {
    BTH_ASSIGN_OR_RETURN(config.credentials.exec->cluster_json, ClusterForExec(*cluster));
  }
  return config;
}

}  // namespace bth::client
