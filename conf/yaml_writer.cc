#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "conf/value.h"

namespace bth::conf {
namespace {

// Safe without quotes wherever a scalar may stand, and read back as a string.
bool MayStandPlain(std::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) return false;
  for (char c : text) {
    const bool harmless = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                          c == '.' || c == '/' || c == '-';
    if (!harmless) return false;
  }
  return ResolvePlainScalar(std::string(text)).is_string();
}

std::string FormatDouble(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  // Digits alone would be read back as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string FormatScalar(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kBool:
      return value.AsBool() ? "true" : "false";
    case Value::Kind::kInt:
      return std::to_string(value.AsInt());
    case Value::Kind::kDouble:
      return FormatDouble(value.AsDouble());
    case Value::Kind::kString:
      return QuoteYaml(value.text());
    default:
      return "null";
  }
}

// Writes lists and maps recursively; the depth is that of the tree, which the reader limits.
class BlockWriter {
 public:
  // The rest of a line that so far holds `key:` or `-`, and the lines below it.
  void WriteAfter(const Value& value, size_t indent) {
    if (value.is_map() && !value.members().empty()) {
      out_ += '\n';
      WriteMap(value, indent, true);
    } else if (value.is_list() && !value.items().empty()) {
      out_ += '\n';
      WriteList(value, indent);
    } else {
      out_ += ' ';
      out_ += Inline(value);
      out_ += '\n';
    }
  }

  // `margin` tells whether the first line needs its indent.
  void WriteMap(const Value& map, size_t indent, bool margin) {
    for (const Value::Member& member : map.members()) {
      if (margin) out_.append(indent, ' ');
      margin = true;
      out_ += member.string_key ? QuoteYaml(member.key) : member.key;
      out_ += ':';
      WriteAfter(member.value, indent + (member.value.is_list() ? 0 : 2));
    }
  }

  void WriteList(const Value& list, size_t indent) {
    for (const Value& item : list.items()) {
      out_.append(indent, ' ');
      out_ += '-';
      if (item.is_map() && !item.members().empty()) {
        out_ += ' ';
        WriteMap(item, indent + 2, false);
      } else {
        WriteAfter(item, indent + 2);
      }
    }
  }

  static std::string Inline(const Value& value) {
    if (value.is_map()) return "{}";
    if (value.is_list()) return "[]";
    return FormatScalar(value);
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::string QuoteYaml(std::string_view text) {
  if (MayStandPlain(text)) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += absl::StrFormat("\\x%02x", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

std::string ToYaml(const Value& value) {
  BlockWriter writer;
  if (value.is_map() && !value.members().empty()) {
    writer.WriteMap(value, 0, true);
  } else if (value.is_list() && !value.items().empty()) {
    writer.WriteList(value, 0);
  } else {
    return BlockWriter::Inline(value) + "\n";
  }
  return writer.Take();
}

}  // namespace bth::conf
