// Whether the kubelet of a node would admit a pod that has CPUs of its own, and which it gives it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "algo/numa_hints.h"
#include "api/model/numa.h"

namespace bth::algo {

struct NumaFit {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t refused = kNone;  // The first container that cannot be admitted.
  model::CpuSet cpus;      // Of all containers; whatever is refused.
  bool admitted() const { return refused == kNone; }
};

// `cpus` has for each container in turn the CPUs it has to itself; 0: none. `free` may hold
// reserved ones.
NumaFit FitNuma(const model::NodeNuma& node, const model::CpuSet& free, NumaPolicy policy,
                absl::Span<const int32_t> cpus);

// On how many NUMA nodes they lie.
int CountNumaNodes(const model::CpuLayout& layout, const model::CpuSet& cpus);

}  // namespace bth::algo
