#include "plugins/overcommit/cluster_use.h"

#include <algorithm>

#include "algo/queue_claims.h"
#include "base/next_different_row.h"

namespace bth::plugins::overcommit {
namespace {

using algo::JobChanges;
using model::NodeId;
using model::ResourceVec;

constexpr size_t kBlockRows = model::NodeAmounts::kRowsPerChunk;

// Use of the ready nodes in one block of rows.
template <typename Nodes>
ResourceVec UseOfBlock(const Nodes& nodes, const model::NodeAmounts& allocatable,
                       const model::NodeAmounts& idle, size_t begin) {
  ResourceVec use;
  const size_t end = std::min({begin + kBlockRows, nodes.size(), idle.size()});
  for (size_t i = begin; i < end; ++i) {
    const NodeId node = NodeId::FromIndex(i);
    if (!nodes[node].has_object()) continue;
    use += allocatable[node];
    use -= idle[node];
  }
  return use;
}

}  // namespace

void ClusterUse::Advance(const model::Snapshot& base) {
  FollowNodes(base);
  FollowJobs(base);
}

void ClusterUse::FollowNodes(const model::Snapshot& base) {
  if (dims_ != base.dims) {
    dims_ = base.dims;
    nodes_ = {};
    allocatable_ = {};
    idle_ = {};
    used_ = {};
  }
  const size_t rows = std::max(nodes_.size(), base.nodes.size());
  for (size_t row = 0; row < rows; row += kBlockRows) {
    row = std::min({NextRowThatMayDiffer(base.nodes, nodes_, row),
                    NextRowThatMayDiffer(base.allocatable, allocatable_, row),
                    NextRowThatMayDiffer(base.usage.idle, idle_, row)});
    if (row >= rows) break;
    used_ -= UseOfBlock(nodes_, allocatable_, idle_, row);
    used_ += UseOfBlock(base.nodes, base.allocatable, base.usage.idle, row);
  }
  nodes_ = base.nodes;
  allocatable_ = base.allocatable;
  idle_ = base.usage.idle;
}

void ClusterUse::FollowJobs(const model::Snapshot& base) {
  const model::DimMask inqueue_dims = algo::InqueueDims(*base.dims);
  changes_.Advance(
      base, [this] { inqueue_ = {}; },
      [&](model::JobId, const JobChanges::Job* before, const JobChanges::Job* now) {
        if (before != nullptr) {
          inqueue_ -= algo::InqueueInCluster(before->row, before->counts, inqueue_dims);
        }
        if (now != nullptr) {
          inqueue_ += algo::InqueueInCluster(now->row, now->counts, inqueue_dims);
        }
      });
}

}  // namespace bth::plugins::overcommit
