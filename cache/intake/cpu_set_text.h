// Sets of CPUs as the kubelet writes them.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/cpu_set.h"

namespace bth::cache {

// "0-3,8": numbers and ranges, in any order, which may overlap. Empty: none. kInvalidArgument
// quotes what cannot be read, or a number that is too large.
absl::StatusOr<model::CpuSet> ParseCpuSet(std::string_view text);

}  // namespace bth::cache
