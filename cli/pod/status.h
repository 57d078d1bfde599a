// What Kubernetes' tables say of a pod: how many containers are ready, its status in a word, its
// restarts. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "api/types/json.h"

namespace bth::cli {

struct PodState {
  int64_t ready = 0;
  int64_t containers = 0;  // Sidecars too, other init containers not.
  std::string status;
  int64_t restarts = 0;
  std::optional<absl::Time> restarted_at;  // The last end of a container, when that is known.
};
PodState StateOf(const types::Json& pod);

// "3 (5m ago)".
std::string RestartsText(const PodState& state, absl::Time now);

}  // namespace bth::cli
