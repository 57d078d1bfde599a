// Comparisons of filters. Private to this folder.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cli::jsonpath {

// `op` is what stood between: "==", "<=" … kInvalidArgument for values that cannot be compared with
// each other (numbers with and without fraction are two kinds) and for operators that are none.
absl::StatusOr<bool> Compare(const types::Json& left, std::string_view op,
                             const types::Json& right);

}  // namespace bth::cli::jsonpath
