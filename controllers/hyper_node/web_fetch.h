// How a controller asks an HTTP server outside the cluster's API.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/api_client.h"

namespace bth::controllers {

struct WebRequest {
  std::string url;       // http:// or https://
  std::string username;  // HTTP basic authentication.
  std::string password;  // Never to be logged.
  bool insecure_skip_verify = false;
  absl::Duration timeout = absl::Seconds(30);
  size_t response_bytes_max = size_t{1} << 20;
};

// GET; the body of an answer with status 200. kDeadlineExceeded: too late; kResourceExhausted: more
// bytes than allowed; kUnavailable: no connection; kFailedPrecondition: another status;
// kInvalidArgument: the URL cannot be used. Destroying what it returns ends the exchange.
// Given by the process. Thread: the executor's.
using WebFetch = std::function<net::Awaitable<absl::StatusOr<std::string>>(WebRequest request)>;

}  // namespace bth::controllers
