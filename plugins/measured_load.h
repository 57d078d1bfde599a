// What plugins hold true of the measured load of nodes.
#pragma once

#include "absl/time/time.h"

namespace bth::plugins {

// A measurement older than this is not trusted.
inline constexpr absl::Duration kLoadTrustedFor = absl::Minutes(5);

}  // namespace bth::plugins
