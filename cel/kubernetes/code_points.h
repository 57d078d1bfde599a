// Text as code points. Positions in expressions count code points, texts are UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bth::cel {

inline constexpr char32_t kReplacement = 0xFFFD;

// Takes the first code point from `text`, which must not be empty. A byte that begins no valid
// sequence comes out as kReplacement and is taken alone; `valid` (unless null) tells.
char32_t TakeCodePoint(std::string_view* text, bool* valid = nullptr);
void AppendCodePoint(char32_t point, std::string* out);

std::u32string ToCodePoints(std::string_view text);
std::string ToUtf8(std::u32string_view points);

// White space as Unicode defines it; zero-width spaces are none.
bool IsWhiteSpace(char32_t point);

}  // namespace bth::cel
