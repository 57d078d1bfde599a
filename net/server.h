// HTTP/1.1 server over TCP, TLS and Unix sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/awaitable.h"
#include "net/http.h"

namespace bth::net {

struct ServerTls {
  std::string certificate_pem;
  std::string key_pem;
  // When set, a client certificate is asked for and, if sent, verified. Each of them ends a chain,
  // self-signed or not.
  std::string client_ca_pem;
  bool client_certificate_required = false;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  // When set, the server listens on this Unix socket (mode 0700) and on no port. A socket that is
  // left over there is replaced, a file of another kind is not.
  std::string unix_path;
  uint16_t port = 0;  // 0: any free one.
  bool tls = false;
  ServerTls certificates;
  int connections_max = 4096;  // Further ones are refused with 503.
  size_t header_bytes_max = 64 << 10;
  size_t body_bytes_max = 8 << 20;
  std::string body_too_large;  // Text of the answer (413) to a larger one; empty: one of ours.
  absl::Duration header_timeout = absl::Seconds(5);
  absl::Duration read_timeout = absl::Seconds(30);
  absl::Duration write_timeout = absl::Seconds(60);  // Per written piece of a stream.
  absl::Duration idle_timeout = absl::Seconds(120);
};

// Listens while it lives. Destruction closes the listener and every connection.
// Thread: the executor's.
class Server {
 public:
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
  // New certificates for later connections. Running ones keep theirs.
  virtual absl::Status ReplaceCertificates(const ServerTls& certificates) = 0;
  // The orderly end: no further connection, idle ones are closed, and each of the others after the
  // answer it is at. True when nothing is left; false after `limit`. Called once; the server
  // outlives the coroutine.
  virtual Awaitable<bool> Drain(absl::Duration limit) = 0;
};

// Errors: the address cannot be bound (kUnavailable), bad PEM (kInvalidArgument).
absl::StatusOr<std::unique_ptr<Server>> StartServer(Executor& executor, ServerOptions options,
                                                    Handler handler);

}  // namespace bth::net
