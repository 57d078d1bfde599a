// Measured load of nodes, for plugins that look at it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bth::model {

// Averages over the period that the source was asked for, in percent of the node's capacity.
struct NodeLoad {
  double cpu_percent = 0;
  double memory_percent = 0;
  int64_t measured_at_us = 0;  // Microseconds since the epoch.
  friend bool operator==(const NodeLoad&, const NodeLoad&) = default;
};

// By node name. Immutable once published.
using NodeLoads = std::map<std::string, NodeLoad, std::less<>>;

}  // namespace bth::model
