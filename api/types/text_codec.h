// Pieces shared by the JSON readers and writers of this folder: UTF-8 checking and the appending of
// scalars to a JSON text. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bth::types {

// Offset of the first byte that is not part of well-formed UTF-8 (no surrogates, no overlong
// forms), or text.size(). Runs over plain ASCII eight bytes at a time.
size_t Utf8ValidPrefix(std::string_view text);

// Whether `text` is plain ASCII that stands in quotes as it is.
bool NeedsNoEscapes(std::string_view text);

// Appends `text` in quotes, escaped. Ill-formed UTF-8 bytes become U+FFFD, so that the output is
// always valid JSON.
void AppendJsonString(std::string_view text, std::string* out);

void AppendJsonInt(int64_t value, std::string* out);

// Shortest text that reads back as the same double; integral values keep ".0" so that they stay
// doubles. JSON has no infinities or NaN: they are written as null.
void AppendJsonDouble(double value, std::string* out);

}  // namespace bth::types
