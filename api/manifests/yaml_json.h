// YAML as JSON. Pure functions.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "conf/value.h"

namespace bth::manifests {

// The same value; keys become strings, as JSON spells them (80 is "80", on is "true").
types::Json JsonOf(const conf::Value& value);

// One document of a user's file, up to 16 MiB; empty text is null, of a key that comes twice the
// last one counts. JSON is YAML too. Errors (kInvalidArgument) name the line.
absl::StatusOr<types::Json> JsonFromYaml(std::string_view text);

// The text before the first line that begins a second document: the only one that some commands
// read.
std::string_view FirstDocument(std::string_view text);

}  // namespace bth::manifests
