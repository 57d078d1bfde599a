#include "client/watch_stream.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::client {

namespace {

// Whoever reads a line in place may need some bytes behind it.
constexpr size_t kRoomBehind = 16;
constexpr size_t kFrameStart = 4;  // The length of what follows, big-endian.

absl::Status TooLong(size_t line_bytes_max) {
  return absl::ResourceExhaustedError(
      StrCat("watch: an event is larger than the limit of ", line_bytes_max, " bytes"));
}

size_t FrameLength(std::string_view start) {
  size_t length = 0;
  for (const char byte : start.substr(0, kFrameStart)) {
    length = length << 8 | static_cast<unsigned char>(byte);
  }
  return length;
}

}  // namespace

absl::Status WatchStream::Split(std::string_view piece, std::vector<std::string>* lines) {
  return encoding_ == types::Encoding::kProtobuf ? SplitFrames(piece, lines)
                                                 : SplitLines(piece, lines);
}

absl::Status WatchStream::SplitLines(std::string_view piece, std::vector<std::string>* lines) {
  size_t begin = 0;
  for (;;) {
    const size_t end = piece.find('\n', begin);
    const size_t length = (end == piece.npos ? piece.size() : end) - begin;
    if (partial_.size() + length > line_bytes_max_) return TooLong(line_bytes_max_);
    partial_.reserve(partial_.size() + length + kRoomBehind);
    partial_.append(piece, begin, length);
    if (end == piece.npos) return absl::OkStatus();
    if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
    if (!partial_.empty()) lines->push_back(std::exchange(partial_, std::string()));
    begin = end + 1;
  }
}

absl::Status WatchStream::SplitFrames(std::string_view piece, std::vector<std::string>* lines) {
  partial_.append(piece);
  std::string_view rest = partial_;
  while (rest.size() >= kFrameStart) {
    const size_t length = FrameLength(rest);
    if (length > line_bytes_max_) return TooLong(line_bytes_max_);
    if (rest.size() - kFrameStart < length) break;
    if (length > 0) lines->emplace_back(rest.substr(kFrameStart, length));
    rest.remove_prefix(kFrameStart + length);
  }
  partial_.erase(0, partial_.size() - rest.size());
  return absl::OkStatus();
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
    const absl::Status split = Split(**next, &*lines);
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
