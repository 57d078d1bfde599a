// The transport to one API server, made anew when its certificates change.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/client_config.h"
#include "client/credential_source.h"
#include "net/client.h"
#include "net/http.h"

namespace bth::client {

// Usually net::MakeHttpClient bound to an executor.
using TransportFactory =
    std::function<absl::StatusOr<std::unique_ptr<net::Transport>>(net::ClientOptions options)>;

// Requests under way keep the transport they began with. Thread: the executor's.
class Connection final {
 public:
  // `options` gives the pool sizes and timeouts; host, port and TLS come from `config`.
  Connection(net::Executor& executor, ClientConfig config, net::ClientOptions options,
             TransportFactory factory);
  // One transport for ever: in-process servers, tests.
  Connection(net::Executor& executor, std::shared_ptr<net::Transport> transport);
  Connection(const Connection&) = delete;

  // Reads certificate files again every ten seconds at most. Files that are broken for the moment
  // (half rotated) keep the former transport in use; errors come only when there is none.
  absl::StatusOr<std::shared_ptr<net::Transport>> Get(const Identity& identity);

 private:
  absl::StatusOr<net::TlsOptions> ReadTls(const Identity& identity) const;
  absl::Status Renew(const Identity& identity);

  net::Executor& executor_;
  const ClientConfig config_;
  net::ClientOptions options_;      // tls: what `transport_` was made with.
  const TransportFactory factory_;  // Empty: the transport is fixed.
  std::shared_ptr<net::Transport> transport_;
  absl::Duration checked_at_;
  uint64_t identity_generation_ = 0;
};

}  // namespace bth::client
