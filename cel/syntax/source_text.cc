#include "cel/syntax/source_text.h"

#include <algorithm>

namespace bth::cel {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool Continues(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The code point at `*at`, which moves behind it. Overlong forms, surrogates and what lies above
// U+10FFFF are no UTF-8.
char32_t DecodeOne(std::string_view text, size_t* at) {
  const auto first = static_cast<unsigned char>(text[*at]);
  size_t more = 0;
  char32_t point = first;
  if (first >= 0xF0 && first <= 0xF4) {
    more = 3;
    point = first & 0x07U;
  } else if (first >= 0xE0 && first <= 0xEF) {
    more = 2;
    point = first & 0x0FU;
  } else if (first >= 0xC2 && first <= 0xDF) {
    more = 1;
    point = first & 0x1FU;
  } else if (first >= 0x80) {
    ++*at;
    return kReplacement;
  }
  for (size_t i = 1; i <= more; ++i) {
    if (!Continues(text, *at + i)) {
      ++*at;
      return kReplacement;
    }
    point = point << 6 | (static_cast<unsigned char>(text[*at + i]) & 0x3FU);
  }
  const bool valid = (more < 2 || point >= 0x800) && (more < 3 || point >= 0x10000) &&
                     point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  *at += valid ? more + 1 : 1;
  return valid ? point : kReplacement;
}

size_t Utf8Length(char32_t point) {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

}  // namespace

void AppendUtf8(char32_t point, std::string* out) {
  const auto tail = [out](char32_t bits) {
    out->push_back(static_cast<char>(0x80 | (bits & 0x3F)));
  };
  switch (Utf8Length(point)) {
    case 1:
      out->push_back(static_cast<char>(point));
      break;
    case 2:
      out->push_back(static_cast<char>(0xC0 | point >> 6));
      tail(point);
      break;
    case 3:
      out->push_back(static_cast<char>(0xE0 | point >> 12));
      tail(point >> 6);
      tail(point);
      break;
    default:
      out->push_back(static_cast<char>(0xF0 | point >> 18));
      tail(point >> 12);
      tail(point >> 6);
      tail(point);
  }
}

SourceText::SourceText(std::string_view utf8) {
  points_.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) {
    points_.push_back(DecodeOne(utf8, &at));
    if (points_.back() == U'\n') line_starts_.push_back(points_.size());
  }
}

std::u32string_view SourceText::Points(size_t offset, size_t length) const {
  if (offset >= size()) return {};
  return std::u32string_view(points_).substr(offset, length);
}

std::string SourceText::Utf8(size_t offset, size_t length) const {
  std::string text;
  for (const char32_t point : Points(offset, length)) AppendUtf8(point, &text);
  return text;
}

SourcePlace SourceText::Place(int32_t offset) const {
  const auto at = static_cast<size_t>(std::max(offset, 0));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
  const auto line = static_cast<int>(next - line_starts_.begin());
  return {line, static_cast<int>(at - *(next - 1))};
}

std::u32string_view SourceText::LinePoints(int line) const {
  const auto index = static_cast<size_t>(line - 1);
  const size_t begin = line_starts_[index];
  const size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : size();
  return Points(begin, end - begin);
}

std::string SourceText::Line(int line) const {
  std::string text;
  for (const char32_t point : LinePoints(line)) AppendUtf8(point, &text);
  return text;
}

size_t SourceText::LineBytes(int line) const {
  size_t bytes = 0;
  for (const char32_t point : LinePoints(line)) bytes += Utf8Length(point);
  return bytes;
}

}  // namespace bth::cel
