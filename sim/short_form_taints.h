// Taints of nodes and what pods bear of them, in short forms.
#pragma once

#include <string>

#include "api/types/json.h"

namespace bth::sim {

// `key=value:Effect` with parts left out from the left of `:` and from the right of `=`.
void AddTaintTo(types::Json* node, const std::string& taint);
// The same, or `*` for all taints.
void AddTolerationTo(types::Json* pod, const std::string& taint);

}  // namespace bth::sim
