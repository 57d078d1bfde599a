// The texts of plain values, as Go writes and reads them: what expressions' conversions give and
// what their messages quote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace bth::cel {

// Shortest text that reads back as the same number: 1, 0.5, 1e+06, NaN, +Inf.
std::string DoubleText(double value);
// The same without an exponent.
std::string PlainDoubleText(double value);

// In quotes, with escapes for what is not printed.
std::string QuotedText(std::string_view text);

// What reading a number may find.
enum class NumberFault : uint8_t { kNone, kSyntax, kRange };
NumberFault ReadInt(std::string_view text, int64_t* out);
NumberFault ReadUint(std::string_view text, uint64_t* out);
NumberFault ReadDouble(std::string_view text, double* out);

// Code points of valid UTF-8. Other bytes count as one each.
uint64_t CountCodePoints(std::string_view text);
bool IsValidUtf8(std::string_view text);

// Nothing: not base64 with padding.
std::optional<std::string> DecodeBase64(std::string_view text);
std::string EncodeBase64(std::string_view bytes);

// A key or index in a message: texts as they are, numbers in digits.
std::string KeyText(const Value& key);

}  // namespace bth::cel
