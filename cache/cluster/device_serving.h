// Extended resources that devices serve, as amounts of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/cluster/device_claim_mirror.h"
#include "cache/cluster/node_table.h"
#include "cache/cluster/vocabulary.h"

namespace bth::cache {

// A node has as much of such a resource as devices of its class can be used there, unless its own
// object offers the resource. Which of them are free is told by the filter that gives them out.
// Thread: I/O. Cost: nothing while no class serves a resource that some pod asks for; else, after a
// change of devices, nodes or such resources, the nodes.
class DeviceServing {
 public:
  // Before a snapshot is made.
  void Publish(DeviceClaimMirror& claims, NodeTable& nodes, const Vocabulary& vocabulary);

 private:
  using Served = std::vector<std::pair<std::string, std::string>>;  // Resource and class.

  Served served_;
  uint64_t offers_ = 0;
  uint64_t nodes_ = 0;
};

}  // namespace bth::cache
