// Small helpers for messages. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "conf/value.h"

namespace bth::conf {

// Input as it may be shown in a message: cut after 64 bytes, at the end of a character.
std::string Clip(std::string_view text);

// A value for messages: `"5" (a string)`, `a list`.
std::string Describe(const Value& value);

}  // namespace bth::conf
