#include "cel/messages/wire_reader.h"

#include <vector>

namespace bth::cel {
namespace {

constexpr uint32_t kGroupStart = 3;
constexpr uint32_t kGroupEnd = 4;
constexpr uint64_t kFieldNumberMax = (uint64_t{1} << 29) - 1;

}  // namespace

std::optional<WireField> WireReader::Fail() {
  failed_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<WireField> WireReader::Next() {
  while (!rest_.empty()) {
    WireField field;
    uint32_t type = 0;
    if (!TakeTag(&field.number, &type)) return Fail();
    if (type == kGroupStart) {
      if (!SkipGroup(field.number)) return Fail();
      continue;
    }
    if (!TakeField(type, &field)) return Fail();
    return field;
  }
  return std::nullopt;
}

bool WireReader::TakeVarint(uint64_t* out) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;  // More than 64 bits.
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = number;
      return true;
    }
  }
  return false;
}

bool WireReader::TakeFixed(size_t size, uint64_t* out) {
  if (rest_.size() < size) return false;
  for (size_t i = 0; i < size; ++i) {
    *out |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::TakeTag(uint32_t* number, uint32_t* type) {
  uint64_t tag = 0;
  if (!TakeVarint(&tag) || tag >> 3 == 0 || tag >> 3 > kFieldNumberMax) return false;
  *number = static_cast<uint32_t>(tag >> 3);
  *type = static_cast<uint32_t>(tag & 7);
  return true;
}

bool WireReader::TakeField(uint32_t type, WireField* field) {
  field->type = static_cast<WireType>(type);
  switch (field->type) {
    case WireType::kVarint:
      return TakeVarint(&field->bits);
    case WireType::kFixed64:
      return TakeFixed(8, &field->bits);
    case WireType::kFixed32:
      return TakeFixed(4, &field->bits);
    case WireType::kBytes: {
      uint64_t size = 0;
      if (!TakeVarint(&size) || size > rest_.size()) return false;
      field->bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
  }
  return false;
}

// Groups nest; what is open is kept in a stack that is not longer than the message.
bool WireReader::SkipGroup(uint32_t number) {
  std::vector<uint32_t> open = {number};
  while (!open.empty()) {
    WireField field;
    uint32_t type = 0;
    if (!TakeTag(&field.number, &type)) return false;
    if (type == kGroupStart) {
      open.push_back(field.number);
    } else if (type == kGroupEnd) {
      if (open.back() != field.number) return false;
      open.pop_back();
    } else if (!TakeField(type, &field)) {
      return false;
    }
  }
  return true;
}

}  // namespace bth::cel
