#include "apiserver/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/time/civil_time.h"
#include "api/rules/names.h"
#include "base/strings.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

bool Matches(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsDate(std::string_view text) {
  static const re2::RE2 kDate("(\\d{4})-(\\d{2})-(\\d{2})");
  int year = 0;
  int month = 0;
  int day = 0;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kDate, &year, &month,
                           &day)) {
    return false;
  }
  // A day that does not exist is moved to one that does.
  const absl::CivilDay date(year, month, day);
  return date.year() == year && date.month() == month && date.day() == day;
}

bool IsDateTime(std::string_view text) {
  static const re2::RE2 kTime(
      "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([zZ]|[+-]\\d{2}:\\d{2})");
  const size_t t = text.find_first_of("tT");
  return t != text.npos && IsDate(text.substr(0, t)) && Matches(text.substr(t + 1), kTime);
}

// "1h5m" as Go reads it, or numbers with units in words such as "3 days".
bool IsDuration(std::string_view text) {
  static const re2::RE2 kGo("[+-]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)");
  static const re2::RE2 kWords(
      "(?i)\\d+\\s*(ns|nano[a-zµ]*|us|µs|micro[a-zµ]*|ms|milli[a-zµ]*|s|sec[a-zµ]*|m|min[a-zµ]*|"
      "h|hr|hour[a-zµ]*|d|day[a-zµ]*|w|wk|week[a-zµ]*)([^A-Za-zµ]|$)");
  return Matches(text, kGo) ||
         re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kWords);
}

bool IsEmail(std::string_view text) {
  static const re2::RE2 kPlain("[^@\\s<>,;:()]+@[^@\\s<>,;:()]+");
  static const re2::RE2 kNamed("[^<>]*<[^@\\s<>,;:()]+@[^@\\s<>,;:()]+>");
  return Matches(text, kPlain) || Matches(text, kNamed);
}

// Letters of any alphabet; what is not ASCII is taken for one.
bool IsAnyLetter(char c) {
  return IsLetter(c) || (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool IsHostLabel(std::string_view label) {
  auto plain = [](char c) { return IsAnyLetter(c) || IsDigit(c); };
  return !label.empty() && label.size() <= 63 && plain(label.front()) && plain(label.back()) &&
         std::all_of(label.begin(), label.end(), [&](char c) { return plain(c) || c == '-'; });
}

// Labels of letters, digits and hyphens; several end in one of two letters or more.
bool IsHostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  size_t labels = 0;
  std::string_view last;
  for (size_t from = 0; from <= text.size(); ++labels) {
    const size_t dot = std::min(text.find('.', from), text.size());
    last = text.substr(from, dot - from);
    if (!IsHostLabel(last)) return false;
    from = dot + 1;
  }
  return labels == 1 || (last.size() >= 2 && std::all_of(last.begin(), last.end(), IsAnyLetter));
}

// Leading zeros are let through, as they always were.
bool IsIpv4(std::string_view text) {
  static const re2::RE2 kDotted("0*(\\d{1,3})\\.0*(\\d{1,3})\\.0*(\\d{1,3})\\.0*(\\d{1,3})");
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kDotted, &a, &b, &c, &d) &&
         std::max({a, b, c, d}) <= 255;
}

bool IsIpv6(std::string_view text) {
  std::array<unsigned char, 16> bytes;
  return inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) == 1;
}

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const std::string_view bits = text.substr(slash + 1);
  int length = 0;
  if (bits.empty() || bits.size() > 3 || !std::all_of(bits.begin(), bits.end(), IsDigit) ||
      !SimpleAtoi(bits, &length)) {
    return false;
  }
  const std::string_view address = text.substr(0, slash);
  return (IsIpv4(address) && length <= 32) || (IsIpv6(address) && length <= 128);
}

bool IsMac(std::string_view text) {
  static const re2::RE2 kPairs(
      "(?i)[0-9a-f]{2}(:[0-9a-f]{2}){5}|[0-9a-f]{2}(:[0-9a-f]{2}){7}|[0-9a-f]{2}(:[0-9a-f]{2}){19}|"
      "[0-9a-f]{2}(-[0-9a-f]{2}){5}|[0-9a-f]{2}(-[0-9a-f]{2}){7}|[0-9a-f]{2}(-[0-9a-f]{2}){19}|"
      "[0-9a-f]{4}(\\.[0-9a-f]{4}){2}|[0-9a-f]{4}(\\.[0-9a-f]{4}){3}|[0-9a-f]{4}(\\.[0-9a-f]{4}){"
      "9}");
  return Matches(text, kPairs);
}

