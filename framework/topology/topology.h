// What the jobs of a session ask of the network, and where they are in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "framework/hooks/hooks.h"
#include "framework/session/placements.h"
#include "framework/topology/domain_slots.h"
#include "framework/topology/domain_sums.h"
#include "framework/topology/gang_places.h"
#include "framework/topology/sub_job_tasks.h"

namespace bth::framework {

// Lives with its session. Thread: scheduling. Costs arise when somebody asks, and follow the tasks
// of the jobs that are asked about and what is placed.
class Topology {
 public:
  // All of them outlive it.
  Topology(const model::Snapshot& base, const HookTable& hooks, const Placements& placements)
      : base_(base), hooks_(hooks), placements_(placements), sub_job_tasks_(base) {}

  // Before the table is frozen: hears of moves from now on.
  void Follow(HookTable& hooks);

  // HyperNodes, or the root alone when there are none.
  const model::HyperNodeTree& tree() const;
  DomainSums& sums() const;
  // Somebody has asked for sums: they are kept.
  bool keeps_sums() const { return sums_ != nullptr; }
  // At most so many tasks of the shape find room in the HyperNode. `session` is the one it belongs
  // to.
  int64_t SlotsIn(const Session& session, model::ShapeId shape, model::HyperNodeId id) const;
  // The nodes of the HyperNode have so much free together, now or when releasing pods have left.
  bool HasFree(model::HyperNodeId id, const model::ResourceVec& minimum) const;
  // The same up to `enough`, for a single question: of large HyperNodes it is not found out, and
  // `enough`.
  int64_t SlotsUpTo(const Session& session, model::ShapeId shape, model::HyperNodeId id,
                    int64_t enough) const;

  // Some plugin says where gangs go: bounds count.
  bool enforced() const { return !hooks_.hyper_node_gradient.empty(); }
  // The highest tier that the job may span; nothing: it is free. Soft ones have the root's, those
  // that name a tier that no HyperNode has have kNoTier: nothing is inside of it.
  std::optional<int32_t> BoundOf(model::JobId job) const;
  std::optional<int32_t> BoundOf(model::SubJobId sub_job) const;
  // Which unknown tier the bound names, and what helps; empty: it does not. Of the job itself, and
  // of a sub-job.
  std::string UnknownTierOf(model::JobId job) const;
  std::string UnknownTierOf(model::SubJobId sub_job) const;
  // Either of those that the task is of does.
  bool NamesUnknownTier(model::TaskId task) const;
  // The job, or some sub-job of it, has a bound that counts.
  bool IsBound(model::JobId job) const;
  // Asks for anything at all, be it that nobody understands it.
  bool Asks(model::SubJobId sub_job) const;

  // In the order of the job; valid as long as the session. Cost: those of the job, once; then
  // theirs.
  absl::Span<const model::TaskId> TasksOf(model::SubJobId sub_job) const {
    return sub_job_tasks_.Of(sub_job);
  }

  // The lowest HyperNode that all placed and pipelined tasks are in; invalid: there are none.
  model::HyperNodeId AllocatedIn(model::JobId job) const;
  model::HyperNodeId AllocatedIn(model::SubJobId sub_job) const;
  // Of one that has a bound and such tasks: the highest HyperNodes up to the bound that all of them
  // are in; several where HyperNodes overlap.
  std::vector<model::HyperNodeId> HighestFor(model::JobId job) const;
  std::vector<model::HyperNodeId> HighestFor(model::SubJobId sub_job) const;
  // Of its placed and pipelined tasks.
  int32_t TasksIn(model::SubJobId sub_job, model::HyperNodeId id) const;

  // Some node may be out of bounds for the task, by where the rest of its gang is, or because it is
  // in no HyperNode that is low enough.
  bool Restricts(model::TaskId task) const;
  // The node is within what the gang of the task may span, together with where it is already.
  bool Permits(model::TaskId task, model::NodeId node) const;
  // The same of many nodes: calls refuse(node) for those that are not.
  void ForEachOutside(model::TaskId task, model::NodeRange nodes,
                      absl::FunctionRef<void(model::NodeId)> refuse) const;

 private:
  const model::NetworkTopologySpec* SpecOf(model::SubJobId sub_job) const;
  // Whose tier bounds the sub-job: its own, or that of its job; null: nobody's.
  const model::NetworkTopologySpec* BindingSpecOf(model::SubJobId sub_job) const;
  GangPlaces& PlacesOf(model::JobId job) const;
  GangPlaces& PlacesOf(model::SubJobId sub_job) const;
  GangPlaces CountPlaces(absl::Span<const model::TaskId> tasks) const;
  void Note(model::TaskId task, model::NodeId node, int32_t sign);
  // Every ready node is in a HyperNode up to that tier.
  int32_t covered_from() const;
  // Null: they leave every node open.
  template <typename Id>
  const GangPlaces* PlacesThatBind(Id id, std::optional<int32_t> bound) const;

  const model::Snapshot& base_;
  const HookTable& hooks_;
  const Placements& placements_;
  mutable std::shared_ptr<const model::HyperNodeTree> tree_;
  mutable std::unique_ptr<DomainSums> sums_;
  mutable std::optional<int32_t> covered_from_;
  mutable SubJobTasks sub_job_tasks_;
  // Of shapes that were asked about; begun anew when there are kShapesMax.
  static constexpr size_t kShapesMax = 256;
  mutable absl::flat_hash_map<model::ShapeId, std::unique_ptr<DomainSlots>> slots_;
  // Of those that were asked about.
  mutable absl::flat_hash_map<model::JobId, GangPlaces> jobs_;
  mutable absl::flat_hash_map<model::SubJobId, GangPlaces> sub_jobs_;
};

}  // namespace bth::framework
