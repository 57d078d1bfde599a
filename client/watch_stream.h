// The events of a running watch.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/encoding.h"
#include "net/http.h"

namespace bth::client {

// One JSON document per line, or one protobuf message per frame, as the server sends them; both are
// called lines here. Ends with the object: destroying it closes the watch. Thread: the executor's.
class WatchStream final {
 public:
  // `transport` is kept alive while the stream lives. Lines beyond `line_bytes_max` end the watch.
  WatchStream(std::shared_ptr<net::Transport> transport, net::Response response,
              size_t line_bytes_max)
      : transport_(std::move(transport)),
        response_(std::move(response)),
        line_bytes_max_(line_bytes_max),
        encoding_(EncodingOf(response_.headers)) {}

  // How the lines are written: the server's choice.
  types::Encoding encoding() const { return encoding_; }

  // The lines that one read from the network completed: at least one, or none at the orderly end.
  // Errors: kUnavailable (broken off, or ended in the middle of a line), kResourceExhausted (line
  // too long), kCancelled.
  net::Awaitable<absl::StatusOr<std::vector<std::string>>> NextBatch();
  // One line, or nothing at the orderly end. Not to be mixed with NextBatch.
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next();

 private:
  absl::Status Split(std::string_view piece, std::vector<std::string>* lines);
  absl::Status SplitLines(std::string_view piece, std::vector<std::string>* lines);
  absl::Status SplitFrames(std::string_view piece, std::vector<std::string>* lines);

  std::shared_ptr<net::Transport> transport_;
  net::Response response_;
  size_t line_bytes_max_;
  types::Encoding encoding_;
  std::string partial_;             // The beginning of the next line.
  std::vector<std::string> ready_;  // For Next.
  size_t ready_at_ = 0;
  bool ended_ = false;
};

}  // namespace bth::client
