#include "client/text_stream.h"

namespace bth::client {

net::Awaitable<absl::StatusOr<std::optional<std::string>>> TextStream::Next() {
  using Piece = absl::StatusOr<std::optional<std::string>>;
  if (response_.stream == nullptr) {  // The answer came whole.
    std::string whole = std::exchange(response_.body, std::string());
    if (whole.empty()) co_return Piece(std::nullopt);
    co_return Piece(std::move(whole));
  }
  Piece piece = co_await response_.stream->Next();
  co_return std::move(piece);
}

}  // namespace bth::client
