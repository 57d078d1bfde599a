// Plain text that a server sends over time: the log of a container.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "net/http.h"

namespace bth::client {

// Holds one piece at a time, however long the text is. Ends with the object: destroying it closes
// the connection. Thread: the executor's.
class TextStream final {
 public:
  // `transport` is kept alive while the stream lives.
  TextStream(std::shared_ptr<net::Transport> transport, net::Response response)
      : transport_(std::move(transport)), response_(std::move(response)) {}

  // The next piece as it came, never empty, or nothing at the orderly end; not to be called after
  // that, or after an error. Errors: kUnavailable (broken off), kCancelled.
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next();

 private:
  std::shared_ptr<net::Transport> transport_;
  net::Response response_;
};

}  // namespace bth::client
