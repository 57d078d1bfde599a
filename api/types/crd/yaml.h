// JSON as YAML for people to read. Pure, any thread.
#pragma once

#include <string>

#include "api/types/json.h"

namespace bth::types::crd {

// Block style, two spaces, members in their order; texts that YAML could take for something else
// are quoted. Ends with a line break.
std::string ToYaml(const Json& json);

}  // namespace bth::types::crd
