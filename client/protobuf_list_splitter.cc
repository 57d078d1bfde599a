#include "client/protobuf_list_splitter.h"

#include <utility>

#include "api/types/protobuf/wire.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::client {
namespace {

using types::WireType;

absl::Status NotAProtobufList(std::string_view why) {
  return absl::DataLossError(StrCat("not a list: protobuf: ", why));
}

// The start of a field: what it is, and how many bytes follow the start.
struct FieldStart {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  size_t start_bytes = 0;
  uint64_t bytes = 0;
};

// False: it has not arrived as a whole.
absl::StatusOr<bool> ReadStart(std::string_view text, FieldStart* out) {
  std::string_view rest = text;
  uint64_t key = 0;
  int length = types::TakeVarint(&rest, &key);
  if (length < 0) return NotAProtobufList("a number is too long");
  if (length == 0) return false;
  out->number = static_cast<uint32_t>(key >> 3);
  out->type = static_cast<WireType>(key & 7);
  out->bytes = 0;
  uint64_t value = 0;
  switch (out->type) {
    case WireType::kFixed64:
      out->bytes = 8;
      break;
    case WireType::kFixed32:
      out->bytes = 4;
      break;
    case WireType::kVarint:
    case WireType::kBytes:
      length = types::TakeVarint(&rest, &value);
      if (length < 0) return NotAProtobufList("a number is too long");
      if (length == 0) return false;
      if (out->type == WireType::kBytes) out->bytes = value;
      break;
    default:
      return NotAProtobufList("unknown wire type");
  }
  out->start_bytes = text.size() - rest.size();
  return true;
}

}  // namespace

absl::Status ProtobufListSplitter::Feed(std::string_view piece) {
  pending_.append(piece);
  std::string_view rest = pending_;
  for (bool more = true; more && !rest.empty();) {
    BTH_ASSIGN_OR_RETURN(more, Step(&rest));
  }
  pending_.erase(0, pending_.size() - rest.size());
  return absl::OkStatus();
}

absl::StatusOr<bool> ProtobufListSplitter::Step(std::string_view* rest) {
  if (place_ == Place::kMagic) {
    const std::string_view magic = types::kProtobufMagic;
    if (!magic.starts_with(rest->substr(0, magic.size()))) return NotAProtobufList("no envelope");
    if (rest->size() < magic.size()) return false;
    rest->remove_prefix(magic.size());
    place_ = Place::kEnvelope;
    return true;
  }
  if (place_ == Place::kList && list_left_ == 0) place_ = Place::kEnvelope;
  FieldStart field;
  BTH_ASSIGN_OR_RETURN(const bool begun, ReadStart(*rest, &field));
  if (!begun) return false;
  if (place_ == Place::kEnvelope && field.number == types::unknown_field::kRaw) {
    if (field.type != WireType::kBytes || has_list_) return NotAProtobufList("not one list");
    has_list_ = true;
    list_left_ = field.bytes;
    place_ = Place::kList;
    rest->remove_prefix(field.start_bytes);
    return true;
  }
  if (field.bytes > item_bytes_max_ || around_.size() > item_bytes_max_) {
    return absl::ResourceExhaustedError(
        StrCat("list: an item is larger than the limit of ", item_bytes_max_, " bytes"));
  }
  const size_t whole = field.start_bytes + static_cast<size_t>(field.bytes);
  if (place_ == Place::kList && whole > list_left_) return NotAProtobufList("an item is too long");
  if (rest->size() < whole) return false;
  if (place_ == Place::kList) {
    const bool is_item = field.number == types::list_field::kItems;
    (is_item ? items_ : around_).append(rest->substr(0, whole));
    list_left_ -= whole;
  }
  rest->remove_prefix(whole);
  return true;
}

std::string ProtobufListSplitter::TakeItems() {
  return std::exchange(items_, std::string());
}

absl::Status ProtobufListSplitter::End(std::string* around) const {
  if (!has_list_ || list_left_ != 0 || !pending_.empty()) {
    return absl::UnavailableError("list: the connection ended in the middle");
  }
  *around = around_;
  return absl::OkStatus();
}

}  // namespace bth::client
