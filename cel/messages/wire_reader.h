// Encoded messages of protocol buffers, field by field.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bth::cel {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t bits = 0;       // Of numbers.
  std::string_view bytes;  // Of texts, bytes and messages; views the message.
};

// Reads from bytes that outlive it. One use.
class WireReader final {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}
  // The next field; groups, which no longer exist, are passed over. Nothing: the end, or a fault.
  std::optional<WireField> Next();
  // The bytes are no message.
  bool failed() const { return failed_; }

 private:
  std::optional<WireField> Fail();
  bool TakeVarint(uint64_t* out);
  bool TakeFixed(size_t size, uint64_t* out);
  bool TakeTag(uint32_t* number, uint32_t* type);
  bool TakeField(uint32_t type, WireField* field);
  bool SkipGroup(uint32_t number);

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace bth::cel
