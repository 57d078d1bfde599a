#include "plugins/overcommit/cluster_use.h"

#include <algorithm>

#include "algo/queue_claims.h"

namespace bth::plugins::overcommit {
namespace {

using algo::JobChanges;
using model::NodeId;
using model::ResourceVec;

// Use of the ready nodes in one chunk of rows.
template <typename Nodes, typename Amounts>
ResourceVec UseOfChunk(const Nodes& nodes, const Amounts& allocatable, const Amounts& idle,
                       size_t chunk) {
  ResourceVec use;
  const size_t begin = chunk * Nodes::kRowsPerChunk;
  const size_t end = std::min({begin + Nodes::kRowsPerChunk, nodes.size(), idle.size()});
  for (size_t i = begin; i < end; ++i) {
    const NodeId node = NodeId::FromIndex(i);
    if (!nodes[node].ready()) continue;
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
  const size_t chunks = std::max(nodes_.chunk_count(), base.nodes.chunk_count());
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    if (base.nodes.SharesChunk(nodes_, chunk) &&
        base.allocatable.SharesChunk(allocatable_, chunk) &&
        base.usage.idle.SharesChunk(idle_, chunk)) {
      continue;
    }
    used_ -= UseOfChunk(nodes_, allocatable_, idle_, chunk);
    used_ += UseOfChunk(base.nodes, base.allocatable, base.usage.idle, chunk);
  }
  nodes_ = base.nodes;
  allocatable_ = base.allocatable;
  idle_ = base.usage.idle;
}

void ClusterUse::FollowJobs(const model::Snapshot& base) {
  const model::DimMask reservable = algo::ReservableDims(*base.dims);
  changes_.Advance(
      base, [this] { reserved_ = {}; },
      [&](model::JobId, const JobChanges::Job* before, const JobChanges::Job* now) {
        if (before != nullptr) {
          reserved_ -= algo::ReservedInCluster(before->row, before->counts, reservable);
        }
        if (now != nullptr) {
          reserved_ += algo::ReservedInCluster(now->row, now->counts, reservable);
        }
      });
}

}  // namespace bth::plugins::overcommit
