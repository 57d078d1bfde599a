#include "client/list_splitter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace bth::client {
namespace {

constexpr std::string_view kOpen = "{\"items\":[";
constexpr std::string_view kClose = "]}";
constexpr size_t kKeyBytesMax = 64;

// Bytes that matter outside of strings.
constexpr std::array<bool, 256> MakeDecides() {
  std::array<bool, 256> table{};
  for (const unsigned char c : {'"', '{', '}', '[', ']', ','}) table[c] = true;
  return table;
}
constexpr std::array<bool, 256> kDecides = MakeDecides();

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

absl::Status NotAList(std::string_view why) {
  return absl::DataLossError(StrCat("not a list: ", why));
}

}  // namespace

// Most of a list's bytes pass here: inside of an item nothing matters but quotes and brackets.
// Ends behind the item, before the byte that ends a bare word, or with the piece.
size_t ListSplitter::ScanItem(std::string_view piece, size_t at) {
  const size_t begin = at;
  int depth = depth_;
  bool complete = false;
  while (at < piece.size() && !complete) {
    if (in_string_) {
      at = ScanString(piece, at);
      complete = !in_string_ && depth == 2;
      continue;
    }
    const char c = piece[at];
    if (!kDecides[static_cast<unsigned char>(c)]) {
      ++at;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 2 && (closes || c == ',')) {
      complete = true;
      break;  // What follows a bare word is not part of it.
    }
    in_string_ = c == '"';
    depth += (c == '{' || c == '[') - closes;
    complete = closes && depth == 2;
    ++at;
  }
  depth_ = depth;
  items_.append(piece, begin, at - begin);
  if (complete) CompleteItem();
  return at;
}

// To the byte behind the closing quote, or to the end of the piece. Looks at each byte twice, both
// times with the vector code of the C library.
size_t ListSplitter::ScanString(std::string_view piece, size_t at) {
  if (escaped_) ++at;
  escaped_ = false;
  size_t quote = std::min(piece.find('"', at), piece.size());
  for (;;) {
    const size_t backslash = piece.substr(0, quote).find('\\', at);
    if (backslash == piece.npos) break;
    at = backslash + 2;
    if (at > piece.size()) {
      escaped_ = true;
      return piece.size();
    }
    if (at > quote) quote = std::min(piece.find('"', at), piece.size());
  }
  if (quote == piece.size()) return quote;
  in_string_ = false;
  return quote + 1;
}

absl::Status ListSplitter::Feed(std::string_view piece) {
  for (size_t at = 0; at < piece.size();) {
    if (place_ == Place::kInItem) {
      at = ScanItem(piece, at);
      continue;
    }
    const bool around = place_ == Place::kAround || place_ == Place::kAfterItems;
    absl::Status status = around ? Around(piece[at]) : Between(piece[at]);
    if (!status.ok()) return status;
    if (place_ != Place::kInItem) ++at;  // Else it is the item's first byte.
  }
  if (items_.size() - complete_ > item_bytes_max_ || around_.size() > item_bytes_max_) {
    return absl::ResourceExhaustedError(
        StrCat("list: an item is larger than the limit of ", item_bytes_max_, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status ListSplitter::Around(char c) {
  around_.push_back(c);
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = in_key_ = false;
    }
    if (in_key_ && key_.size() < kKeyBytesMax) key_.push_back(c);
    return absl::OkStatus();
  }
  switch (c) {
    case '"':
      in_string_ = true;
      in_key_ = depth_ == 1 && key_next_;
      if (in_key_) key_.clear();
      key_next_ = false;
      break;
    case '{':
      key_next_ = ++depth_ == 1;
      break;
    case ',':
      key_next_ = depth_ == 1;
      break;
    case '[':
      ++depth_;
      if (depth_ != 2 || key_ != "items") break;
      if (place_ == Place::kAfterItems) return NotAList("it has items twice");
      place_ = Place::kBeforeFirst;
      break;
    case '}':
    case ']':
      if (--depth_ < 0) return NotAList("a bracket too many");
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

absl::Status ListSplitter::Between(char c) {
  if (IsBlank(c)) return absl::OkStatus();
  if (c == ']' && place_ != Place::kBeforeNext) {
    place_ = Place::kAfterItems;
    return Around(c);
  }
  if (place_ == Place::kAfterItem) {
    if (c != ',') return NotAList("a comma is missing between two items");
    place_ = Place::kBeforeNext;
    return absl::OkStatus();
  }
  if (c == ',' || c == ']' || c == '}') return NotAList("an item is missing beside a comma");
  if (complete_ > 0) items_.push_back(',');
  place_ = Place::kInItem;
  return absl::OkStatus();
}

void ListSplitter::CompleteItem() {
  complete_ = items_.size();
  place_ = Place::kAfterItem;
}

std::string ListSplitter::TakeItems() {
  if (complete_ == 0) return "";
  std::string out;
  out.reserve(kOpen.size() + complete_ + 64);
  out.append(kOpen).append(items_, 0, complete_).append(kClose);
  items_.erase(0, complete_);
  // An item under way has its comma before it; it comes first in the next list.
  if (!items_.empty() && items_.front() == ',') items_.erase(0, 1);
  complete_ = 0;
  return out;
}

absl::Status ListSplitter::End(std::string* around) const {
  if (depth_ != 0 || in_string_ || around_.empty()) {
    return absl::UnavailableError("list: the connection ended in the middle");
  }
  *around = around_;
  return absl::OkStatus();
}

}  // namespace bth::client
