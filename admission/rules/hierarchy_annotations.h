// The two annotations that place a queue in a tree of weights. Pure, any thread.
#pragma once

#include <string_view>

#include "admission/rules/known.h"
#include "api/rules/field_error.h"
#include "api/types/queue.h"

namespace bth::admission {

inline constexpr std::string_view kHierarchyKey = "volcano.sh/hierarchy";
inline constexpr std::string_view kHierarchyWeightsKey = "volcano.sh/hierarchy-weights";

// At most one finding: lengths, then weights from the left, then the paths of other queues.
rules::FieldErrors CheckHierarchyAnnotations(const types::Queue& queue, const Known& known);

}  // namespace bth::admission
