// Runs a document through a handler with the events of Decoder. Private to this folder's .cc files.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "api/types/decoder.h"
#include "api/types/json.h"

namespace bth::types {

// Parses `text` in place: strings are unescaped inside of it, and keys that `decoder` remembers
// point into it. Errors are those of the document's syntax; what is wrong with its content is in
// decoder->error().
absl::Status ReadInPlace(std::string* text, Decoder* decoder);

// The same events from a tree.
void ReadTree(const Json& json, Decoder* decoder);

}  // namespace bth::types
