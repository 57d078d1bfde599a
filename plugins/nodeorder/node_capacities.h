// What nodes offer to kube-scheduler's scores, side by side.
#pragma once

#include <optional>

#include "algo/node_scores.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::nodeorder {

struct NodeCapacity {
  algo::CpuMemory cpu_memory;
  int64_t gpu = 0;
};

// A column copied out of the node facts, so that score loops do not visit each node's facts.
// Kept from session to session; only rows in changed chunks are read again.
// Thread: Refresh on the scheduling thread, reads on any.
class NodeCapacities {
 public:
  void Refresh(const model::Snapshot& base);
  const NodeCapacity& operator[](model::NodeId node) const { return rows_[node]; }
  // The dimension of nvidia.com/gpu, if some pod asks for it.
  std::optional<int> gpu_dim() const { return gpu_dim_; }

 private:
  // What `rows_` was made of.
  CowVector<model::NodeId, model::NodeRow> nodes_;
  std::optional<int> gpu_dim_;

  IdVector<model::NodeId, NodeCapacity> rows_;
};

}  // namespace bth::plugins::nodeorder
