// How plugins ask services outside the cluster's API.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::framework {

// Implemented by the daemon on its network thread; tests give their own. May be null in a session:
// then whatever needs it must say so.
class HttpPort {
 public:
  virtual ~HttpPort() = default;

  struct Request {
    std::string method = "POST";
    std::string url;
    std::string content_type = "application/json";
    std::string body;
    absl::Duration timeout = absl::Seconds(1);
    size_t response_max_bytes = 1 << 20;
  };
  // The body of a 2xx answer. Blocks the calling (scheduling) thread, at most `timeout`.
  // kDeadlineExceeded: too late; kResourceExhausted: more bytes than allowed; kUnavailable: no
  // connection, or another status than 2xx, which the message names.
  virtual absl::StatusOr<std::string> Exchange(const Request& request) = 0;
};

}  // namespace bth::framework
