#include "cli/print/json_text.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "absl/strings/str_format.h"
#include "cli/print/go_text.h"
#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

using types::Json;

void AppendEscaped(std::string_view text, std::string* out) {
  out->push_back('"');
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t rune = NextRune(text, &at);
    static constexpr std::string_view kNamed = "\b\f\n\r\t\\\"";
    static constexpr std::string_view kNames = "bfnrt\\\"";
    const size_t named =
        rune < 0x80 ? kNamed.find(static_cast<char>(rune)) : std::string_view::npos;
    if (named != std::string_view::npos) {
      out->push_back('\\');
      out->push_back(kNames[named]);
    } else if (rune < 0x20 || rune == '<' || rune == '>' || rune == '&' || rune == 0x2028 ||
               rune == 0x2029) {
      absl::StrAppendFormat(out, "\\u%04x", static_cast<unsigned>(rune));
    } else if (rune == kBadRune && at - start == 1) {
      out->append("\\ufffd");
    } else {
      out->append(text.substr(start, at - start));
    }
  }
  out->push_back('"');
}

// The fewest digits that are this number, and zeros: what lies beyond them is not in the number.
std::string PaddedWhole(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(buffer + mark + 2, end.ptr, exponent);
  std::string digits(text.substr(0, mark));
  const size_t point = digits.find('.');
  const size_t fraction = point == std::string::npos ? 0 : digits.size() - point - 1;
  if (point != std::string::npos) digits.erase(point, 1);
  digits.append(static_cast<size_t>(exponent) - fraction, '0');
  return digits;
}

// Recursive: the depth is that of the value, which its reader limits.
class JsonWriter {
 public:
  JsonWriter(bool indented, std::string* out) : indented_(indented), out_(*out) {}

  void Write(const Json& value, int depth) {
    if (value.is_object()) {
      WriteObject(value, depth);
    } else if (value.is_array()) {
      WriteArray(value, depth);
    } else if (value.is_string()) {
      AppendEscaped(value.AsString(), &out_);
    } else if (value.is_double()) {
      out_.append(JsonNumber(value));
    } else {
      value.DumpTo(&out_);
    }
  }

 private:
  void WriteObject(const Json& value, int depth) {
    if (value.empty()) {
      out_.append("{}");
      return;
    }
    char before = '{';
    for (const Json::Member* member : SortedMembers(value)) {
      out_.push_back(before);
      before = ',';
      Break(depth + 1);
      AppendEscaped(member->first, &out_);
      out_.append(indented_ ? ": " : ":");
      Write(member->second, depth + 1);
    }
    Break(depth);
    out_.push_back('}');
  }

  void WriteArray(const Json& value, int depth) {
    if (value.empty()) {
      out_.append("[]");
      return;
    }
    char before = '[';
    for (const Json& item : value.items()) {
      out_.push_back(before);
      before = ',';
      Break(depth + 1);
      Write(item, depth + 1);
    }
    Break(depth);
    out_.push_back(']');
  }

  void Break(int depth) {
    if (!indented_) return;
    out_.push_back('\n');
    out_.append(static_cast<size_t>(depth) * 4, ' ');
  }

  const bool indented_;
  std::string& out_;
};

}  // namespace

std::string JsonNumber(const Json& number) {
  if (!number.is_double()) return number.Dump();
  const double value = number.AsDouble();
  if (!std::isfinite(value)) return "null";
  const double size = std::abs(value);
  if (size >= 0x1p53 && size < 1e21) return PaddedWhole(value);
  const bool is_plain = size == 0 || (size >= 1e-6 && size < 1e21);
  char buffer[64];
  const auto end =
      std::to_chars(buffer, std::end(buffer), value,
                    is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  // One digit of an exponent stays alone: 1e-7.
  const size_t exponent = text.find("e-0");
  if (exponent != std::string::npos) text.erase(exponent + 2, 1);
  return text;
}

std::string CompactJson(const Json& value) {
  std::string out;
  JsonWriter(false, &out).Write(value, 0);
  return out;
}

std::string IndentedJson(const Json& value, int depth) {
  std::string out;
  JsonWriter(true, &out).Write(value, depth);
  return out;
}

}  // namespace bth::cli
