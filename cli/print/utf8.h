// Text as characters, and the columns of a terminal that they take.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bth::cli {

inline constexpr char32_t kBadRune = 0xFFFD;

// The character at `at`, which is moved behind it. Bytes that are not UTF-8 are kBadRune, one each.
// `at` must be less than the size.
char32_t NextRune(std::string_view text, size_t* at);
void AppendRune(char32_t rune, std::string* out);

// Characters that Go's unicode.IsLetter and IsPrint hold for, as far as kubectl's output shows.
bool IsLetter(char32_t rune);
bool IsPrintable(char32_t rune);

// 0 for combining marks and what has no width, 2 for wide East Asian characters and emoji, else 1.
int RuneWidth(char32_t rune);
int DisplayWidth(std::string_view text);

// The longest beginning of `text` that takes at most `width` columns.
std::string_view FitPrefix(std::string_view text, int width);

}  // namespace bth::cli
