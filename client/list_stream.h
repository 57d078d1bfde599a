// The answer of one list request, read while it arrives.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "api/types/codec.h"
#include "client/list_splitter.h"
#include "client/protobuf_list_splitter.h"
#include "net/http.h"

namespace bth::client {

// Holds a few items at a time, however long the list is. Ends with the object. Thread: the
// executor's.
class ListStream final {
 public:
  // `transport` is kept alive while the stream lives.
  ListStream(std::shared_ptr<net::Transport> transport, net::Response response,
             size_t item_bytes_max);

  // How the parts are written: the server's choice.
  types::Encoding encoding() const {
    return splitter_.index() == 0 ? types::Encoding::kJson : types::Encoding::kProtobuf;
  }

  // A list of its own, for types::DecodeList: of items that have arrived, or, as the last part,
  // of none, with the metadata of the whole. Not to be called after that, or after an error.
  struct Part {
    std::string text;
    bool last = false;
  };
  // Errors: kUnavailable (broken off), kDataLoss (not a list), kResourceExhausted (an item is too
  // long), kCancelled.
  net::Awaitable<absl::StatusOr<Part>> Next();

 private:
  absl::Status Feed(std::string_view piece, std::string* items);
  absl::Status End(std::string* around) const;

  std::shared_ptr<net::Transport> transport_;
  net::Response response_;
  std::variant<ListSplitter, ProtobufListSplitter> splitter_;
  bool ended_ = false;
};

}  // namespace bth::client
