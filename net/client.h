// HTTP/1.1 client over TCP and TLS with a pool of kept-alive connections.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/awaitable.h"
#include "net/http.h"

namespace bth::net {

// How to trust and identify; PEM texts, empty = absent.
struct TlsOptions {
  bool enabled = false;
  bool insecure_skip_verify = false;
  std::string ca_pem;  // Each is an end of a chain, self-signed or not. Empty: the system's roots.
  std::string certificate_pem;  // Client certificate and key, or neither.
  std::string key_pem;
  std::string server_name;  // SNI and verified name; empty: the host.
};

struct ClientOptions {
  std::string host;
  uint16_t port = 443;
  TlsOptions tls;
  int connections_max = 32;  // For Fetch; further calls queue in order.
  int streams_max = 64;      // For Open, apart from the former.
  absl::Duration connect_timeout = absl::Seconds(10);
  absl::Duration idle_timeout = absl::Seconds(90);  // An idle connection is closed after this.
  size_t header_bytes_max = 64 << 10;
};

// The server showed a certificate that TlsOptions do not allow: no later attempt with the same
// certificates goes better.
bool IsCertificateRefused(const absl::Status& status);

// A request whose kept-alive connection turns out closed before any byte of the answer came is
// sent once more on a fresh connection if it is idempotent (GET, HEAD) or provably was not sent.
// Thread: the executor's.
absl::StatusOr<std::unique_ptr<Transport>> MakeHttpClient(Executor& executor,
                                                          ClientOptions options);

}  // namespace bth::net
