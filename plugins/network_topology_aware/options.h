// Arguments of network-topology-aware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "conf/arguments.h"

namespace bth::plugins::network_topology {

struct Options {
  double weight = 1;
  std::map<std::string, double> resources;  // Weights for packing HyperNodes; none is negative.
  bool prefers_tightest = false;  // The HyperNode that has the least left, not the fullest one.
  bool scores_normal_pods = true;
  double fading = 0.8;
  size_t evict_hyper_nodes_max = 8;
};

// Values out of their range are reported, and the default is used.
absl::StatusOr<Options> ReadOptions(const conf::Arguments& args);

}  // namespace bth::plugins::network_topology
