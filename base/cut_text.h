// Texts that must not be longer than so many bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace bth {

// What is before the last character (UTF-8) that would go beyond `bytes`; all of it if none does.
inline std::string_view CutText(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0u) == 0x80u) --bytes;
  return text.substr(0, bytes);
}

}  // namespace bth
