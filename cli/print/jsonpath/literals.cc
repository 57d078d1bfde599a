// Slices and quoted texts.
#include <charconv>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/jsonpath/parser.h"
#include "cli/print/utf8.h"

namespace bth::cli::jsonpath {
namespace {

// `-?[0-9]*` as a whole.
bool IsBoundText(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

absl::StatusOr<SliceNode::Bound> ParseBound(std::string_view text) {
  SliceNode::Bound bound;
  if (text.empty()) return bound;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, bound.value);
  if (result.ec != std::errc() || result.ptr != end) {
    return absl::InvalidArgumentError(StrCat("array index ", text, " is not a number"));
  }
  bound.known = true;
  return bound;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Reads `count` digits of `base` from `*at`; false when there are fewer.
bool TakeDigits(std::string_view text, size_t* at, size_t count, int base, uint32_t* value) {
  *value = 0;
  if (text.size() - *at < count) return false;
  for (size_t i = 0; i < count; ++i, ++*at) {
    const int digit = HexDigit(text[*at]);
    if (digit < 0 || digit >= base) return false;
    *value = *value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
  }
  return true;
}

// One escape behind its backslash, appended to `out`; false when it is none.
bool TakeEscape(std::string_view text, size_t* at, char quote, std::string* out) {
  if (*at >= text.size()) return false;
  static constexpr std::string_view kNames = "abfnrtv\\";
  static constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\";
  const char name = text[(*at)++];
  const size_t known = kNames.find(name);
  if (known != std::string_view::npos) {
    out->push_back(kNamed[known]);
    return true;
  }
  if (name == '"' || name == '\'') {
    out->push_back(name);
    return name == quote;
  }
  uint32_t value = 0;
  if (name >= '0' && name <= '7') {
    --*at;
    if (!TakeDigits(text, at, 3, 8, &value) || value > 255) return false;
    out->push_back(static_cast<char>(value));
    return true;
  }
  if (name == 'x') {
    if (!TakeDigits(text, at, 2, 16, &value)) return false;
    out->push_back(static_cast<char>(value));
    return true;
  }
  if (name != 'u' && name != 'U') return false;
  if (!TakeDigits(text, at, name == 'u' ? 4 : 8, 16, &value)) return false;
  if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  AppendRune(value, out);
  return true;
}

}  // namespace

absl::StatusOr<SliceNode> ParseSlice(std::string_view inside) {
  const std::string_view text = inside == "*" ? ":" : inside;
  std::string_view parts[3];
  size_t count = 0;
  bool is_good = true;
  for (const absl::string_view part : SplitText(text, ':')) {
    is_good = is_good && count < 3 && IsBoundText(ToStd(part));
    if (is_good) parts[count++] = ToStd(part);
  }
  if (!is_good) return absl::InvalidArgumentError(StrCat("invalid array index ", text));
  SliceNode slice;
  BTH_ASSIGN_OR_RETURN(slice.start, ParseBound(parts[0]));
  BTH_ASSIGN_OR_RETURN(slice.end, ParseBound(parts[1]));
  BTH_ASSIGN_OR_RETURN(slice.step, ParseBound(parts[2]));
  if (count == 1) {
    slice.is_index = true;
    if (slice.start.value == INT64_MAX) {
      return absl::InvalidArgumentError(StrCat("array index ", text, " is not a number"));
    }
    slice.end = {slice.start.value + 1, true};
  }
  return slice;
}

absl::StatusOr<std::string> Unquote(std::string_view quoted) {
  const absl::Status refusal = absl::InvalidArgumentError("invalid syntax");
  if (quoted.size() < 2 || quoted.front() != quoted.back()) return refusal;
  const char quote = quoted.front();
  const std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c == quote) return refusal;
    if (c != '\\') {
      out.push_back(c);
    } else if (!TakeEscape(text, &at, quote, &out)) {
      return refusal;
    }
  }
  return out;
}

}  // namespace bth::cli::jsonpath
