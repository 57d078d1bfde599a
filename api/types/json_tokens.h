// A JSON document as a row of tokens: what a text is read into before a tree is made of it. Private
// to this folder and its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bth::types {

// A value, or the key of the value that follows. Texts stay in the document.
struct JsonToken {
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool truth = false;
  uint32_t size = 0;  // Bytes of a text; items or members of what begins here.
  union {
    int64_t whole = 0;
    double real;
    const char* text;
  };
};
using JsonTokens = std::vector<JsonToken>;

// What of a document of the API a token takes, roughly: room is made for as many at once.
inline constexpr size_t kTextPerToken = 7;

// The vector code of readers loads whole blocks, up to this far behind the end of a text.
inline constexpr size_t kReaderPadding = 16;

// Reads documents as programs write them, several times as fast as ReadTokens. False: there is
// something else in it, which may be an error; *tokens and *own are then in any state. `own` is the
// text, of well-formed UTF-8, with kReaderPadding zero bytes behind it; escapes are resolved inside
// of it, and tokens point into it.
bool ScanTokens(std::string* own, int depth_max, JsonTokens* tokens);

// Reads any document. Errors as Json::Parse has them. Tokens point into *own, which begins as a
// copy of `text`.
absl::Status ReadTokens(std::string_view text, int depth_max, std::string* own, JsonTokens* tokens);

}  // namespace bth::types
