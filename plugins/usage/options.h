// The arguments of plugin usage.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "plugins/usage/estimate.h"

namespace bth::plugins::usage {

struct Options {
  int64_t weight = 5;
  Weights weights;
  int64_t cpu_threshold = 80;  // Percent; above it a node takes no pods.
  int64_t memory_threshold = 80;
  Estimator estimator;
};

// Values out of range or of a wrong type are reported and replaced by the default.
absl::StatusOr<Options> ReadOptions(const conf::Arguments& args);

// A quantity such as "500m" or "300Mi" in units, `per_unit` of them in a whole one, rounded up.
// Nothing for what is no quantity or negative.
std::optional<int64_t> ReadQuantity(std::string_view text, int64_t per_unit);

}  // namespace bth::plugins::usage
