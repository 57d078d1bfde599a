#include <algorithm>

#include "base/status.h"
#include "net/detail/http_parser.h"

namespace bth::net::detail {

namespace {

constexpr unsigned kSizeDigitsMax = 15;       // Sizes stay far below 2^63.
constexpr size_t kExtensionBytesMax = 1024;   // Per chunk.
constexpr size_t kTrailerBytesMax = 8 << 10;  // All trailers; they are read and dropped.

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::Status BadChunk() {
  return absl::InvalidArgumentError("malformed HTTP message: bad chunked coding");
}

}  // namespace

absl::StatusOr<size_t> ChunkDecoder::Decode(std::string_view in, size_t out_max, std::string& out) {
  size_t used = 0;
  while (used < in.size() && state_ != State::kDone) {
    if (state_ != State::kData) {
      BTH_RETURN_IF_ERROR(Step(in[used]));
      ++used;
      continue;
    }
    const size_t room = out_max > out.size() ? out_max - out.size() : 0;
    if (room == 0) break;
    const auto take = static_cast<size_t>(
        std::min<uint64_t>({left_, uint64_t{in.size() - used}, uint64_t{room}}));
    out.append(in.substr(used, take));
    used += take;
    left_ -= take;
    if (left_ == 0) state_ = State::kDataReturn;
  }
  return used;
}

absl::Status ChunkDecoder::StepSize(char c) {
  const int digit = HexValue(c);
  if (digit >= 0) {
    if (++digits_ > kSizeDigitsMax) return BadChunk();
    left_ = left_ * 16 + static_cast<uint64_t>(digit);
    return absl::OkStatus();
  }
  if (digits_ == 0) return BadChunk();
  if (c == '\r') {
    state_ = State::kSizeEnd;
    return absl::OkStatus();
  }
  if (c != ';' && c != ' ' && c != '\t') return BadChunk();
  state_ = State::kExtension;
  overhead_ = 0;
  return absl::OkStatus();
}

absl::Status ChunkDecoder::Step(char c) {
  const auto expect = [this, c](char wanted, State next) {
    if (c != wanted) return BadChunk();
    state_ = next;
    return absl::OkStatus();
  };
  switch (state_) {
    case State::kSize:
      return StepSize(c);
    case State::kExtension:
      if (c == '\n' || ++overhead_ > kExtensionBytesMax) return BadChunk();
      if (c == '\r') state_ = State::kSizeEnd;
      return absl::OkStatus();
    case State::kSizeEnd:
      digits_ = 0;
      overhead_ = 0;
      return expect('\n', left_ > 0 ? State::kData : State::kTrailer);
    case State::kDataReturn:
      return expect('\r', State::kDataEnd);
    case State::kDataEnd:
      return expect('\n', State::kSize);
    case State::kTrailer:  // At the start of a line: an empty one ends the message.
      if (c == '\r') {
        state_ = State::kLastEnd;
        return absl::OkStatus();
      }
      state_ = State::kTrailerLine;
      [[fallthrough]];
    case State::kTrailerLine:
      if (c == '\n' || ++overhead_ > kTrailerBytesMax) return BadChunk();
      if (c == '\r') state_ = State::kTrailerEnd;
      return absl::OkStatus();
    case State::kTrailerEnd:
      return expect('\n', State::kTrailer);
    case State::kLastEnd:
      return expect('\n', State::kDone);
    case State::kData:
    case State::kDone:
      break;
  }
  return absl::OkStatus();
}

}  // namespace bth::net::detail
