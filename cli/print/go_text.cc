#include "cli/print/go_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

using types::Json;

void AppendGoPrint(const Json& value, std::string* out) {
  if (value.is_object()) {
    out->append("map[");
    bool first = true;
    for (const Json::Member* member : SortedMembers(value)) {
      if (!first) out->push_back(' ');
      first = false;
      StrAppend(out, member->first, ":");
      AppendGoPrint(member->second, out);
    }
    out->push_back(']');
  } else if (value.is_array()) {
    out->push_back('[');
    bool first = true;
    for (const Json& item : value.items()) {
      if (!first) out->push_back(' ');
      first = false;
      AppendGoPrint(item, out);
    }
    out->push_back(']');
  } else if (value.is_string()) {
    out->append(value.AsString());
  } else if (value.is_double()) {
    out->append(GoFloat(value.AsDouble()));
  } else if (value.is_null()) {
    out->append("<nil>");
  } else {
    value.DumpTo(out);
  }
}

// Stops soon after `bytes_max`.
void AppendGoSyntax(const Json& value, size_t bytes_max, std::string* out) {
  if (value.is_object()) {
    out->append("map[string]interface {}{");
    bool first = true;
    for (const Json::Member* member : SortedMembers(value)) {
      if (out->size() > bytes_max) return;
      if (!first) out->append(", ");
      first = false;
      StrAppend(out, GoQuote(member->first), ":");
      AppendGoSyntax(member->second, bytes_max, out);
    }
    out->push_back('}');
  } else if (value.is_array()) {
    out->append("[]interface {}{");
    bool first = true;
    for (const Json& item : value.items()) {
      if (out->size() > bytes_max) return;
      if (!first) out->append(", ");
      first = false;
      AppendGoSyntax(item, bytes_max, out);
    }
    out->push_back('}');
  } else if (value.is_string()) {
    out->append(GoQuote(value.AsString()));
  } else if (value.is_null()) {
    out->append("interface {}(nil)");
  } else {
    AppendGoPrint(value, out);
  }
}

void AppendQuotedRune(char32_t rune, std::string* out) {
  static constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kNames = "abfnrtv\\\"";
  const size_t named = rune < 0x80 ? kNamed.find(static_cast<char>(rune)) : std::string_view::npos;
  if (named != std::string_view::npos) {
    out->push_back('\\');
    out->push_back(kNames[named]);
  } else if (IsPrintable(rune)) {
    AppendRune(rune, out);
  } else if (rune < 0x80) {
    absl::StrAppendFormat(out, "\\x%02x", static_cast<unsigned>(rune));
  } else if (rune < 0x10000) {
    absl::StrAppendFormat(out, "\\u%04x", static_cast<unsigned>(rune));
  } else {
    absl::StrAppendFormat(out, "\\U%08x", static_cast<unsigned>(rune));
  }
}

}  // namespace

std::vector<const Json::Member*> SortedMembers(const Json& object) {
  std::vector<const Json::Member*> members;
  members.reserve(object.size());
  for (const Json::Member& member : object.members()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return members;
}

std::string GoFloat(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  char buffer[64];
  const double size = std::abs(value);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e6);
  // The digits are the same in both forms: the fewest that are this number.
  const auto end =
      is_plain ? std::to_chars(buffer, std::end(buffer), value, std::chars_format::fixed)
               : std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  return std::string(buffer, end.ptr);
}

std::string GoPrint(const Json& value) {
  std::string out;
  AppendGoPrint(value, &out);
  return out;
}

std::string GoSyntax(const Json& value, size_t bytes_max) {
  std::string out;
  AppendGoSyntax(value, bytes_max, &out);
  if (out.size() > bytes_max) {
    // Never in the middle of a character.
    size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
    out.resize(end);
    out.append("…");
  }
  return out;
}

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t rune = NextRune(text, &at);
    if (rune == kBadRune && at - start == 1) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(text[start]));
    } else {
      AppendQuotedRune(rune, &out);
    }
  }
  out.push_back('"');
  return out;
}

std::string GoRune(char32_t rune) {
  std::string out = absl::StrFormat("U+%04X", static_cast<unsigned>(rune));
  if (IsPrintable(rune)) {
    out.append(" '");
    AppendRune(rune, &out);
    out.push_back('\'');
  }
  return out;
}

}  // namespace bth::cli
