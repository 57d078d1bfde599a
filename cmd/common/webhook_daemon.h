// vc-webhook-manager from its flags to its exit code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "admission/webhooks/admission_file.h"
#include "admission/webhooks/certificate_keeper.h"
#include "admission/webhooks/cluster_feed.h"
#include "admission/webhooks/queue_access.h"
#include "admission/webhooks/registration.h"
#include "admission/webhooks/review_handler.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/server_contact.h"
#include "cmd/common/daemon_client.h"
#include "cmd/common/daemon_gauges.h"
#include "cmd/common/page_servers.h"
#include "cmd/common/webhook_flags.h"
#include "metrics/admission_metrics.h"
#include "metrics/registry.h"
#include "net/io_context.h"
#include "net/server.h"

namespace bth::cmd {

// Every replica serves; there is no leader. Order of the start: pages, the API server's version,
// first lists, certificate, the webhooks' server, registrations. Thread: the one that runs the
// loop. `io` outlives it.
class WebhookDaemon final {
 public:
  // Reads the kubeconfig and serves the pages. Errors say what to change.
  static absl::StatusOr<std::unique_ptr<WebhookDaemon>> Create(net::IoContext& io,
                                                               const WebhookFlags& flags);

  // Runs until a signal; returns the exit code. An error says why webhooks can never be served.
  absl::StatusOr<int> Run();

  // Says why on stderr; returns the exit code of what Volcano's calls fatal.
  static int Fatal(const absl::Status& why);

 private:
  WebhookDaemon(net::IoContext& io, const WebhookFlags& flags,
                std::vector<const admission::Webhook*> webhooks);
  absl::Status Wire();
  absl::Status Connect();
  void MakeCertificates();
  net::Awaitable<void> Start();
  net::Awaitable<absl::Status> Begin();
  // Kubernetes' gates have the defaults of the API server's version.
  net::Awaitable<void> AlignGates();
  net::Awaitable<void> AwaitLists();
  absl::Status Install(const admission::ServingCertificate& certificate);
  absl::Status Listen(const net::ServerTls& tls);
  void FollowFile();
  void GiveUp(const absl::Status& why);
  void OnStopSignal();
  net::Awaitable<void> Stop();
  net::Awaitable<net::Response> Page(net::Request request);
  // What it lacks to be ready; empty: nothing.
  std::string Lacking() const;

  net::IoContext& io_;
  const WebhookFlags flags_;
  const std::vector<const admission::Webhook*> webhooks_;
  conf::FeatureGates gates_;
  Rng rng_;
  // In order of building; they go in the reverse order, and that is the order of stopping: first
  // who is called from outside, then what they ask.
  metrics::Registry registry_;
  metrics::AdmissionMetrics metrics_;
  DaemonGauges gauges_;
  std::unique_ptr<client::ServerContact> contact_;
  std::unique_ptr<client::ApiClient> api_;
  std::unique_ptr<client::ApiClient>
      access_api_;  // Null without --check-queue-access, as the next.
  std::unique_ptr<admission::QueueAccess> access_;
  std::unique_ptr<admission::ClusterFeed> feed_;
  admission::AdmissionFile file_;
  std::unique_ptr<admission::ReviewHandler> handler_;
  std::unique_ptr<admission::CertificateSource> source_;
  std::unique_ptr<admission::Registration> registration_;
  std::unique_ptr<net::Server> server_;  // Null before the first certificate.
  std::unique_ptr<admission::CertificateKeeper> keeper_;
  std::unique_ptr<PageServers> pages_;
  client::Background start_;
  client::Background stop_;
  std::shared_ptr<void> escapes_;
  bool stopping_ = false;
  bool cannot_listen_ = false;
  int exit_code_ = 0;
  absl::Status given_up_;
};

}  // namespace bth::cmd
