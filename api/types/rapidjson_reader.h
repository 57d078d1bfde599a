// RapidJSON's reader with its vector code. Included by the two sources that parse: what it is built
// with must be the same in both, as they may be compiled together. Private to this folder.
#pragma once

#include <cstddef>

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif

#include "rapidjson/error/en.h"
#include "rapidjson/reader.h"

namespace bth::types {

// The vector code loads whole aligned blocks, up to this far behind the end of a text.
inline constexpr size_t kReaderPadding = 16;

}  // namespace bth::types
