#include "client/list_stream.h"

#include <optional>

#include "base/status.h"

namespace bth::client {

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
    BTH_CO_RETURN_IF_ERROR(splitter_.Feed(piece));
    part.text = splitter_.TakeItems();
    if (!part.text.empty()) co_return std::move(part);
  }
  part.last = true;
  BTH_CO_RETURN_IF_ERROR(splitter_.End(&part.text));
  co_return std::move(part);
}

}  // namespace bth::client
