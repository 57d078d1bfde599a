// status.nodeCount of a HyperNode. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/types/hyper_node.h"
#include "api/types/node.h"

namespace bth::controllers {

using NodeList = std::vector<std::shared_ptr<const types::Node>>;

// How many names the members select together. An exact name counts whether or not there is such an
// object; patterns and labels select among `nodes`, for members that are HyperNodes too. A pattern
// matches anywhere in a name. A pattern or selector that cannot be read, and an empty selector,
// select nothing. Cost: O(members x nodes) without exact names.
int64_t CountNodes(const types::HyperNode& hyper_node, const NodeList& nodes);

// False when every member is named exactly, so that the count does not depend on nodes.
bool DependsOnNodes(const types::HyperNode& hyper_node);

}  // namespace bth::controllers
