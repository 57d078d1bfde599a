// The HTTP servers of a daemon: health on one address, metrics and debug pages on another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cmd/common/daemon_flags.h"
#include "net/awaitable.h"
#include "net/server.h"

namespace bth::cmd {

struct Endpoint {
  std::string host;  // A numeric address.
  uint16_t port = 0;
};
// ":8080" (every address), "127.0.0.1:80", "[::1]:80", "localhost:80".
absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text);

// A server without TLS on `address`, for pages that show no secrets.
absl::StatusOr<std::unique_ptr<net::Server>> ServePages(net::Executor& executor,
                                                        std::string_view address,
                                                        net::Handler pages);

// Serves while it lives. Thread: I/O.
class PageServers final {
 public:
  // Errors: a health server that cannot be started. Metrics are not worth ending for: a server
  // of theirs that cannot be started is logged.
  static absl::StatusOr<std::unique_ptr<PageServers>> Start(net::Executor& executor,
                                                            const PageFlags& flags,
                                                            net::Handler pages);
  ~PageServers();

 private:
  PageServers(net::Executor& executor, const PageFlags& flags)
      : executor_(executor), flags_(flags) {}
  absl::Status StartHealth(net::Handler pages);
  absl::StatusOr<net::ServerTls> ReadCertificates() const;
  void RefreshCertificates();

  net::Executor& executor_;
  const PageFlags flags_;
  net::ServerTls certificates_;
  net::Executor::TimerId timer_ = 0;
  std::unique_ptr<net::Server> health_;
  std::unique_ptr<net::Server> metrics_;
};

}  // namespace bth::cmd
