// RapidJSON's reader over a text that it may change. Included by the two sources that parse: what
// it is built with must be the same in both, as they may be compiled together. Private to this
// folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rapidjson/error/en.h"
#include "rapidjson/reader.h"

namespace bth::types {

// Whole blocks are loaded, up to this far behind the end of a text. NUL bytes must stand there.
inline constexpr size_t kReaderPadding = sizeof(uint64_t);

// RapidJSON's stream of a text in place, as a type of its own: so the reader takes the scan below
// for it. RapidJSON's own begins byte by byte, and most strings end before its blocks begin; from
// there on it takes some control characters for text.
class InPlaceText final {
 public:
  using Ch = char;
  explicit InPlaceText(char* text) : from_(text), begin_(text) {}

  char Peek() const { return *from_; }
  char Take() { return *from_++; }
  size_t Tell() const { return static_cast<size_t>(from_ - begin_); }
  char* PutBegin() { return to_ = from_; }
  void Put(char byte) { *to_++ = byte; }
  size_t PutEnd(const char* begin) const { return static_cast<size_t>(to_ - begin); }
  void Flush() {}

  // Takes the bytes of a string up to a quote, a backslash or a control character.
  void TakePlain() {
    for (;;) {
      uint64_t block = 0;
      std::memcpy(&block, from_, sizeof(block));
      const size_t plain = PlainBytes(block);
      if (from_ != to_ && plain == sizeof(block)) {
        std::memcpy(to_, &block, sizeof(block));
      } else if (from_ != to_) {
        // Behind these, the block would overwrite what is not read yet.
        for (size_t i = 0; i < plain; ++i) to_[i] = from_[i];
      }
      from_ += plain;
      to_ += plain;
      if (plain < sizeof(block)) return;
    }
  }

  // From behind the bracket that opens a container to the one that closes it, or to the end of the
  // text: whatever stands between counts as empty. Never deeper than one call.
  void PassInside() {
    for (size_t open = 1; *from_ != '\0'; ++from_) {
      switch (*from_) {
        case '"':
          PassString();
          break;
        case '{':
        case '[':
          ++open;
          break;
        case '}':
        case ']':
          if (--open == 0) return;
          break;
        default:
          break;
      }
      if (*from_ == '\0') return;
    }
  }

 private:
  // How many of the first bytes are neither quote nor backslash nor control character.
  static size_t PlainBytes(uint64_t block) {
    if constexpr (std::endian::native == std::endian::big) block = __builtin_bswap64(block);
    constexpr uint64_t kOnes = 0x0101010101010101u;
    constexpr uint64_t kTops = kOnes * 0x80;
    // A borrow spoils only what lies behind the first byte that is meant.
    const auto zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
    const uint64_t control = (block - kOnes * 0x20) & ~block;
    const uint64_t found =
        (control | zero(block ^ kOnes * '"') | zero(block ^ kOnes * '\\')) & kTops;
    return found == 0 ? sizeof(block) : static_cast<size_t>(std::countr_zero(found)) / 8;
  }

  // From a quote to the one that ends its string, or to the end of the text.
  void PassString() {
    for (++from_; *from_ != '"' && *from_ != '\0'; ++from_) {
      if (*from_ == '\\' && from_[1] != '\0') ++from_;
    }
  }

  char* from_;
  char* to_ = nullptr;
  const char* begin_;
};

}  // namespace bth::types

namespace rapidjson {

// Reads and writes its fields in registers.
template <>
struct StreamTraits<bth::types::InPlaceText> {
  enum { copyOptimization = 1 };
};

// The one place at which RapidJSON lets a stream run over what needs no care.
template <>
template <>
inline void Reader::ScanCopyUnescapedString(bth::types::InPlaceText& in,
                                            bth::types::InPlaceText& /*out: the same*/) {
  in.TakePlain();
}

}  // namespace rapidjson
