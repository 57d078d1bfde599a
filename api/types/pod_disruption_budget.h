// policy/v1 PodDisruptionBudget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/int_or_string.h"
#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

struct PodDisruptionBudgetSpec {
  std::optional<IntOrString> min_available;
  std::optional<IntOrString> max_unavailable;
  std::optional<LabelSelector> selector;  // absent: no pod; empty: every pod of the namespace
  std::string unhealthy_pod_eviction_policy;
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};

struct PodDisruptionBudgetStatus {
  int64_t observed_generation = 0;
  int32_t disruptions_allowed = 0;
  int32_t current_healthy = 0;
  int32_t desired_healthy = 0;
  int32_t expected_pods = 0;
  SortedMap<absl::Time> disrupted_pods;  // by pod name: already counted, still running
  std::vector<Condition> conditions;
  bool operator==(const PodDisruptionBudgetStatus&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  PodDisruptionBudgetSpec spec;
  PodDisruptionBudgetStatus status;
  bool operator==(const PodDisruptionBudget&) const = default;
};

}  // namespace bth::types
