#include "cli/print/yaml_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/print/go_text.h"
#include "cli/print/json_text.h"
#include "cli/print/utf8.h"
#include "cli/print/yaml_scalar.h"

namespace bth::cli {
namespace {

using types::Json;

// Behind this column a blank becomes a line break.
constexpr int kYamlWidth = 80;

bool IsBlankAt(std::string_view text, size_t at) {
  return at < text.size() && text[at] == ' ';
}

// 0, 1, or 2 for more. A text that is nothing but one break counts as more.
int BreaksAtEnd(std::string_view text) {
  char32_t last = 0, before = '\n';
  for (size_t at = 0; at < text.size();) {
    if (last != 0) before = last;
    last = NextRune(text, &at);
  }
  return !IsYamlBreak(last) ? 0 : (IsYamlBreak(before) ? 2 : 1);
}

// kubectl reads its own JSON again: what has no fraction there becomes a whole number, if it fits.
std::string NumberText(const Json& real) {
  const std::string text = JsonNumber(real);
  const double value = real.AsDouble();
  const bool is_whole = text.find_first_of(".e") == std::string::npos;
  return is_whole && value >= -0x1p63 && value < 0x1p64 ? text : GoFloat(value);
}

// Writes one scalar or container after the other and knows where on the line it is. Columns count
// characters. Recursive: the depth is that of the value, which its reader limits.
class YamlWriter {
 public:
  std::string Take() { return std::move(out_); }

  // A value at the beginning of the text.
  void WriteRoot(const Json& value) {
    if (value.is_object() && !value.empty()) {
      WriteMap(value, 0);
    } else if (value.is_array() && !value.empty()) {
      WriteList(value, 0);
    } else {
      WriteScalar(value, 2);
    }
    if (column_ > 0) Break();
  }

 private:
  // After `key:`. `indent` is that of the key.
  void WriteAfterKey(const Json& value, int indent) {
    if (value.is_object() && !value.empty()) {
      WriteMap(value, indent + 2);
    } else if (value.is_array() && !value.empty()) {
      WriteList(value, indent);
    } else {
      WriteScalar(value, indent + 2);
    }
  }

  // After `- `, `? ` or `: `, on the same line where that is possible. `indent` is that of the
  // sign.
  void WriteCompact(const Json& value, int indent) {
    if (value.is_object() && !value.empty()) {
      Put(' ');
      WriteMap(value, indent + 2);
    } else if (value.is_array() && !value.empty()) {
      Put(' ');
      WriteList(value, indent + 2);
    } else {
      WriteScalar(value, indent + 2);
    }
  }

  void WriteMap(const Json& map, int indent) {
    std::vector<const Json::Member*> members = SortedMembers(map);
    std::stable_sort(members.begin(), members.end(),
                     [](const auto* a, const auto* b) { return YamlKeyLess(a->first, b->first); });
    for (const Json::Member* member : members) {
      GoTo(indent);
      const YamlScalarShape shape = ShapeOfYamlScalar(member->first);
      if (shape.is_simple_key) {
        // The indent of a line needs no blank before the key.
        WriteText(member->first, shape.style, indent + 2, false);
        Put(':');
        WriteAfterKey(member->second, indent);
      } else {
        Put('?');
        Put(' ');
        WriteText(member->first, shape.style, indent + 2, true);
        GoTo(indent);
        Put(':');
        WriteCompact(member->second, indent);
      }
    }
  }

  void WriteList(const Json& list, int indent) {
    for (const Json& item : list.items()) {
      GoTo(indent);
      Put('-');
      WriteCompact(item, indent);
    }
  }

  // After a colon or a dash, with the blank between.
  void WriteScalar(const Json& value, int indent) {
    if (column_ > 0) Put(' ');
    if (value.is_string()) {
      WriteText(value.AsString(), ShapeOfYamlScalar(value.AsString()).style, indent, true);
    } else if (value.is_object()) {
      Append("{}");
    } else if (value.is_array()) {
      Append("[]");
    } else if (value.is_double()) {
      Append(NumberText(value));
    } else {
      Append(value.Dump());
    }
  }

  // `may_fold`: blanks behind the last column may become line breaks. Keys stay on one line.
  void WriteText(std::string_view text, YamlStyle style, int indent, bool may_fold) {
    switch (style) {
      case YamlStyle::kPlain:
        WriteFlow(text, indent, may_fold, false);
        break;
      case YamlStyle::kSingleQuoted:
        Put('\'');
        WriteFlow(text, indent, may_fold, true);
        Put('\'');
        break;
      case YamlStyle::kDoubleQuoted:
        Put('"');
        WriteEscaped(text, indent, may_fold);
        Put('"');
        break;
      case YamlStyle::kLiteral:
        WriteLiteral(text, indent);
    }
  }

  // Plain and single-quoted text.
  void WriteFlow(std::string_view text, int indent, bool may_fold, bool quoted) {
    bool after_blank = false, after_break = false;
    for (size_t at = 0; at < text.size();) {
      const size_t start = at;
      const char32_t rune = NextRune(text, &at);
      if (rune == ' ') {
        const bool is_inside = !quoted || (start > 0 && at < text.size());
        const bool folds = may_fold && !after_blank && column_ > kYamlWidth && is_inside;
        if (folds && !IsBlankAt(text, at)) {
          GoTo(indent);
        } else {
          Put(' ');
        }
        after_blank = true;
      } else if (IsYamlBreak(rune)) {
        PutBreak(rune);
        after_break = true;
      } else {
        if (after_break) GoTo(indent);
        if (quoted && rune == '\'') Put('\'');
        PutRune(rune);
        after_blank = after_break = false;
      }
    }
  }

