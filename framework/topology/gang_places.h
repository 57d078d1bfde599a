// In which HyperNodes the tasks of a job or sub-job are.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/hyper_nodes.h"

namespace bth::framework {

// Counts placed and pipelined tasks. Nodes that are not ready say nothing about the network, and
// what is there does not count. Thread: scheduling. Cost of each call: the depth of the tree.
class GangPlaces {
 public:
  void Move(const model::HyperNodeTree& tree, model::NodeId node, int32_t sign);

  // The lowest HyperNode that all of them are in; invalid: there are none.
  model::HyperNodeId Allocated(const model::HyperNodeTree& tree) const;
  // The highest up to that tier that all of them are in; several where HyperNodes overlap.
  std::vector<model::HyperNodeId> HighestUpTo(const model::HyperNodeTree& tree, int32_t tier) const;
  int32_t In(model::HyperNodeId id) const;
  int32_t tasks() const { return tasks_; }

 private:
  int32_t tasks_ = 0;
  absl::flat_hash_map<model::HyperNodeId, int32_t> by_hyper_node_;
  absl::flat_hash_map<model::NodeId, int32_t> by_node_;
};

}  // namespace bth::framework
