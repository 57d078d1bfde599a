#include "net/detail/message.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace bth::net::detail {

namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr size_t kReserveBytesMax = 1 << 20;  // What a declared length alone can make us reserve.

}  // namespace

Awaitable<absl::StatusOr<size_t>> AwaitHead(Channel& channel, size_t bytes_max) {
  size_t searched = 0;
  for (;;) {
    const std::string_view input = channel.input();
    const std::optional<size_t> length = FindHeadEnd(input, searched);
    if (length.value_or(input.size()) > bytes_max) {
      co_return absl::ResourceExhaustedError(
          StrCat("HTTP header is larger than ", bytes_max, " bytes"));
    }
    if (length.has_value()) co_return *length;
    searched = input.size();
    const absl::StatusOr<bool> more = co_await channel.Fill();
    if (!more.ok()) co_return more.status();
    if (!*more) co_return absl::UnavailableError("connection closed");
  }
}

bool BodyReader::done() const {
  switch (framing_) {
    case Framing::kNone:
      return true;
    case Framing::kLength:
      return left_ == 0;
    case Framing::kChunked:
      return chunks_.done();
    case Framing::kUntilClose:
      return closed_;
  }
  return true;
}

Awaitable<absl::StatusOr<bool>> BodyReader::ReadPiece(Channel& channel, size_t out_max,
                                                      std::string& out) {
  const size_t before = out.size();
  BTH_CHECK(before < out_max);
  const size_t room = out_max - before;
  while (!done()) {
    const std::string_view input = channel.input();
    if (!input.empty()) {
      size_t used = 0;
      if (framing_ == Framing::kChunked) {
        const absl::StatusOr<size_t> decoded = chunks_.Decode(input, out_max, out);
        if (!decoded.ok()) co_return decoded.status();
        used = *decoded;
      } else {
        used = std::min(input.size(), room);
        if (framing_ == Framing::kLength) used = std::min<uint64_t>(used, left_);
        if (framing_ == Framing::kLength && before == 0) {
          out.reserve(std::min({static_cast<size_t>(left_), kReserveBytesMax, room}));
        }
        out.append(input.substr(0, used));
        left_ -= std::min<uint64_t>(left_, used);
      }
      channel.Consume(used);
      if (out.size() > before) co_return true;
      continue;
    }
    if (framing_ == Framing::kLength) {
      // Straight from the socket into the body.
      const size_t size = std::min<uint64_t>({left_, kPieceBytes, room});
      out.resize(before + size);
      const absl::StatusOr<size_t> got = co_await channel.Read(out.data() + before, size);
      out.resize(before + (got.ok() ? *got : 0));
      if (!got.ok()) co_return got.status();
      if (*got == 0) break;
      left_ -= *got;
      co_return true;
    }
    const absl::StatusOr<bool> more = co_await channel.Fill();
    if (!more.ok()) co_return more.status();
    if (*more) continue;
    closed_ = true;
    if (framing_ == Framing::kUntilClose) co_return false;
    break;
  }
  if (done()) co_return false;
  co_return absl::UnavailableError("connection closed in the middle of a body");
}

}  // namespace bth::net::detail
