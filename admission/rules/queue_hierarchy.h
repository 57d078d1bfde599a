// Do the amounts of a queue agree with those above, beside and below it? Pure, any thread.
#pragma once

#include <optional>

#include "admission/rules/known.h"
#include "admission/rules/request.h"
#include "api/types/queue.h"

namespace bth::admission {

// Nothing: they do. Looks up, then down; a capability is compared with the nearest ancestor and the
// nearest descendants that have one, guarantee and deserved of siblings are summed up. Circles
// among queues that are there already end the look. Cost: the resources of all ancestors, siblings
// and descendants, each once.
std::optional<Verdict> CheckHierarchy(const types::Queue& queue, const Known& known);

}  // namespace bth::admission
