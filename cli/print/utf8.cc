#include "cli/print/utf8.h"

#include <algorithm>
#include <iterator>

namespace bth::cli {
namespace {

struct RuneRange {
  char32_t first, last;
};

// Sorted. Combining marks and format characters, which do not move the cursor.
constexpr RuneRange kNoWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD},   {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x0670, 0x0670}, {0x06D6, 0x06DC},   {0x06DF, 0x06E4},   {0x0711, 0x0711},   {0x0730, 0x074A},
    {0x07A6, 0x07B0}, {0x0900, 0x0902},   {0x093A, 0x093A},   {0x093C, 0x093C},   {0x0941, 0x0948},
    {0x094D, 0x094D}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x1160, 0x11FF},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x2064},
    {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},   {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF},
};

// Sorted. East Asian Width W and F, and emoji that are shown as pictures.
constexpr RuneRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF},
    {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F3FA}, {0x1F400, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D7}, {0x1F6DC, 0x1F6DF},
    {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A},
    {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t kCount>
bool IsAmong(const RuneRange (&ranges)[kCount], char32_t rune) {
  const RuneRange* const found = std::upper_bound(
      std::begin(ranges), std::end(ranges), rune,
      [](char32_t wanted, const RuneRange& range) { return wanted < range.first; });
  return found != std::begin(ranges) && rune <= std::prev(found)->last;
}

}  // namespace

char32_t NextRune(std::string_view text, size_t* at) {
  const auto byte = [text](size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(*at);
  size_t more = 0;
  char32_t rune = lead, least = 0;
  if (lead >= 0xF0 && lead < 0xF5) {
    more = 3, rune = lead & 0x07, least = 0x10000;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    more = 2, rune = lead & 0x0F, least = 0x800;
  } else if (lead >= 0xC2 && lead < 0xE0) {
    more = 1, rune = lead & 0x1F, least = 0x80;
  } else if (lead >= 0x80) {
    ++*at;
    return kBadRune;
  }
  bool is_good = text.size() - *at > more;
  for (size_t i = 1; is_good && i <= more; ++i) {
    is_good = (byte(*at + i) & 0xC0) == 0x80;
    rune = (rune << 6) | (byte(*at + i) & 0x3F);
  }
  is_good = is_good && rune >= least && rune <= 0x10FFFF && !(rune >= 0xD800 && rune <= 0xDFFF);
  *at += is_good ? more + 1 : 1;
  return is_good ? rune : kBadRune;
}

void AppendRune(char32_t rune, std::string* out) {
  const auto put = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (rune < 0x80) {
    put(rune);
  } else if (rune < 0x800) {
    put(0xC0 | rune >> 6), put(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    put(0xE0 | rune >> 12), put(0x80 | (rune >> 6 & 0x3F)), put(0x80 | (rune & 0x3F));
  } else {
    put(0xF0 | rune >> 18), put(0x80 | (rune >> 12 & 0x3F));
    put(0x80 | (rune >> 6 & 0x3F)), put(0x80 | (rune & 0x3F));
  }
}

bool IsLetter(char32_t rune) {
  if (rune < 0x80) return (rune | 0x20) >= 'a' && (rune | 0x20) <= 'z';
  if (rune < 0x2000) {
    if (rune < 0xC0) return rune == 0xAA || rune == 0xB5 || rune == 0xBA;
    return rune != 0xD7 && rune != 0xF7 && RuneWidth(rune) > 0;
  }
  // Punctuation, signs, arrows, drawings and emoji are no letters; scripts above them are.
  const bool is_sign = rune < 0x2C00 || (rune >= 0x2E00 && rune < 0x3005) ||
                       (rune >= 0x3008 && rune < 0x3031) || (rune >= 0xD800 && rune < 0xF900) ||
                       (rune >= 0xFE00 && rune < 0xFE70) || (rune >= 0xFFE0 && rune < 0x10000) ||
                       (rune >= 0x1F000 && rune < 0x20000) || rune >= 0x3FFFE;
  return !is_sign && RuneWidth(rune) > 0;
}

bool IsPrintable(char32_t rune) {
  if (rune < 0x20 || (rune >= 0x7F && rune <= 0xA0) || rune == 0xAD) return false;
  if (rune >= 0x2000 && rune <= 0x200F) return false;
  if (rune >= 0x2028 && rune <= 0x202F) return false;
  if (rune >= 0x205F && rune <= 0x206F) return false;
  if (rune == 0x3000 || rune == 0xFEFF || (rune >= 0xD800 && rune < 0xF900)) return false;
  return rune < 0xE0000;
}

int RuneWidth(char32_t rune) {
  if (rune < 0x20 || (rune >= 0x7F && rune < 0xA0)) return 0;
  if (rune < 0x300) return 1;
  if (IsAmong(kNoWidth, rune)) return 0;
  return IsAmong(kWide, rune) ? 2 : 1;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) width += RuneWidth(NextRune(text, &at));
  return width;
}

std::string_view FitPrefix(std::string_view text, int width) {
  size_t end = 0;
  for (size_t at = 0; at < text.size(); end = at) {
    width -= RuneWidth(NextRune(text, &at));
    if (width < 0) break;
  }
  return text.substr(0, end);
}

}  // namespace bth::cli
