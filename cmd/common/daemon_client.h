// A daemon's connections to the API server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/api_client.h"
#include "client/client_config.h"
#include "cmd/common/daemon_flags.h"
#include "metrics/client_metrics.h"
#include "net/io_context.h"

namespace bth::cmd {

// What an ApiClient calls after each request. `host` is the server's name in the metrics.
std::function<void(const client::CallRecord&)> CountCalls(metrics::ClientMetrics& metrics,
                                                          std::string host);

// For the daemon's work. `may_write` (may be empty) as in client::ApiClientOptions. `metrics`
// outlives the client.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForWork(
    net::IoContext& io, const client::ClientConfig& config, const ApiFlags& flags,
    const std::string& program, metrics::ClientMetrics& metrics, std::function<bool()> may_write);

// For asking who may see its pages: few requests, small answers, and whoever leads.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForReviews(
    net::IoContext& io, const client::ClientConfig& config, const std::string& program,
    metrics::ClientMetrics& metrics);

// For its lease alone: renewals never wait behind other requests.
absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForLease(
    net::IoContext& io, const client::ClientConfig& config, const std::string& program,
    metrics::ClientMetrics& metrics);

}  // namespace bth::cmd
