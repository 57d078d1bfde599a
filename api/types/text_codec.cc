#include "api/types/text_codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace bth::types {
namespace {

// Length of the well-formed UTF-8 sequence at `p`, or 0. `left` is at least 1.
size_t SequenceLength(const unsigned char* p, size_t left) {
  const unsigned char lead = p[0];
  if (lead < 0x80) return 1;
  size_t length = 0;
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) second_min = 0xA0;
    if (lead == 0xED) second_max = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) second_min = 0x90;
    if (lead == 0xF4) second_max = 0x8F;
  }
  if (length == 0 || length > left) return 0;
  if (p[1] < second_min || p[1] > second_max) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (p[i] < 0x80 || p[i] > 0xBF) return 0;
  }
  return length;
}

void AppendEscaped(unsigned char byte, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    default:
      out->append("\\u00");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
  }
}

bool NeedsCare(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x80;
}

// The same of eight bytes at a time: false when none of them needs care.
bool AnyNeedsCare(uint64_t block) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kTops = kOnes * 0x80;
  const auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
  const uint64_t control = (block - kOnes * 0x20) & ~block;
  return ((block | control | has_zero(block ^ kOnes * '"') | has_zero(block ^ kOnes * '\\')) &
          kTops) != 0;
}

// Mostly true, and cheap.
bool IsAscii(std::string_view text) {
  constexpr uint64_t kTops = 0x8080808080808080u;
  const char* const p = text.data();
  const size_t size = text.size();
  uint64_t block = 0;
  if (size >= sizeof(block)) {
    // The last block overlaps the one before.
    uint64_t all = 0;
    for (size_t i = 0; i < size - sizeof(block); i += sizeof(block)) {
      std::memcpy(&block, p + i, sizeof(block));
      all |= block;
    }
    std::memcpy(&block, p + size - sizeof(block), sizeof(block));
    return ((all | block) & kTops) == 0;
  }
  if (size >= sizeof(uint32_t)) {
    uint32_t first = 0;
    uint32_t last = 0;
    std::memcpy(&first, p, sizeof(first));
    std::memcpy(&last, p + size - sizeof(last), sizeof(last));
    return ((first | last) & static_cast<uint32_t>(kTops)) == 0;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

size_t Utf8ValidPrefix(std::string_view text) {
  if (IsAscii(text)) return text.size();
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const size_t size = text.size();
  size_t i = 0;
  while (i < size) {
    uint64_t block = 0;
    if (i + sizeof(block) <= size) {
      std::memcpy(&block, p + i, sizeof(block));
      if ((block & 0x8080808080808080u) == 0) {
        i += sizeof(block);
        continue;
      }
    }
    const size_t length = SequenceLength(p + i, size - i);
    if (length == 0) return i;
    i += length;
  }
  return size;
}

bool NeedsNoEscapes(std::string_view text) {
  const char* const p = text.data();
  const size_t size = text.size();
  uint64_t block = 0;
  if (size >= sizeof(block)) {
    // The last block overlaps the one before.
    for (size_t i = 0; i < size - sizeof(block); i += sizeof(block)) {
      std::memcpy(&block, p + i, sizeof(block));
      if (AnyNeedsCare(block)) return false;
    }
    std::memcpy(&block, p + size - sizeof(block), sizeof(block));
    return !AnyNeedsCare(block);
  }
  if (size >= sizeof(uint32_t)) {
    uint32_t first = 0;
    uint32_t last = 0;
    std::memcpy(&first, p, sizeof(first));
    std::memcpy(&last, p + size - sizeof(last), sizeof(last));
    return !AnyNeedsCare(uint64_t{first} << 32 | last);
  }
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return NeedsCare(static_cast<unsigned char>(c)); });
}

void AppendJsonString(std::string_view text, std::string* out) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const size_t size = text.size();
  out->push_back('"');
  size_t run = 0;  // Start of the bytes that are copied as they are.
  size_t i = 0;
  while (i < size) {
    if (uint64_t block = 0; i + sizeof(block) <= size) {
      std::memcpy(&block, p + i, sizeof(block));
      if (!AnyNeedsCare(block)) {
        i += sizeof(block);
        continue;
      }
    }
    if (!NeedsCare(p[i])) {
      ++i;
      continue;
    }
    if (p[i] >= 0x80) {
      if (const size_t length = SequenceLength(p + i, size - i); length > 0) {
        i += length;
        continue;
      }
      out->append(text.substr(run, i - run));
      out->append("\xEF\xBF\xBD");
    } else {
      out->append(text.substr(run, i - run));
      AppendEscaped(p[i], out);
    }
    run = ++i;
  }
  out->append(text.substr(run));
  out->push_back('"');
}

void AppendJsonInt(int64_t value, std::string* out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out->append(buffer.data(), static_cast<size_t>(end - buffer.data()));
}

void AppendJsonDouble(double value, std::string* out) {
  if (!std::isfinite(value)) {
    out->append("null");
    return;
  }
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  out->append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out->append(".0");
}

}  // namespace bth::types
