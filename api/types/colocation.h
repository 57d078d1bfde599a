// config.volcano.sh/v1alpha1 ColocationConfiguration: memory settings for the pods of a namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

// Percentages, 0 to 100.
struct MemoryQos {
  std::optional<int32_t> high_ratio;  // absent: 100
  std::optional<int32_t> low_ratio;   // absent: 0
  std::optional<int32_t> min_ratio;   // absent: 0
  bool operator==(const MemoryQos&) const = default;
};

// What is handed to pods, as JSON in an annotation.
struct ColocationSettings {
  std::optional<MemoryQos> memory_qos;
  bool operator==(const ColocationSettings&) const = default;
};

struct ColocationConfiguration {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  // absent: no pod; empty: every pod of the namespace
  ColocationSettings settings;            // inline in the spec
  std::vector<Condition> conditions;
  bool operator==(const ColocationConfiguration&) const = default;
};

}  // namespace bth::types
