#include "cel/kubernetes/text_functions.h"

#include <algorithm>

#include "base/strings.h"
#include "cel/kubernetes/code_points.h"

namespace bth::cel {
namespace {

absl::Status IndexOutOfRange(int64_t index) {
  return absl::InvalidArgumentError(StrCat("index out of range: ", index));
}

absl::Status BadSubstring(int64_t start, int64_t end) {
  return absl::InvalidArgumentError(
      StrCat("invalid substring range. start: ", start, ", end: ", end));
}

int64_t PointCount(const std::u32string& points) {
  return static_cast<int64_t>(points.size());
}

int64_t FoundAt(size_t found) {
  return found == std::u32string::npos ? -1 : static_cast<int64_t>(found);
}

std::vector<std::string> SplitCodePoints(std::string_view text, size_t limit) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    if (pieces.size() + 1 == limit) {
      pieces.emplace_back(text);
      break;
    }
    AppendCodePoint(TakeCodePoint(&text), &pieces.emplace_back());
  }
  return pieces;
}

std::string ReplaceNothing(std::string_view text, std::string_view with, size_t limit) {
  std::string out;
  size_t count = 0;
  for (; !text.empty(); ++count) {
    if (count < limit) out += with;
    AppendCodePoint(TakeCodePoint(&text), &out);
  }
  if (count < limit) out += with;
  return out;
}

size_t LimitOf(int64_t limit) {
  return limit < 0 ? SIZE_MAX : static_cast<size_t>(limit);
}

}  // namespace

absl::StatusOr<std::string> CharAt(std::string_view text, int64_t index) {
  const std::u32string points = ToCodePoints(text);
  if (index < 0 || index > PointCount(points)) return IndexOutOfRange(index);
  return ToUtf8(std::u32string_view(points).substr(static_cast<size_t>(index), 1));
}

absl::StatusOr<int64_t> IndexOf(std::string_view text, std::string_view part, int64_t from) {
  if (part.empty()) return from;
  if (from < 0) return IndexOutOfRange(from);
  const std::u32string points = ToCodePoints(text);
  if (from >= PointCount(points)) return -1;
  return FoundAt(points.find(ToCodePoints(part), static_cast<size_t>(from)));
}

absl::StatusOr<int64_t> LastIndexOf(std::string_view text, std::string_view part, int64_t from) {
  if (part.empty()) return from;
  if (from < 0) return IndexOutOfRange(from);
  const std::u32string points = ToCodePoints(text);
  if (from >= PointCount(points)) return -1;
  return FoundAt(points.rfind(ToCodePoints(part), static_cast<size_t>(from)));
}

int64_t LastIndexOf(std::string_view text, std::string_view part) {
  const std::u32string points = ToCodePoints(text);
  return FoundAt(points.rfind(ToCodePoints(part)));
}

absl::StatusOr<std::string> Substring(std::string_view text, int64_t start, int64_t end) {
  if (start > end) return BadSubstring(start, end);
  const std::u32string points = ToCodePoints(text);
  if (start < 0 || start > PointCount(points)) return IndexOutOfRange(start);
  if (end < 0 || end > PointCount(points)) return IndexOutOfRange(end);
  return ToUtf8(std::u32string_view(points).substr(static_cast<size_t>(start),
                                                   static_cast<size_t>(end - start)));
}

absl::StatusOr<std::string> Substring(std::string_view text, int64_t start) {
  const std::u32string points = ToCodePoints(text);
  if (start < 0 || start > PointCount(points)) return IndexOutOfRange(start);
  return ToUtf8(std::u32string_view(points).substr(static_cast<size_t>(start)));
}

std::string LowerAscii(std::string_view text) {
  return AsciiStrToLower(text);
}

std::string UpperAscii(std::string_view text) {
  return AsciiStrToUpper(text);
}

std::string Trim(std::string_view text) {
  const std::u32string points = ToCodePoints(text);
  const auto black = [](char32_t point) { return !IsWhiteSpace(point); };
  const auto first = std::find_if(points.begin(), points.end(), black);
  const auto last = std::find_if(points.rbegin(), points.rend(), black).base();
  return first < last ? ToUtf8(std::u32string(first, last)) : "";
}

std::string Replace(std::string_view text, std::string_view part, std::string_view with,
                    int64_t limit) {
  if (part.empty()) return ReplaceNothing(text, with, LimitOf(limit));
  std::string out;
  for (size_t left = LimitOf(limit); left > 0; --left) {
    const size_t at = text.find(part);
    if (at == text.npos) break;
    out.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + part.size());
  }
  return out.append(text);
}

std::vector<std::string> Split(std::string_view text, std::string_view separator, int64_t limit) {
  if (limit == 0) return {};
  if (separator.empty()) return SplitCodePoints(text, LimitOf(limit));
  std::vector<std::string> pieces;
  while (pieces.size() + 1 < LimitOf(limit)) {
    const size_t at = text.find(separator);
    if (at == text.npos) break;
    pieces.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  pieces.emplace_back(text);
  return pieces;
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char32_t point = TakeCodePoint(&text);
    static constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
    static constexpr std::string_view kLetters = "abfnrtv\\\"";
    const size_t at = point < 0x80 ? kEscaped.find(static_cast<char>(point)) : kEscaped.npos;
    if (at == kEscaped.npos) {
      AppendCodePoint(point, &out);
    } else {
      out.push_back('\\');
      out.push_back(kLetters[at]);
    }
  }
  out.push_back('"');
  return out;
}

}  // namespace bth::cel
