// What a google.protobuf.Any holds: a well-known message, encoded.
#pragma once

#include <string_view>

#include "cel/messages/message_spec.h"
#include "cel/values/value.h"

namespace bth::cel {

// Messages within messages.
inline constexpr int kMessageDepthMax = 100;

// The value that the message stands for whose name `type_url` ends with, after a slash if it has
// one. Errors: a Value::Error, no such message, or bytes that are none.
Value UnpackMessage(std::string_view type_url, std::string_view bytes, MakingState& state);

}  // namespace bth::cel
