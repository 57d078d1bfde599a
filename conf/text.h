// Small helpers for messages. Private to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "conf/value.h"

namespace bth::conf {

// Input as it may be shown in a message: cut after 64 bytes, at the end of a character.
std::string Clip(std::string_view text);

// The place of an element: `tiers[1]`.
std::string ElementPath(std::string_view list, size_t index);

// A value for messages: `"5" (a string)`, `a list`.
std::string Describe(const Value& value);

}  // namespace bth::conf
