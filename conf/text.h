// Small helpers for messages. Private to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "conf/value.h"

namespace bth::conf {

// Input as it may be shown in a message: cut after 64 bytes, at the end of a character.
std::string Clip(std::string_view text);

// The place of an element: `tiers[1]`.
std::string ElementPath(std::string_view list, size_t index);

// A value for messages: `"5" (a string)`, `a list`.
std::string Describe(const Value& value);

// The place of `key` in what stands at `path`: `tiers[1].plugins`.
std::string Sub(std::string_view path, std::string_view key);

// `line 3: tiers[0].plugins[1].name: <text>`.
std::string Place(int line, std::string_view path, std::string_view text);

// What a value at `path` is refused for.
absl::Status WrongType(const Value& value, std::string_view path, std::string_view wanted);
absl::Status TooMany(const Value& value, std::string_view path, size_t limit);

}  // namespace bth::conf
