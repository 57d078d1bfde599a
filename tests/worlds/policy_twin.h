// The slow twin of filters that policies bring along: the windows of tdm, the thresholds of usage
// and the reserve of resource-strategy-fit, each by its rules as they are written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/worlds/random_world.h"

namespace bth::test {

struct LoadLimits {  // Percent.
  int64_t cpu = 80;
  int64_t memory = 80;
};
// What stays free beside each idle GPU, in quarters of a core and of a decimal gigabyte.
struct GpuReserve {
  int64_t cpu_quarters = 4;
  int64_t memory_quarters = 4;
};

// What a policy tells plugins that refuse nodes; nothing, or false: the plugin is not in it.
struct PolicyFilters {
  std::optional<std::map<std::string, std::string>> windows = {};  // tdm: by zone, as written.
  std::optional<LoadLimits> loads = {};                            // usage
  std::optional<GpuReserve> reserve = {};                          // resource-strategy-fit
  bool network = false;                                            // network-topology-aware
  bool cards = false;                                              // deviceshare
  bool cpus = false;                                               // numa-aware
};

// "": nothing speaks against the node.
class PolicyTwin {
 public:
  explicit PolicyTwin(PolicyFilters filters) : filters_(std::move(filters)) {}

  // By tdm, at the time of every world (kWorldSeconds).
  std::string WhyClosed(const PodSpec& pod, const NodeSpec& node) const;
  // By usage.
  std::string WhyBusy(const NodeSpec& node) const;

  struct Idle {
    int64_t cpu_milli = 0;
    int64_t memory_bytes = 0;
    int64_t gpu_milli = 0;
  };
  // By resource-strategy-fit, of a node with so much idle.
  std::string WhyReserved(const PodSpec& pod, const Idle& idle) const;

 private:
  const PolicyFilters filters_;
};

}  // namespace bth::test
