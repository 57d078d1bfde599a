// Manifests as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cmd {

// The documents of a YAML text, anchors and merge keys resolved; empty documents are left out.
// Errors (kInvalidArgument) name `origin`, document and line.
absl::StatusOr<std::vector<types::Json>> ObjectsFromYaml(std::string_view text,
                                                         std::string_view origin);

}  // namespace bth::cmd
