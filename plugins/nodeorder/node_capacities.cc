#include "plugins/nodeorder/node_capacities.h"

#include <algorithm>

namespace bth::plugins::nodeorder {

using model::NodeId;

void NodeCapacities::Refresh(const model::Snapshot& base) {
  // Rows are laid out by dimension, so another table makes every row stale. The cpu and memory
  // dimensions never move.
  const std::optional<int> gpu_dim = base.dims->Find("nvidia.com/gpu");
  if (gpu_dim != gpu_dim_) nodes_ = {};
  gpu_dim_ = gpu_dim;
  rows_.resize(base.nodes.size());
  constexpr size_t kChunk = decltype(nodes_)::kRowsPerChunk;
  for (size_t chunk = 0; chunk < base.nodes.chunk_count(); ++chunk) {
    if (base.nodes.SharesChunk(nodes_, chunk)) continue;
    const size_t end = std::min(base.nodes.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      const NodeId node = NodeId::FromIndex(i);
      if (!base.nodes[node].has_object()) continue;
      const model::ResourceVec& whole = base.node_facts(node).kube_allocatable;
      rows_[node] = {.cpu_memory = {.cpu = whole[model::kCpu], .memory = whole[model::kMemory]},
                     .gpu = gpu_dim ? whole[*gpu_dim] : 0};
    }
  }
  nodes_ = base.nodes;
}

}  // namespace bth::plugins::nodeorder
