// The server of the debug pages: on loopback for whoever is on this machine or in this pod; with a
// certificate over TLS, for those whom the API server lets in.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/access_review.h"
#include "client/api_client.h"
#include "cmd/common/debug_flags.h"
#include "cmd/common/served_certificates.h"
#include "metrics/registry.h"
#include "net/http.h"
#include "net/server.h"

namespace bth::cmd {

// Serves while it lives. Thread: I/O.
class DebugServer final {
 public:
  // What the server stands on; all of it outlives the server.
  struct Context {
    net::Executor& executor;
    metrics::Registry& registry;
    // A connection for reviews alone; called with TLS only. Not the daemon's own: a standby must
    // not write with that one, and reviews are POSTs.
    std::function<absl::StatusOr<std::unique_ptr<client::ApiClient>>()> connect;
  };
  // Null when there is no address, or none that can be bound, which is logged: the debug pages are
  // not worth ending for. Errors: a certificate that cannot be used. `flags` are checked.
  static absl::StatusOr<std::unique_ptr<DebugServer>> Start(const Context& context,
                                                            const DebugFlags& flags,
                                                            net::Handler pages);

  uint16_t port() const { return server_->port(); }

 private:
  DebugServer() = default;
  absl::Status Secure(const Context& context, const DebugFlags& flags, net::Handler* pages);

  // In order of building; they go in the reverse order.
  std::unique_ptr<client::ApiClient> api_;  // The first three: null without TLS.
  std::unique_ptr<client::AccessReview> review_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<ServedCertificates> certificates_;
};

}  // namespace bth::cmd
