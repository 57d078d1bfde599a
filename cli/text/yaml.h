// YAML files of users as JSON.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cli {

// One document; empty text is null. JSON is YAML too. Errors (kInvalidArgument) name the line.
absl::StatusOr<types::Json> JsonFromYaml(std::string_view text);

// The text before the first line that begins a second document: the only one that is read.
std::string_view FirstDocument(std::string_view text);

}  // namespace bth::cli
