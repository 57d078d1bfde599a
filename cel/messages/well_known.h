// The well-known messages of protocol buffers, which expressions may build.
#pragma once

#include "cel/environment.h"

namespace bth::cel {

// google.protobuf.Int32Value and the other wrappers, Value, ListValue, Struct, Any, Duration,
// Timestamp and Empty, and the name google.protobuf.NullValue.NULL_VALUE.
void AddWellKnownMessages(Environment& environment);

}  // namespace bth::cel