// An absolute path or an absolute address.
bool IsUri(std::string_view text) {
  static const re2::RE2 kUri("(/|[A-Za-z][A-Za-z0-9+.-]*:)([^\\x00-\\x20\\x7f%]|%[0-9A-Fa-f]{2})*");
  return Matches(text, kUri) && !text.ends_with(':');
}

bool IsUuid(std::string_view text, char version) {
  static const re2::RE2 kUuid(
      "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  if (!Matches(text, kUuid)) return false;
  std::string digits;
  for (const char c : text) {
    if (c != '-') digits.push_back(c);
  }
  if (version == '\0') return true;
  const bool variant = std::string_view("89abAB").find(digits[16]) != std::string_view::npos;
  return digits[12] == version && (version == '3' || variant);
}

// The digits of `text` without blanks and hyphens; empty when there is anything else.
std::string DigitsOf(std::string_view text, bool x_at_end) {
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '-') continue;
    const bool last_x = x_at_end && i + 1 == text.size() && (c == 'x' || c == 'X');
    if (!IsDigit(c) && !last_x) return {};
    digits.push_back(c);
  }
  return digits;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = DigitsOf(text, true);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<size_t>(i)];
    sum += (IsDigit(c) ? c - '0' : 10) * (10 - i);
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = DigitsOf(text, false);
  if (digits.size() != 13) return false;
  int sum = 0;
  for (size_t i = 0; i < 13; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

// Luhn's check.
bool IsCreditCard(std::string_view text) {
  const std::string digits = DigitsOf(text, false);
  if (digits.size() < 13 || digits.size() > 19) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int value = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) value = value > 4 ? 2 * value - 9 : 2 * value;
    sum += value;
  }
  return sum % 10 == 0;
}

bool IsHexColor(std::string_view text) {
  static const re2::RE2 kHex("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})");
  return Matches(text, kHex);
}

bool IsRgbColor(std::string_view text) {
  static const re2::RE2 kRgb("rgb\\(\\s*(\\d+)\\s*,\\s*(\\d+)\\s*,\\s*(\\d+)\\s*\\)");
  int red = 0;
  int green = 0;
  int blue = 0;
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRgb, &red, &green,
                             &blue) &&
         std::max({red, green, blue}) <= 255;
}

bool IsBase64(std::string_view text) {
  static const re2::RE2 kBase64("[A-Za-z0-9+/]+={0,2}");
  return text.size() % 4 == 0 && Matches(text, kBase64);
}

bool IsSsn(std::string_view text) {
  static const re2::RE2 kSsn("\\d{3}[- ]?\\d{2}[- ]?\\d{4}");
  return Matches(text, kSsn);
}

bool IsObjectId(std::string_view text) {
  return text.size() == 24 && std::all_of(text.begin(), text.end(), [](char c) {
           return IsDigit(c) ||
                  (IsLetter(c) && absl::ascii_isxdigit(static_cast<unsigned char>(c)));
         });
}

struct FormatRow {
  std::string_view name;
  bool (*check)(std::string_view);
};

constexpr FormatRow kFormats[] = {
    {"bsonobjectid", IsObjectId},
    {"byte", IsBase64},
    {"cidr", IsCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"date-time", IsDateTime},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmail},
    {"hexcolor", IsHexColor},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", [](std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"k8s-long-name", [](std::string_view text) { return rules::CheckDnsSubdomain(text).empty(); }},
    {"k8s-short-name", [](std::string_view text) { return rules::CheckDnsLabel(text).empty(); }},
    {"mac", IsMac},
    {"password", [](std::string_view) { return true; }},
    {"rgbcolor", IsRgbColor},
    {"ssn", IsSsn},
    {"uri", IsUri},
    {"uuid", [](std::string_view text) { return IsUuid(text, '\0'); }},
    {"uuid3", [](std::string_view text) { return IsUuid(text, '3'); }},
    {"uuid4", [](std::string_view text) { return IsUuid(text, '4'); }},
    {"uuid5", [](std::string_view text) { return IsUuid(text, '5'); }},
};

const FormatRow* FindFormat(std::string_view format) {
  auto it = std::find_if(std::begin(kFormats), std::end(kFormats),
                         [&](const FormatRow& row) { return row.name == format; });
  return it == std::end(kFormats) ? nullptr : it;
}

}  // namespace

bool IsCheckedFormat(std::string_view format) {
  return FindFormat(format) != nullptr;
}

bool HasFormat(std::string_view format, std::string_view text) {
  const FormatRow* row = FindFormat(format);
  return row == nullptr || row->check(text);
}

bool IsKnownFormat(std::string_view format) {
  return format == "int32" || format == "int64" || format == "float" || format == "double" ||
         IsCheckedFormat(format);
}

}  // namespace bth::apiserver
