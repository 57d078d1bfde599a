// Heads and bodies of messages as they arrive: what client and server share.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/detail/channel.h"
#include "net/detail/http_parser.h"

namespace bth::net::detail {

// Waits for a whole head in the channel's input and returns its length. kResourceExhausted: it is
// longer than `bytes_max`; kUnavailable: the connection ended before.
Awaitable<absl::StatusOr<size_t>> AwaitHead(Channel& channel, size_t bytes_max);

// Reads one message's body.
class BodyReader {
 public:
  BodyReader(Framing framing, uint64_t content_length)
      : framing_(framing), left_(framing == Framing::kLength ? content_length : 0) {}

  // Appends at least one byte to `out`, which never grows beyond `out_max` (a caller leaves room
  // for one), or returns false at the body's end. kUnavailable: it broke off before.
  Awaitable<absl::StatusOr<bool>> ReadPiece(Channel& channel, size_t out_max, std::string& out);
  // True when nothing of the body is left on the wire.
  bool done() const;

 private:
  const Framing framing_;
  uint64_t left_;
  bool closed_ = false;
  ChunkDecoder chunks_;
};

}  // namespace bth::net::detail
