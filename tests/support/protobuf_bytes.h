// Protobuf as servers and typed clients write it, put together by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace bth::test {

inline std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
inline std::string Bytes(int field, std::string_view bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}
// A document of that kind.
inline std::string Envelope(std::string_view version, std::string_view kind,
                            std::string_view message) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, version) + Bytes(2, kind)) + Bytes(2, message);
}
// Of a watch: the length, then the event.
inline std::string Frame(std::string_view event) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(event.size() >> shift & 0xff));
  }
  return out.append(event);
}
inline std::string EventMessage(std::string_view type, std::string_view document) {
  return Bytes(1, type) + Bytes(2, Bytes(1, document));
}

}  // namespace bth::test
