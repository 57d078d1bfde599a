// A Cluster over the network.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/session/session.h"

namespace bth::cli {

struct ConnectOptions {
  std::function<std::optional<std::string>(std::string_view)> variable;  // Of the environment.
  std::string user_agent;
  // A person reads stderr: credential programs may speak there, and take the time that a login
  // takes.
  bool is_watched = false;
  // Where pods find who they are; for tests.
  std::string service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// Order: --kubeconfig; the files of $KUBECONFIG, merged; ~/.kube/config; the service account of the
// pod; $KUBERNETES_MASTER; http://localhost:8080. --master replaces the address. Sends nothing.
absl::StatusOr<std::unique_ptr<Cluster>> ConnectToCluster(const ClusterFlags& flags,
                                                          const ConnectOptions& options);

}  // namespace bth::cli
