// Takes the answer of a list apart while it arrives, so that it never lies in memory as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bth::client {

// Pieces go in, lists of the items that are complete come out, and what is around the items comes
// last: "{kind, metadata, items: []}". Everything that comes out is a list of its own, to be read
// by types::DecodeList. Checks brackets and commas only; the rest is the reader's business.
// About 1 ns per byte. Thread: one owner.
class ListSplitter final {
 public:
  // No item may be longer than `item_bytes_max`, nor what is around them.
  explicit ListSplitter(size_t item_bytes_max) : item_bytes_max_(item_bytes_max) {}

  // Errors: kResourceExhausted (an item is too long), kDataLoss (not a list).
  absl::Status Feed(std::string_view piece);
  // The items completed since the last call; empty when there are none.
  std::string TakeItems();
  // After the last piece: what is around the items. kUnavailable when the list has not ended.
  absl::Status End(std::string* around) const;

 private:
  enum class Place { kAround, kBeforeFirst, kBeforeNext, kInItem, kAfterItem, kAfterItems };
  // Both return where they stopped.
  size_t ScanItem(std::string_view piece, size_t at);
  size_t ScanString(std::string_view piece, size_t at);
  absl::Status Around(char c);
  absl::Status Between(char c);
  void CompleteItem();

  const size_t item_bytes_max_;
  Place place_ = Place::kAround;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool key_next_ = false;  // A string that begins now, in the outermost object, is a key.
  bool in_key_ = false;
  std::string key_;  // The last key of the outermost object.
  std::string around_;
  std::string items_;    // Complete ones, then the one under way.
  size_t complete_ = 0;  // Bytes of `items_`.
};

}  // namespace bth::client
