// A daemon's connections to the API server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/api_client.h"
#include "client/client_config.h"
#include "client/server_contact.h"
#include "cmd/common/daemon_flags.h"
#include "metrics/client_metrics.h"
#include "net/io_context.h"

namespace bth::cmd {

// What an ApiClient calls after each request. `host` is the server's name in the metrics.
std::function<void(const client::CallRecord&)> CountCalls(metrics::ClientMetrics& metrics,
                                                          std::string host);

// What the connections of one daemon have in common. All of it outlives them.
struct DaemonLine {
  net::IoContext& io;
  const client::ClientConfig& config;  // Read while connecting only.
  std::string program;
  metrics::ClientMetrics& metrics;
  client::ServerContact* contact = nullptr;  // Of the lines for work and lease; may be null.
};

// Reads the configuration and logs which server it chose, and what for.
absl::StatusOr<client::ClientConfig> ChooseServer(const ApiFlags& flags);

// `on_hopeless` ends the daemon: see client::ServerContactOptions.
std::unique_ptr<client::ServerContact> MakeContact(
    net::IoContext& io, const client::ClientConfig& config,
    std::function<void(const absl::Status&)> on_hopeless);

// For the daemon's work. `may_write` (may be empty) as in client::ApiClientOptions.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForWork(const DaemonLine& line,
                                                                  const ApiFlags& flags,
                                                                  std::function<bool()> may_write);

// For asking who may see its pages: few requests, small answers, and whoever leads.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForReviews(const DaemonLine& line);

// For its lease alone: renewals never wait behind other requests.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForLease(const DaemonLine& line);

}  // namespace bth::cmd
