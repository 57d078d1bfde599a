// The definitions of our kinds, so that programs need no files beside them.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cmd {

// The CustomResourceDefinitions of deploy/crds, in the order of their files.
absl::StatusOr<std::vector<types::Json>> EmbeddedCrds();

}  // namespace bth::cmd
