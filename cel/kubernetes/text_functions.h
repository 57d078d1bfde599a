// What the strings extension does with texts. Pure. Positions count code points; errors are
// kInvalidArgument with the words of the language's own implementation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::cel {

absl::StatusOr<std::string> CharAt(std::string_view text, int64_t index);
// -1: not found.
absl::StatusOr<int64_t> IndexOf(std::string_view text, std::string_view part, int64_t from);
// `from` is the last position at which the part may begin.
absl::StatusOr<int64_t> LastIndexOf(std::string_view text, std::string_view part, int64_t from);
int64_t LastIndexOf(std::string_view text, std::string_view part);
absl::StatusOr<std::string> Substring(std::string_view text, int64_t start, int64_t end);
absl::StatusOr<std::string> Substring(std::string_view text, int64_t start);

std::string LowerAscii(std::string_view text);
std::string UpperAscii(std::string_view text);
std::string Trim(std::string_view text);
// Up to `limit` occurrences; all when it is negative. An empty `part` stands before each code point
// and at the end.
std::string Replace(std::string_view text, std::string_view part, std::string_view with,
                    int64_t limit);
// At most `limit` pieces; all when it is negative. An empty separator splits into code points.
std::vector<std::string> Split(std::string_view text, std::string_view separator, int64_t limit);
// In double quotes, with escapes for what is not printed as it is; bytes that are no UTF-8 become
// U+FFFD.
std::string Quote(std::string_view text);

}  // namespace bth::cel
