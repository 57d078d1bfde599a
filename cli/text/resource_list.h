// "cpu=1000m,memory=100Mi" as a resource list of a container.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cli {

// An object of quantities in their canonical text; null for an empty text. Of a resource that comes
// twice the last counts. Errors have the words of Volcano and Kubernetes.
absl::StatusOr<types::Json> ParseResourceList(std::string_view text);

}  // namespace bth::cli
