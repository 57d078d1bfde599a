// The victims of a plan as the units in which they can be put back.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "actions/eviction/plan.h"
#include "actions/gang_eviction/bundles.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::actions::gang_eviction {

// Surplus tasks go back one by one, whole gangs all together; the surplus of a gang that goes whole
// does not stay behind. Lives for one search. Thread: scheduling.
class VictimUnits {
 public:
  struct Placement {
    model::TaskId task;
    model::NodeId node;
  };
  // Whether `task` may be pipelined to `node`, as things stand.
  using MayTake = absl::FunctionRef<bool(model::TaskId, model::NodeId)>;

  VictimUnits(framework::Session& session, absl::Span<const Bundle> bundles,
              std::vector<Placement> placements);

  // Puts back whoever the placements can do without: first all at once on whose nodes nobody is
  // placed, then unit by unit, the last first. Afterwards no unit can be left out alone. Cost:
  // victims and placements, for each unit whose room is not plainly needed; at most kStepsMax.
  void Spare(eviction::Plan& plan, MayTake may_take);
  // Makes `plan`, which must be empty, evict the victims that are left and pipeline the placements.
  // False: some placement may not be made, and the plan is empty again.
  bool Apply(eviction::Plan& plan, MayTake may_take) const;

  std::vector<model::JobId> jobs() const;  // Of the victims, each once.
  std::vector<model::TaskId> VictimsOf(model::JobId job) const;
  std::vector<model::TaskId> winners() const;

 private:
  static constexpr size_t kStepsMax = 1'000'000;  // About half a second.

  struct Unit {
    model::JobId job;
    bool whole = false;
    bool kept = true;  // Is evicted.
    std::vector<model::TaskId> tasks;
  };
  bool GoesWhole(model::JobId job) const;
  bool HelpsSomeNode(const Unit& unit) const;
  // With it back in its place, pipelined tasks on its nodes would lack room.
  bool RoomIsNeeded(const Unit& unit) const;
  model::TaskId BeneficiaryOn(model::NodeId node) const;
  bool TryWithout(const std::vector<size_t>& units, eviction::Plan& plan, MayTake may_take);

  framework::Session& session_;
  std::vector<Unit> units_;
  std::vector<Placement> placements_;  // In the order in which they were found.
  absl::flat_hash_map<model::NodeId, model::TaskId> first_on_;  // The first placement of a node.
  absl::flat_hash_map<model::NodeId, model::DimMask> asked_;    // Dimensions, by node.
  size_t steps_ = 0;
};

}  // namespace bth::actions::gang_eviction
