#include "cel/kubernetes/code_points.h"

namespace bth::cel {
namespace {

// Bytes of the sequence that `lead` begins, or 0.
size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

bool IsUnicodeScalar(char32_t point, size_t length) {
  if (length == 3) return point >= 0x800 && (point < 0xD800 || point > 0xDFFF);
  return length != 4 || (point >= 0x10000 && point <= 0x10FFFF);
}

}  // namespace

char32_t TakeCodePoint(std::string_view* text, bool* valid) {
  const auto lead = static_cast<unsigned char>(text->front());
  const size_t length = SequenceLength(lead);
  char32_t point = length == 1 ? lead : static_cast<char32_t>(lead & (0xFFU >> (length + 1)));
  bool good = length > 0 && length <= text->size();
  for (size_t i = 1; good && i < length; ++i) {
    const auto byte = static_cast<unsigned char>((*text)[i]);
    good = (byte & 0xC0U) == 0x80U;
    point = (point << 6U) | (byte & 0x3FU);
  }
  good = good && IsUnicodeScalar(point, length);
  if (valid != nullptr) *valid = good;
  text->remove_prefix(good ? length : 1);
  return good ? point : kReplacement;
}

void AppendCodePoint(char32_t point, std::string* out) {
  const auto add = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0U | (point >> 6U));
    add(0x80U | (point & 0x3FU));
  } else if (point < 0x10000) {
    add(0xE0U | (point >> 12U));
    add(0x80U | ((point >> 6U) & 0x3FU));
    add(0x80U | (point & 0x3FU));
  } else {
    add(0xF0U | (point >> 18U));
    add(0x80U | ((point >> 12U) & 0x3FU));
    add(0x80U | ((point >> 6U) & 0x3FU));
    add(0x80U | (point & 0x3FU));
  }
}

std::u32string ToCodePoints(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) points.push_back(TakeCodePoint(&text));
  return points;
}

std::string ToUtf8(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  for (char32_t point : points) AppendCodePoint(point, &text);
  return text;
}

bool IsWhiteSpace(char32_t point) {
  if (point >= 0x09 && point <= 0x0D) return true;
  if (point >= 0x2000 && point <= 0x200A) return true;
  for (char32_t space : {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}) {
    if (point == space) return true;
  }
  return false;
}

}  // namespace bth::cel
