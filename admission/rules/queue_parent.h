// May a queue stand below the parent it names? Pure, any thread.
#pragma once

#include <optional>

#include "admission/rules/known.h"
#include "admission/rules/request.h"
#include "api/types/queue.h"

namespace bth::admission {

// The queue at the top of the tree, which is nobody's child.
inline constexpr std::string_view kRootQueue = "root";

// Nothing: it may. Itself, its descendants, too deep a place, a parent that is missing or at work
// are refused. Cost: a step per ancestor, `depth_max` at most.
std::optional<Verdict> CheckParent(const types::Queue& queue, int depth_max, const Known& known);

// How many pods the queue has room given to: status.allocated.pods.
int64_t AllocatedPods(const types::Queue& queue);

}  // namespace bth::admission
