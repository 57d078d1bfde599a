#include "cli/print/yaml_scalar.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "base/strings.h"
#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

bool IsReservedWord(std::string_view text) {
  // One spelling in small letters, in capitals, and with a capital first.
  static constexpr std::string_view kWords[] = {"y",   "yes",   "true", "on",   "n",   "no",
                                                "off", "false", "null", ".nan", ".inf"};
  if (text.empty() || text == "~" || text == ".NaN") return true;
  std::string_view body = text;
  if ((body[0] == '+' || body[0] == '-') && body.size() == 5 && body[1] == '.') {
    body.remove_prefix(1);
    if (AsciiStrToLower(body) == ".nan") return false;
  }
  const std::string small = AsciiStrToLower(body);
  if (std::find(std::begin(kWords), std::end(kWords), small) == std::end(kWords)) return false;
  if (small == ".nan") return text == ".nan" || text == ".NAN";
  const size_t first = small[0] == '.' ? 1 : 0;
  const std::string_view rest = body.substr(first + 1);
  const std::string_view small_rest = std::string_view(small).substr(first + 1);
  const bool is_small = body[first] == small[first];
  if (rest == small_rest) return true;  // "true" and "True".
  const bool rest_is_capital = std::none_of(rest.begin(), rest.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c));
  });
  return !is_small && rest_is_capital;
}

// Digits of `base`, at least one.
bool AreDigits(std::string_view text, int base) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [base](char c) {
    const char small = absl::ascii_tolower(static_cast<unsigned char>(c));
    const int digit = IsDigit(small) ? small - '0' : (small >= 'a' ? small - 'a' + 10 : 99);
    return digit < base;
  });
}

// The value of `digits`, which are of `base`, fits into 64 bits.
bool Fits(std::string_view digits, int base, unsigned __int128 max) {
  unsigned __int128 value = 0;
  for (const char c : digits) {
    const char small = absl::ascii_tolower(static_cast<unsigned char>(c));
    value = value * static_cast<unsigned>(base) +
            static_cast<unsigned>(IsDigit(small) ? small - '0' : small - 'a' + 10);
    if (value > max) return false;
  }
  return true;
}

// As Go reads integers of any base: 0x1f, 0o17, 017, 0b11, 42. Underscores are gone already.
bool IsInteger(std::string_view text) {
  const bool is_signed = !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool is_negative = is_signed && text[0] == '-';
  if (is_signed) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = absl::ascii_tolower(static_cast<unsigned char>(text[1]));
    base = mark == 'x' ? 16 : (mark == 'b' ? 2 : 8);
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  if (!AreDigits(text, base)) return false;
  const unsigned __int128 one = 1;
  return Fits(text, base,
              is_negative ? one << 63 : (is_signed ? (one << 63) - 1 : (one << 64) - 1));
}

// Digits with a point and an exponent, as YAML has them.
bool IsDecimal(std::string_view text) {
  size_t at = 0;
  const auto skip_digits = [&text, &at] {
    const size_t start = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at > start;
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const bool has_whole = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!skip_digits() && !has_whole) return false;
  } else if (!has_whole) {
    return false;
  }
  if (at < text.size() && absl::ascii_tolower(static_cast<unsigned char>(text[at])) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!skip_digits()) return false;
  }
  return at == text.size();
}

// Too large a number is no number to the reader.
bool IsFiniteDecimal(std::string_view text) {
  if (!IsDecimal(text)) return false;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto result = absl::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() || std::abs(value) < 1;
}

// 190:20:30, of which some readers make a number of base 60.
bool IsBase60(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (text.empty() || !IsDigit(text[0])) return false;
  size_t at = 0;
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '_')) ++at;
  int groups = 0;
  while (at < text.size() && text[at] == ':') {
    size_t digits = 0;
    while (at + 1 + digits < text.size() && IsDigit(text[at + 1 + digits]) && digits < 2) ++digits;
    if (digits == 0 || (digits == 2 && text[at + 1] > '5')) return false;
    at += 1 + digits;
    ++groups;
  }
  if (groups > 0 && at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && (IsDigit(text[at]) || text[at] == '_')) ++at;
  }
  return groups > 0 && at == text.size();
}

// Reads a number of at most `digits_max` digits into `value`.
bool TakeNumber(std::string_view* text, size_t digits_max, int* value) {
  size_t digits = 0;
  *value = 0;
  while (digits < text->size() && digits < digits_max && IsDigit((*text)[digits])) {
    *value = *value * 10 + ((*text)[digits++] - '0');
  }
  text->remove_prefix(digits);
  return digits > 0;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || (*text)[0] != c) return false;
  text->remove_prefix(1);
  return true;
}

bool IsDate(int year, int month, int day) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

// `15:4:5.25`, digits one or two.
bool TakeTime(std::string_view* text) {
  int hour = 0, minute = 0, second = 0;
  if (!TakeNumber(text, 2, &hour) || !TakeChar(text, ':')) return false;
  if (!TakeNumber(text, 2, &minute) || !TakeChar(text, ':')) return false;
  if (!TakeNumber(text, 2, &second)) return false;
  if (text->size() > 1 && ((*text)[0] == '.' || (*text)[0] == ',') && IsDigit((*text)[1])) {
    text->remove_prefix(1);
    while (!text->empty() && IsDigit((*text)[0])) text->remove_prefix(1);
  }
  return hour < 24 && minute < 60 && second < 60;
}

