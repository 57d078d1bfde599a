// scheduling.k8s.io/v1 PriorityClass.
#pragma once

#include <cstdint>
#include <string>

#include "api/types/meta.h"

namespace bth::types {

struct PriorityClass {
  ObjectMeta meta;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;  // PreemptLowerPriority (also empty), Never
  std::string description;
  bool operator==(const PriorityClass&) const = default;
};

}  // namespace bth::types
