// The HTTP servers of a daemon that need no permission: health on one address, metrics on another.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/endpoint.h"
#include "cmd/common/served_certificates.h"
#include "net/awaitable.h"
#include "net/server.h"

namespace bth::cmd {

// The address "::" also serves IPv4; on machines without IPv6 that alone.
absl::StatusOr<std::unique_ptr<net::Server>> ListenOn(net::Executor& executor,
                                                      net::ServerOptions options,
                                                      net::Handler handler);

// A server on `address`; `tls` null: without TLS, for pages that show no secrets.
absl::StatusOr<std::unique_ptr<net::Server>> ServePages(net::Executor& executor,
                                                        std::string_view address,
                                                        net::Handler pages,
                                                        const net::ServerTls* tls = nullptr);

// Logs where `server`, which was asked to listen on `address`, does.
void LogServed(std::string_view event, std::string_view address, const net::Server& server,
               bool tls);

// Serves while it lives. Thread: I/O.
class PageServers final {
 public:
  // Errors: a health server that cannot be started. Metrics are not worth ending for: a server
  // of theirs that cannot be started is logged.
  static absl::StatusOr<std::unique_ptr<PageServers>> Start(net::Executor& executor,
                                                            const PageFlags& flags,
                                                            net::Handler pages);

 private:
  PageServers(net::Executor& executor, const PageFlags& flags)
      : executor_(executor), flags_(flags) {}
  absl::Status StartHealth(net::Handler pages);

  net::Executor& executor_;
  const PageFlags flags_;
  std::unique_ptr<net::Server> health_;
  std::unique_ptr<net::Server> metrics_;
  std::unique_ptr<ServedCertificates> certificates_;  // Of the health server; null without TLS.
};

}  // namespace bth::cmd
