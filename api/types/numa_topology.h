// nodeinfo.volcano.sh/v1alpha1 Numatopology: the NUMA layout of the node of the same name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/types/meta.h"

namespace bth::types {

struct NumaResource {
  std::string allocatable;  // a CPU set such as "0-3,8" for cpu
  int64_t capacity = 0;
  bool operator==(const NumaResource&) const = default;
};

struct CpuPlace {
  int32_t numa = 0;
  int32_t socket = 0;
  int32_t core = 0;
  bool operator==(const CpuPlace&) const = default;
};

struct NumaContainerAllocation {
  std::string name;
  LabelMap allocations;  // a CPU set for cpu
  bool operator==(const NumaContainerAllocation&) const = default;
};

struct NumaPodAllocation {
  std::string uid;
  std::string name;
  std::string ns;
  std::vector<NumaContainerAllocation> containers;  // containerAllocations
  bool operator==(const NumaPodAllocation&) const = default;
};

struct Numatopology {
  ObjectMeta meta;
  LabelMap policies;                  // CPUManagerPolicy, TopologyManagerPolicy
  LabelMap reserved;                  // spec.resReserved
  SortedMap<NumaResource> resources;  // spec.numares
  SortedMap<CpuPlace> cpus;           // spec.cpuDetail, by CPU number
  std::vector<NumaPodAllocation> pod_allocations;
  bool operator==(const Numatopology&) const = default;
};

}  // namespace bth::types
