// One HTTP server outside the cluster's API.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/client_config.h"
#include "client/connection.h"
#include "net/awaitable.h"
#include "net/http.h"

namespace bth::scheduler {

// Bounded in time and size; connections are kept alive. Lives longer than its calls.
// Thread: the executor's.
class WebClient final {
 public:
  struct Options {
    bool insecure_skip_verify = false;
    std::string username;  // Empty: no credentials.
    std::string password;
    int connections_max = 8;
  };
  // Errors (kInvalidArgument) name what cannot be used.
  static absl::StatusOr<std::unique_ptr<WebClient>> Create(const client::TransportFactory& factory,
                                                           const client::ServerUrl& server,
                                                           Options options);

  struct Call {
    std::string method = "GET";
    std::string path;  // Behind the server's own prefix, percent-encoded.
    std::string content_type;
    std::string body;
    absl::Duration timeout = absl::Seconds(10);
    size_t response_bytes_max = size_t{1} << 20;
    net::CancelToken cancel;
  };
  // The body of an answer with status 200. kDeadlineExceeded: too late; kResourceExhausted: more
  // bytes than allowed; kUnavailable: no connection; kFailedPrecondition: another status.
  net::Awaitable<absl::StatusOr<std::string>> Exchange(Call call);

 private:
  WebClient(std::unique_ptr<net::Transport> transport, const client::ServerUrl& server,
            const Options& options);

  const std::unique_ptr<net::Transport> transport_;
  const std::string prefix_;
  const std::string host_;
  std::string authorization_;  // Header value; empty: none.
};

}  // namespace bth::scheduler
