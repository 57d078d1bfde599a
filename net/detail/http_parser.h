// HTTP/1.1 message heads and chunked bodies: strict parsing of bytes by Boost.Beast, no I/O.
//
// Strict on purpose: what two programs might read differently (bare line feeds, folded lines,
// length and chunking together, spaces before a colon) is refused, so that no request can be
// smuggled past a proxy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/http.h"

namespace bth::net::detail {

// Names of fields and most of their values: letters of either case are the same.
bool SameWord(std::string_view a, std::string_view b);

// How the body that follows a head is delimited.
enum class Framing { kNone, kLength, kChunked, kUntilClose };

struct RequestHead {
  std::string method;
  std::string target;  // Origin form or "*"; an absolute form is cut to its path.
  Headers headers;
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  Framing framing = Framing::kNone;
  uint64_t content_length = 0;  // For kLength.
};

struct ResponseHead {
  int status = 0;
  Headers headers;
  bool keep_alive = true;
  Framing framing = Framing::kNone;
  uint64_t content_length = 0;
};

// The length of the head at the start of `bytes`, its empty line included, or nothing if that has
// not come yet. `searched` bytes at the start are known not to hold the empty line's end.
std::optional<size_t> FindHeadEnd(std::string_view bytes, size_t searched);

// `head` is what FindHeadEnd measured. kInvalidArgument: not HTTP/1.x; kUnimplemented: a transfer
// coding other than chunked.
absl::StatusOr<RequestHead> ParseRequestHead(std::string_view head);
// `to_head`: the request was a HEAD, whose answer has no body whatever its fields say.
absl::StatusOr<ResponseHead> ParseResponseHead(std::string_view head, bool to_head);

// Takes a chunked body apart as it arrives. Memory: less than 10 KB, and one allocation of a fixed
// size per body.
class ChunkDecoder {
 public:
  ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) = delete;
  ~ChunkDecoder();
  // Reads from the front of `in`, appends data to `out` until it holds `out_max` bytes, and
  // returns how much of `in` was used. Less than everything is used only when done or when `out`
  // is full. kInvalidArgument: not chunked coding.
  absl::StatusOr<size_t> Decode(std::string_view in, size_t out_max, std::string& out);
  // The last chunk and the trailers have been read.
  bool done() const;

 private:
  class Parser;

  std::unique_ptr<Parser> parser_;  // Made by the first bytes.
  std::string framing_;             // What stands between two chunks' data, until it is complete.
};

}  // namespace bth::net::detail