  void WriteEscaped(std::string_view text, int indent, bool may_fold) {
    bool after_blank = false;
    for (size_t at = 0; at < text.size();) {
      const bool is_first = at == 0;
      const char32_t rune = NextRune(text, &at);
      if (!IsYamlPrintable(rune) || IsYamlBreak(rune) || rune == '"' || rune == '\\') {
        PutEscape(rune);
        after_blank = false;
      } else if (rune == ' ') {
        const bool is_inside = !is_first && at < text.size();
        if (may_fold && !after_blank && column_ > kYamlWidth && is_inside) {
          GoTo(indent);
          if (IsBlankAt(text, at)) Put('\\');
        } else {
          Put(' ');
        }
        after_blank = true;
      } else {
        PutRune(rune);
        after_blank = false;
      }
    }
  }

  void WriteLiteral(std::string_view text, int indent) {
    Put('|');
    size_t at = 0;
    const char32_t first = NextRune(text, &at);
    if (first == ' ' || IsYamlBreak(first)) Put('2');
    // Line breaks at the end: one is usual, none is said by -, more by +.
    const int breaks = BreaksAtEnd(text);
    if (breaks == 0) Put('-');
    if (breaks > 1) Put('+');
    Break();
    bool at_start = true;
    for (at = 0; at < text.size();) {
      const char32_t rune = NextRune(text, &at);
      if (IsYamlBreak(rune)) {
        PutBreak(rune);
        at_start = true;
      } else {
        if (at_start) GoTo(indent);
        PutRune(rune);
        at_start = false;
      }
    }
  }

  void PutEscape(char32_t rune) {
    static constexpr std::u32string_view kNamed = U"\0\a\b\t\n\v\f\r\x1b\"\\\x85\x2028\x2029";
    static constexpr std::string_view kNames = "0abtnvfre\"\\NLP";
    Put('\\');
    const size_t named = std::u32string_view(kNamed.data(), kNames.size()).find(rune);
    if (named != std::u32string_view::npos) {
      Put(kNames[named]);
    } else if (rune <= 0xFF) {
      Append(absl::StrFormat("x%02X", static_cast<unsigned>(rune)));
    } else if (rune <= 0xFFFF) {
      Append(absl::StrFormat("u%04X", static_cast<unsigned>(rune)));
    } else {
      Append(absl::StrFormat("U%08X", static_cast<unsigned>(rune)));
    }
  }

  // To this column, on a new line unless it is reached with nothing but signs and blanks before it.
  void GoTo(int indent) {
    const bool is_there = column_ == indent && (column_ == 0 || out_.back() == ' ') && !has_text_;
    if (!is_there && column_ > 0) Break();
    while (column_ < indent) {
      out_.push_back(' ');
      ++column_;
    }
  }
  void Break() {
    out_.push_back('\n');
    column_ = 0;
    has_text_ = false;
  }
  void PutBreak(char32_t rune) {
    if (rune == '\n') {
      Break();
      return;
    }
    AppendRune(rune, &out_);
    column_ = 0;
    has_text_ = false;
  }
  void Put(char c) {
    out_.push_back(c);
    ++column_;
    has_text_ |= c != ' ' && c != '-' && c != '?' && c != ':';
  }
  void PutRune(char32_t rune) {
    AppendRune(rune, &out_);
    ++column_;
    has_text_ = true;
  }
  void Append(std::string_view ascii) {
    out_.append(ascii);
    column_ += static_cast<int>(ascii.size());
    has_text_ = true;
  }

  std::string out_;
  int column_ = 0;
  bool has_text_ = false;  // More than signs and blanks on this line.
};

bool IsRuneDigit(char32_t rune) {
  return rune >= '0' && rune <= '9';
}

std::u32string Runes(std::string_view text) {
  std::u32string runes;
  for (size_t at = 0; at < text.size();) runes.push_back(NextRune(text, &at));
  return runes;
}

// The number that begins at `*at`, which is moved behind it. It wraps around, which is all the same
// to its use: two equal keys never get here.
uint64_t NumberAt(const std::u32string& runes, size_t* at, uint64_t start) {
  uint64_t number = start;
  for (; *at < runes.size() && IsRuneDigit(runes[*at]); ++*at)
    number = number * 10 + (runes[*at] - '0');
  return number;
}

// Where two keys first differ.
bool LessAt(const std::u32string& a, const std::u32string& b, size_t at) {
  const bool a_letter = IsLetter(a[at]), b_letter = IsLetter(b[at]);
  if (a_letter && b_letter) return a[at] < b[at];
  if (a_letter || b_letter) return b_letter;
  // A zero inside a number counts: 10 and 1 are compared by their value, not by what differs.
  uint64_t start = 0;
  if (a[at] == '0' || b[at] == '0') {
    for (size_t before = at; before > 0 && IsRuneDigit(a[before - 1]); --before) {
      if (a[before - 1] != '0') {
        start = 1;
        break;
      }
    }
  }
  size_t a_end = at, b_end = at;
  const uint64_t a_number = NumberAt(a, &a_end, start), b_number = NumberAt(b, &b_end, start);
  if (a_number != b_number) return static_cast<int64_t>(a_number) < static_cast<int64_t>(b_number);
  if (a_end != b_end) return a_end < b_end;
  return a[at] < b[at];
}

}  // namespace

bool YamlKeyLess(std::string_view a_text, std::string_view b_text) {
  const std::u32string a = Runes(a_text), b = Runes(b_text);
  for (size_t at = 0; at < a.size() && at < b.size(); ++at) {
    if (a[at] != b[at]) return LessAt(a, b, at);
  }
  return a.size() < b.size();
}

std::string YamlText(const Json& value) {
  YamlWriter writer;
  writer.WriteRoot(value);
  return writer.Take();
}

}  // namespace bth::cli
