// Which node is the better one, by where it is in the network.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "plugins/network_topology_aware/options.h"
#include "plugins/network_topology_aware/packing.h"

namespace bth::plugins::network_topology {

// Scores of pods that ask for a topology go by how near a node is to where their gang is; those of
// others fill HyperNodes up. Lives for one session. Thread: scheduling.
class NodeScores {
 public:
  NodeScores(const framework::Session& session, const Options& options);

  // False: it would add the same to every node.
  bool Concerns(model::TaskId task) const;
  void Add(model::TaskId task, absl::Span<const model::NodeId> nodes, absl::Span<double> sum) const;
  // Pods that ask for nothing: nodes that are in the same HyperNodes are alike.
  bool Likeness(model::TaskId task, framework::NodeLikeness* out) const;
  // As Add, of such groups.
  void AddAlike(model::TaskId task, absl::Span<const framework::AlikeNodes> groups,
                absl::Span<double> sum) const;
  // How good HyperNodes are for a sub-job that finds room in each of them.
  void AddOrder(model::SubJobId sub_job, absl::Span<const model::HyperNodeId> candidates,
                absl::Span<double> sum) const;
  // The same of a sub-job of which nothing is placed, at most, once tasks that ask for `before`
  // together or for less are.
  void AddMost(model::SubJobId sub_job, const model::ResourceVec& before,
               absl::Span<const model::HyperNodeId> candidates, absl::Span<double> sum) const;

 private:
  void AddNear(model::TaskId task, absl::Span<const model::NodeId> nodes,
               absl::Span<double> sum) const;
  void AddPacked(model::TaskId task, absl::Span<const model::NodeId> nodes,
                 absl::Span<double> sum) const;
  bool AsksForTopology(model::TaskId task) const;

  const framework::Session& session_;
  const Options& options_;
  const Packing packing_;
  const TierWeights tier_weights_;
  // Then what is known is found out anew.
  static constexpr size_t kShapesMax = 256;
  // How full HyperNodes would be with a task of the shape, when their sums were of that version.
  struct Packed {
    uint64_t version = 0;
    double score = 0;
  };
  mutable absl::flat_hash_map<model::ShapeId, IdVector<model::HyperNodeId, Packed>> packed_;
};

}  // namespace bth::plugins::network_topology
