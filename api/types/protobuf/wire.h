// The protobuf wire format, as far as the Kubernetes API uses it, and what it puts around objects.
// Header only; pure values, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bth::types {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";
// Before every document; a runtime.Unknown follows.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

// Field numbers of the messages around objects.
namespace unknown_field {  // runtime.Unknown
inline constexpr uint32_t kTypeMeta = 1;
inline constexpr uint32_t kRaw = 2;
}  // namespace unknown_field
namespace type_meta_field {
inline constexpr uint32_t kApiVersion = 1;
inline constexpr uint32_t kKind = 2;
}  // namespace type_meta_field
namespace list_field {  // PodList, NodeList ...
inline constexpr uint32_t kMetadata = 1;
inline constexpr uint32_t kItems = 2;
}  // namespace list_field
namespace list_meta_field {
inline constexpr uint32_t kResourceVersion = 2;
inline constexpr uint32_t kContinue = 3;
}  // namespace list_meta_field
namespace watch_event_field {
inline constexpr uint32_t kType = 1;
inline constexpr uint32_t kObject = 2;  // A RawExtension ...
inline constexpr uint32_t kRaw = 1;     // ... of which this is a whole document.
}  // namespace watch_event_field

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field of a message. `bytes` points into the message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;        // Of kVarint.
  std::string_view bytes{};  // Of all others.
};

// Reads the number at the front of `*bytes` and moves behind it. 0: `*bytes` ends in its middle;
// -1: it is longer than any number; else its length.
inline int TakeVarint(std::string_view* bytes, uint64_t* value) {
  uint64_t sum = 0;
  for (size_t i = 0; i < 10; ++i) {
    if (i == bytes->size()) return 0;
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    sum |= uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80) != 0) continue;
    *value = sum;
    bytes->remove_prefix(i + 1);
    return static_cast<int>(i + 1);
  }
  return -1;
}

// The fields of one message in their order. Never reads behind its end.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // False behind the last field, and where what follows is no field: then error() says why.
  bool Next(WireField* field) {
    if (rest_.empty()) return false;
    uint64_t key = 0;
    if (!Number(&key)) return false;
    field->number = static_cast<uint32_t>(key >> 3);
    field->type = static_cast<WireType>(key & 7);
    if (field->number == 0 || key >> 32 != 0) return Fail("no such field number");
    switch (field->type) {
      case WireType::kVarint:
        return Number(&field->value);
      case WireType::kFixed64:
        return Take(8, &field->bytes);
      case WireType::kFixed32:
        return Take(4, &field->bytes);
      case WireType::kBytes: {
        uint64_t length = 0;
        return Number(&length) && Take(length, &field->bytes);
      }
    }
    return Fail("unknown wire type");
  }

  // Null while everything was well-formed.
  const char* error() const { return error_; }

 private:
  bool Fail(const char* why) {
    error_ = why;
    return false;
  }
  bool Number(uint64_t* value) {
    const int length = TakeVarint(&rest_, value);
    if (length > 0) return true;
    return Fail(length == 0 ? "it ends in the middle" : "a number is too long");
  }
  bool Take(uint64_t length, std::string_view* bytes) {
    if (length > rest_.size()) return Fail("it ends in the middle");
    *bytes = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return true;
  }

  std::string_view rest_;
  const char* error_ = nullptr;
};

// The numbers and texts of a small message by field number; what is absent is 0 or empty.
struct SmallMessage {
  uint64_t numbers[4] = {};
  std::string_view texts[5];
};

// Null: it was read; else what is wrong with it.
inline const char* ReadSmallMessage(std::string_view bytes, SmallMessage* out) {
  WireReader reader(bytes);
  for (WireField field; reader.Next(&field);) {
    if (field.type == WireType::kVarint && field.number < 4) {
      out->numbers[field.number] = field.value;
    } else if (field.type == WireType::kBytes && field.number < 5) {
      out->texts[field.number] = field.bytes;
    }
  }
  return reader.error();
}

}  // namespace bth::types
