// How the CPUs of a node lie, and which are free.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/model/cpu_set.h"

namespace bth::model {

// Sets of NUMA nodes are bit masks, as in the kubelet, which manages no more than these by default.
using NumaMask = uint8_t;
inline constexpr size_t kNumaNodesMax = 8;

struct CpuCore {
  size_t socket = 0;  // Position in `sockets`.
  CpuSet cpus;
  friend bool operator==(const CpuCore&, const CpuCore&) = default;
};

struct CpuLayout {
  CpuSet all;
  std::vector<CpuSet> numa_nodes;  // By id; bit n of a NumaMask is the n-th of them.
  std::vector<int32_t> numa_ids;   // Of them.
  std::vector<CpuSet> sockets;     // By id.
  std::vector<CpuCore> cores;      // By socket and id.
  friend bool operator==(const CpuLayout&, const CpuLayout&) = default;

  NumaMask AllNumaNodes() const { return static_cast<NumaMask>((1u << numa_nodes.size()) - 1); }
  // Of the NUMA nodes in the mask.
  CpuSet CpusIn(NumaMask mask) const {
    CpuSet cpus;
    for (size_t n = 0; n < numa_nodes.size(); ++n) {
      if ((mask >> n & 1) != 0) cpus |= numa_nodes[n];
    }
    return cpus;
  }
};

// What a Numatopology says. Immutable.
struct NumaFacts {
  CpuLayout layout;
  CpuSet allocatable;           // Given to nobody alone, by the last report; all within the layout.
  int32_t reserved_cpus = 0;    // Kept for the system.
  bool static_cpus = false;     // CPUs are given to containers alone (CPUManagerPolicy static).
  std::string topology_policy;  // TopologyManagerPolicy.
  friend bool operator==(const NumaFacts&, const NumaFacts&) = default;
};

// As a snapshot shows it. Immutable.
struct NodeNuma {
  std::shared_ptr<const NumaFacts> facts;
  CpuSet reserved;  // Which ones that are.
  CpuSet free;      // Less those of pods that are bound, and that no report shows yet.
};

}  // namespace bth::model
