// Takes the answer of a list in protobuf apart while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bth::client {

// As ListSplitter, for the other encoding: what comes out are messages for types::DecodeList with
// Encoding::kProtobuf, some items each, and last one without items. Looks at the borders of the
// list's own fields only. Thread: one owner.
class ProtobufListSplitter final {
 public:
  // No item may be longer than `item_bytes_max`, nor what is around them.
  explicit ProtobufListSplitter(size_t item_bytes_max) : item_bytes_max_(item_bytes_max) {}

  // Errors: kResourceExhausted (an item is too long), kDataLoss (not a list).
  absl::Status Feed(std::string_view piece);
  // The items completed since the last call; empty when there are none.
  std::string TakeItems();
  // After the last piece: what is around the items. kUnavailable when the list has not ended.
  absl::Status End(std::string* around) const;

 private:
  enum class Place { kMagic, kEnvelope, kList };
  // Reads one field, or the magic, off the front of `*rest`. False: it is not there yet.
  absl::StatusOr<bool> Step(std::string_view* rest);

  const size_t item_bytes_max_;
  Place place_ = Place::kMagic;
  bool has_list_ = false;
  uint64_t list_left_ = 0;  // Bytes of the list's message that are still to come.
  std::string pending_;     // The beginning of a field.
  std::string items_;
  std::string around_;
};

}  // namespace bth::client