bool IsZone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  int hours = 0, minutes = 0;
  text.remove_prefix(1);
  return TakeNumber(&text, 2, &hours) && TakeChar(&text, ':') && TakeNumber(&text, 2, &minutes) &&
         text.empty() && hours <= 24 && minutes < 60;
}

// 2001-12-14, alone, with T, a time and a zone, or with a blank and a time.
bool IsYamlTime(std::string_view text) {
  if (text.size() < 6 || text[4] != '-') return false;
  int year = 0, month = 0, day = 0;
  if (!std::all_of(text.begin(), text.begin() + 4, IsDigit)) return false;
  TakeNumber(&text, 4, &year);
  if (!TakeChar(&text, '-') || !TakeNumber(&text, 2, &month)) return false;
  if (!TakeChar(&text, '-') || !TakeNumber(&text, 2, &day) || !IsDate(year, month, day))
    return false;
  if (text.empty()) return true;
  const char mark = text[0];
  text.remove_prefix(1);
  if (mark == 'T' || mark == 't') return TakeTime(&text) && IsZone(text);
  return mark == ' ' && TakeTime(&text) && text.empty();
}

bool ResolvesToNumberOrTime(std::string_view text) {
  const char first = text[0];
  if (first == '.') {
    return IsFiniteDecimal(text);
  }
  if (!IsDigit(first) && first != '+' && first != '-') return false;
  if (IsYamlTime(text)) return true;
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  return IsInteger(plain) || IsFiniteDecimal(plain);
}

// What stands where in a text, as far as styles depend on it.
struct TextTraits {
  bool indicator = false;  // What has a meaning to YAML without quotes.
  bool special = false;    // What must be escaped.
  bool line_break = false;
  bool edge_space = false, edge_break = false;
  bool trailing_space = false;
  bool break_space = false;  // A blank after a line break.
  bool space_break = false;  // A blank before one.
};

bool IsIndicator(char32_t rune, bool is_first, bool after_blank, bool before_blank) {
  static constexpr std::u32string_view kFirst = U"#,[]{}&*!|>'\"%@`";
  if (is_first) {
    if (kFirst.find(rune) != std::u32string_view::npos) return true;
    return (rune == '?' || rune == ':' || rune == '-') && before_blank;
  }
  return (rune == ':' && before_blank) || (rune == '#' && after_blank);
}

TextTraits TraitsOf(std::string_view text) {
  TextTraits traits;
  traits.indicator = text.substr(0, 3) == "---" || text.substr(0, 3) == "...";
  bool after_blank = true, after_space = false, after_break = false;
  for (size_t at = 0; at < text.size();) {
    const bool is_first = at == 0;
    const char32_t rune = NextRune(text, &at);
    const bool is_last = at >= text.size();
    const bool before_blank = is_last || text[at] == ' ' || text[at] == '\t';
    traits.indicator |= IsIndicator(rune, is_first, after_blank, before_blank);
    traits.special |= !IsYamlPrintable(rune);
    const bool is_space = rune == ' ', is_break = IsYamlBreak(rune);
    traits.edge_space |= is_space && (is_first || is_last);
    traits.trailing_space |= is_space && is_last;
    traits.edge_break |= is_break && (is_first || is_last);
    traits.break_space |= is_space && after_break;
    traits.space_break |= is_break && after_space;
    traits.line_break |= is_break;
    after_space = is_space;
    after_break = is_break;
    after_blank = is_space || is_break || rune == '\t' || rune == 0;
  }
  return traits;
}

}  // namespace

bool IsYamlPrintable(char32_t rune) {
  if (rune == '\n') return true;
  if (rune < 0x20 || (rune > 0x7E && rune < 0xA0)) return false;
  if (rune >= 0xD800 && rune < 0xE000) return false;
  // Beyond the basic plane everything is escaped.
  return rune != 0xFEFF && rune < 0xFFFE;
}

bool IsYamlBreak(char32_t rune) {
  return rune == '\n' || rune == '\r' || rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

bool YamlResolvesToOther(std::string_view text) {
  return IsReservedWord(text) || ResolvesToNumberOrTime(text) || IsBase60(text);
}

YamlScalarShape ShapeOfYamlScalar(std::string_view text) {
  const TextTraits traits = TraitsOf(text);
  const bool may_be_single = !traits.break_space && !traits.space_break && !traits.special;
  const bool may_be_plain = may_be_single && !traits.edge_space && !traits.edge_break &&
                            !traits.line_break && !traits.indicator;
  const bool may_be_literal =
      !text.empty() && !traits.trailing_space && !traits.space_break && !traits.special;
  YamlScalarShape shape;
  shape.is_simple_key = !traits.line_break && text.size() <= 128;
  if (text.find('\n') != std::string_view::npos) {
    shape.style = may_be_literal ? YamlStyle::kLiteral : YamlStyle::kDoubleQuoted;
  } else if (YamlResolvesToOther(text)) {
    shape.style = YamlStyle::kDoubleQuoted;
  } else if (may_be_plain) {
    shape.style = YamlStyle::kPlain;
  } else {
    shape.style = may_be_single ? YamlStyle::kSingleQuoted : YamlStyle::kDoubleQuoted;
  }
  return shape;
}

}  // namespace bth::cli
