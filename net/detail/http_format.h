// Heads of messages as bytes, written by Boost.Beast.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/http.h"

namespace bth::net::detail {

// Of the given fields those that frame the message are left out: the sender sets them itself.
// kInvalidArgument if a field could not be told from two, such as a value with a line feed, or is
// longer than 65,533 bytes.

// The head of a request with a body of `request.body.size()` bytes.
absl::StatusOr<std::string> FormatRequestHead(const Request& request, std::string_view host);

struct ResponseFraming {
  bool chunked = false;
  bool with_length = true;
  bool keep_alive = true;
  bool http_1_0 = false;
  std::string_view date;
};
absl::StatusOr<std::string> FormatResponseHead(const Response& response,
                                               const ResponseFraming& framing);

}  // namespace bth::net::detail
