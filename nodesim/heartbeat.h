// When a node says that it is still there.
#pragma once

#include <string_view>

#include "absl/time/time.h"

namespace bth::nodesim {

// The first moment after `now` at which the node of that name is due. Each name has a moment of its
// own within `period`, on the clock and whoever asks: thousands of nodes spread evenly, also when
// they were made together, and a simulator that starts anew keeps their turns.
absl::Time NextHeartbeat(std::string_view node, absl::Duration period, absl::Time now);

}  // namespace bth::nodesim
