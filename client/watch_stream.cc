#include "client/watch_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace bth::client {

absl::Status WatchStream::Split(std::string piece, std::vector<std::string>* lines) {
  size_t begin = 0;
  for (;;) {
    const size_t end = piece.find('\n', begin);
    const size_t length = (end == std::string::npos ? piece.size() : end) - begin;
    if (partial_.size() + length > line_bytes_max_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("watch: an event is larger than the limit of ", line_bytes_max_, " bytes"));
    }
    partial_.append(piece, begin, length);
    if (end == std::string::npos) return absl::OkStatus();
    if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
    if (!partial_.empty()) lines->push_back(std::exchange(partial_, std::string()));
    begin = end + 1;
  }
}

net::Awaitable<absl::StatusOr<std::vector<std::string>>> WatchStream::NextBatch() {
  // A named result: GCC 12 at -O3 hands out an unmade one when the local itself is returned.
  absl::StatusOr<std::vector<std::string>> lines(absl::in_place);
  while (lines->empty() && !ended_) {
    if (response_.stream == nullptr) {
      // The answer came whole: a server may end a watch at once.
      ended_ = true;
      const absl::Status split = Split(std::exchange(response_.body, std::string()), &*lines);
      if (!split.ok()) co_return split;
      continue;
    }
    absl::StatusOr<std::optional<std::string>> next = co_await response_.stream->Next();
    ended_ = !next.ok() || !next->has_value();
    if (!next.ok()) co_return next.status();
    if (!next->has_value()) break;
    const absl::Status split = Split(std::move(**next), &*lines);
    if (!split.ok()) co_return split;
  }
  if (ended_ && lines->empty() && !partial_.empty()) {
    partial_.clear();
    co_return absl::UnavailableError("watch: the connection ended in the middle of an event");
  }
  co_return std::move(lines);
}

net::Awaitable<absl::StatusOr<std::optional<std::string>>> WatchStream::Next() {
  if (ready_at_ == ready_.size()) {
    ready_at_ = 0;
    ready_.clear();
    BTH_CO_ASSIGN_OR_RETURN(ready_, co_await NextBatch());
  }
  if (ready_.empty()) co_return std::nullopt;
  co_return std::move(ready_[ready_at_++]);
}

}  // namespace bth::client
