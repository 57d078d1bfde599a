// Writes a protobuf document straight into a text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/protobuf/wire.h"

namespace bth::types {

// The counterpart of JsonText for protobuf: fields stand in the order of the calls, each Open has
// its Close. Messages are shorter than 256 MiB. Thread: one owner.
class DocumentText final {
 public:
  // Begins the object inside its envelope.
  DocumentText(std::string_view api_version, std::string_view kind, size_t bytes_expected) {
    out_.reserve(kProtobufMagic.size() + bytes_expected);
    out_ = kProtobufMagic;
    Open(unknown_field::kTypeMeta);
    Add(type_meta_field::kApiVersion, api_version).Add(type_meta_field::kKind, kind).Close();
    Open(unknown_field::kRaw);
  }

  DocumentText& Open(uint32_t field) {
    Key(field, WireType::kBytes);
    out_.append(kLengthBytes, '\0');
    open_[depth_++] = out_.size();
    return *this;
  }
  // The length is written with as many bytes as were kept for it: longer than need be, which the
  // format allows.
  DocumentText& Close() {
    const size_t begin = open_[--depth_];
    size_t length = out_.size() - begin;
    for (size_t i = 0; i < kLengthBytes; ++i, length >>= 7) {
      const bool last = i + 1 == kLengthBytes;
      out_[begin - kLengthBytes + i] = static_cast<char>((length & 0x7f) | (last ? 0 : 0x80));
    }
    return *this;
  }
  DocumentText& Add(uint32_t field, std::string_view value) {
    Key(field, WireType::kBytes);
    Varint(value.size());
    out_.append(value);
    return *this;
  }
  DocumentText& AddNumber(uint32_t field, int64_t value) {
    Key(field, WireType::kVarint);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  // Nothing at all for an empty value.
  DocumentText& AddIfAny(uint32_t field, std::string_view value) {
    return value.empty() ? *this : Add(field, value);
  }
  // Closes the object and hands the document over; the last call.
  std::string Take() {
    Close();
    return std::move(out_);
  }

 private:
  static constexpr size_t kLengthBytes = 4;
  static constexpr size_t kDepthMax = 8;

  void Key(uint32_t field, WireType type) {
    Varint(uint64_t{field} << 3 | static_cast<uint64_t>(type));
  }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }

  std::string out_;
  std::array<size_t, kDepthMax> open_{};
  size_t depth_ = 0;
};

}  // namespace bth::types
