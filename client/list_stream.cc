#include "client/list_stream.h"

#include <optional>

#include "base/status.h"
#include "client/encoding.h"

namespace bth::client {

ListStream::ListStream(std::shared_ptr<net::Transport> transport, net::Response response,
                       size_t item_bytes_max)
    : transport_(std::move(transport)),
      response_(std::move(response)),
      splitter_(std::in_place_type<ListSplitter>, item_bytes_max) {
  if (EncodingOf(response_.headers) == types::Encoding::kProtobuf) {
    splitter_.emplace<ProtobufListSplitter>(item_bytes_max);
  }
}

absl::Status ListStream::Feed(std::string_view piece, std::string* items) {
  return std::visit(
      [&](auto& splitter) {
        absl::Status status = splitter.Feed(piece);
        *items = splitter.TakeItems();
        return status;
      },
      splitter_);
}

absl::Status ListStream::End(std::string* around) const {
  return std::visit([&](const auto& splitter) { return splitter.End(around); }, splitter_);
}

net::Awaitable<absl::StatusOr<ListStream::Part>> ListStream::Next() {
  Part part;
  while (!ended_) {
    std::string piece;
    if (response_.stream == nullptr) {
      ended_ = true;  // The answer came whole.
      piece = std::move(response_.body);
    } else {
      absl::StatusOr<std::optional<std::string>> next = co_await response_.stream->Next();
      if (!next.ok()) co_return next.status();
      ended_ = !next->has_value();
      if (!ended_) piece = std::move(**next);
    }
    BTH_CO_RETURN_IF_ERROR(Feed(piece, &part.text));
    if (!part.text.empty()) co_return std::move(part);
  }
  part.last = true;
  BTH_CO_RETURN_IF_ERROR(End(&part.text));
  co_return std::move(part);
}

}  // namespace bth::client
