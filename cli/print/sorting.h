// `--sort-by`: the order of a list by the value of a path.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/types/json.h"

namespace bth::cli {

// The places of `items` in order of what `path` finds in each: objects without a value first,
// numbers by value, texts that are quantities (`500m`, `2Gi`) by what they mean, other texts by
// their bytes, which is the order of times as well. Ties keep their order. kInvalidArgument with
// kubectl's text when no object has a value, or when values have no order.
absl::StatusOr<std::vector<size_t>> OrderBy(std::string_view path,
                                            absl::Span<const types::Json> items);

}  // namespace bth::cli
