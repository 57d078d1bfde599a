// Arguments of the gang actions.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "conf/arguments.h"

namespace bth::actions::gang_eviction {

struct Options {
  size_t domains_max = 8;   // maxDomains; below 1: the default, and a finding.
  bool allow_whole = true;  // allowWholeBundle: gangs may be evicted below their minimum.
};

absl::StatusOr<Options> ParseOptions(const conf::Arguments& args);

}  // namespace bth::actions::gang_eviction
