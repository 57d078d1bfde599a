// Kubeconfig files, the in-cluster files and flags, read into a ClientConfig.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/client_config.h"

namespace bth::client {

struct KubeconfigCluster {
  std::string server;
  TextSource ca;
  bool insecure_skip_verify = false;
  std::string tls_server_name;
  std::string exec_config_json;  // Extension "client.authentication.k8s.io/exec", as JSON.
};

struct KubeconfigUser {
  TextSource certificate;
  TextSource key;
  Credentials credentials;
  bool exec_wants_cluster = false;
};

struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string namespace_name;
};

// What one file says, or several merged. Lists keep the order of the file; names are unique.
// An entry this client cannot use (a proxy, a removed auth provider) carries the reason and fails
// only when it is chosen: others in the same file stay usable.
template <typename T>
struct Named {
  std::string name;
  std::string file;   // Where it is written.
  std::string where;  // "clusters[2]"
  absl::Status usable;
  T value;
};
struct Kubeconfig {
  std::string current_context;
  std::vector<Named<KubeconfigCluster>> clusters;
  std::vector<Named<KubeconfigUser>> users;
  std::vector<Named<KubeconfigContext>> contexts;
};

// `file` is for messages and for resolving relative paths against its folder. Errors
// (kInvalidArgument) name file, path inside it and remedy, and never quote a secret.
absl::StatusOr<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& file);

// Entries of `first` win over entries of the same name in `second`.
Kubeconfig MergeKubeconfigs(Kubeconfig first, const Kubeconfig& second);

// Picks a context (empty: the current one).
absl::StatusOr<ClientConfig> SelectContext(const Kubeconfig& kubeconfig, std::string_view context);

// Flags and surroundings of the process.
struct ConfigSources {
  std::string kubeconfig;  // --kubeconfig
  std::string master;      // --master: replaces the server's address.
  std::string context;     // --context
  // Daemons look into their pod before ~/.kube/config, command lines after it.
  bool in_cluster_first = false;
  std::function<std::optional<std::string>(std::string_view)> environment;  // Empty: getenv.
  std::string service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// Order: --kubeconfig; the files of $KUBECONFIG, merged; ~/.kube/config and in-cluster
// (see `in_cluster_first`); --master alone. `origin` tells which it was. Blocks while it reads the
// files.
absl::StatusOr<ClientConfig> LoadClientConfig(const ConfigSources& sources);

// $KUBERNETES_SERVICE_HOST, _PORT and the service account's files. kNotFound outside a cluster.
absl::StatusOr<ClientConfig> InClusterConfig(const ConfigSources& sources);

}  // namespace bth::client
