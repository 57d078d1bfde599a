// How the scheduling thread asks HTTP servers outside the cluster's API.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace bth::framework {

// Implemented by the daemon on its network thread; tests give their own.
class HttpPort {
 public:
  virtual ~HttpPort() = default;

  struct Request {
    std::string method = "POST";
    std::string url;
    std::string content_type = "application/json";
    std::string body;
    absl::Duration timeout = absl::Seconds(1);  // From its own start, queueing excluded.
    size_t response_max_bytes = 1 << 20;
  };
  using Answer = absl::StatusOr<std::string>;
  // The bodies of the answers with status 200, in the order of the requests, which are sent side by
  // side over a few connections. After a request that failed with kDeadlineExceeded or
  // kUnavailable, requests that were not sent yet fail in the same way without being sent. Blocks
  // the calling (scheduling) thread, so that a server that hangs costs one timeout.
  // kDeadlineExceeded: too late; kResourceExhausted: more bytes than allowed; kUnavailable: no
  // connection; kFailedPrecondition: another status, which the message names; kInvalidArgument: the
  // URL cannot be used.
  virtual std::vector<Answer> Exchange(absl::Span<const Request> requests) = 0;
};

}  // namespace bth::framework
