// Device claims of pods against devices, as the session goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/device_allocation.h"
#include "api/model/device_claims.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "plugins/predicates/device_verdicts.h"

namespace bth::plugins::predicates {

// How a pod's claims stand to a node.
struct DeviceFit {
  enum class Kind : uint8_t {
    kFits,
    kElsewhere,  // A claim has devices that cannot be used from there.
    kNone,       // There are not the devices that its claims ask for.
    kFault,      // `text` tells.
    kGivenUp,
  };
  Kind kind = Kind::kFits;
  std::string text;
  int64_t score = 0;  // By the alternatives that were taken.
};

// As kube-scheduler says it; empty of a kind that has no words of its own.
std::string_view WordsFor(DeviceFit::Kind kind);

// Which devices the claims of the pods placed in this session are given; what one has, no other
// gets. Searches are bounded: a pod has the steps of eight nodes, all pods of a session have those
// of twenty, whoever asks first, and pods of the namespace whose turn it is (DeviceTurns) those of
// eight more once the others are spent. Lives for one session. Thread: scheduling.
class DeviceClaimBook {
 public:
  // `steps_max`: of the search for one pod on one node. `verdicts` outlives it.
  DeviceClaimBook(framework::Session& session, int64_t steps_max, DeviceVerdicts& verdicts);
  ~DeviceClaimBook();

  // There are devices or claims: what a pod is placed with may matter to others.
  bool follows_places() const { return !view_.claims.empty() || !view_.pools.empty(); }

  // Why the pod's claims keep it off all nodes; empty: they do not.
  std::string WhyNowhere(model::TaskId task);
  DeviceFit Fit(model::TaskId task, model::NodeId node);
  // A search for the task was given up that would get further in the next session, though nothing
  // changed: others had used up its steps, or it ran expressions for the first time.
  bool IsCutShort(model::TaskId task) const { return cut_short_.contains(task); }
  // Some claim that is to be allocated has alternatives.
  bool HasAlternatives(model::TaskId task);
  // The pod names claims, or devices may serve extended resources that it requests.
  bool Concerns(model::TaskId task) const {
    return session_.task(task).device_claims != nullptr || ExtendedOf(task) != 0;
  }

  // Gives devices to the claims of a task placed on `node`, where it fits; Remove takes them back.
  void Place(model::TaskId task, model::NodeId node);
  void Remove(model::TaskId task);
  // Null: the task's claims need nothing. Of a task that was placed where it does not fit, as
  // happens where no filters are asked, the plan says why not, and nobody carries it out.
  std::shared_ptr<const model::ClaimPlan> PlanOf(model::TaskId task) const;

  // Equal digests mean equal books.
  uint64_t DigestOf() const;

 private:
  struct GivenFrom {
    const model::PoolFacts* pool = nullptr;
    size_t device = 0;
    std::vector<int64_t> consumed;
  };
  // What tasks of this session made of a claim.
  struct Hold {
    std::shared_ptr<const model::AllocationFacts> allocation;  // Null: it had its devices.
    std::vector<GivenFrom> given;                              // Counted as taken.
    model::NodeId node;                                        // Where that was decided.
    int32_t tasks = 0;
    int32_t new_users = 0;  // Those of them that the claim is not reserved for.
  };
  // What nodes answered to claims that ask for certain things, none of which has devices yet.
  struct Answer {
    uint64_t stamp = 0;  // Of what was in use then.
    int32_t score = 0;
    bool fits = false;
  };
  using Answers = IdVector<model::NodeId, Answer>;
  // A task's claims as things stand.
  struct Claims {
    std::string why_nowhere;
    std::vector<const model::DeviceClaimFacts*> all;  // In the order of the pod, each once.
    // Made by an earlier attempt for the extended resources; null: there is none.
    std::shared_ptr<const model::ExtendedClaimFacts> extended;
    // To whatever asks for the same; null: they are asked anew.
    Answers* answers = nullptr;
  };
  // A claim that is not there yet, for extended resources; of one task.
  static constexpr std::string_view kUnmadeName = "<extended-resources>";  // As kube-scheduler's.
  static bool IsUnmade(const model::DeviceClaimFacts& claim) { return claim.name == kUnmadeName; }
  struct Unmade {
    model::DeviceClaimFacts facts;
    std::shared_ptr<const model::ExtendedClaimFacts> extended;
  };
  struct Placed {
    std::vector<const model::DeviceClaimFacts*> claims = {};  // Those that are to be written.
    // What the pod is to show of one of them; null: nothing.
    std::shared_ptr<const model::ExtendedClaimFacts> extended = nullptr;
    std::string why_not = {};  // Not empty: it could not be given what it claims.
  };
  struct Offer;  // What a node has for claims that are to be allocated.

  // Resources that the task requests and devices may serve.
  model::DimMask ExtendedOf(model::TaskId task) const {
    return served_ == 0 ? 0 : session_.request(task).Positive() & served_;
  }
  void ListServed();
  // Of these the node offers none itself.
  model::DimMask ServedOn(model::DimMask extended, const model::NodeFacts& node) const;
  std::shared_ptr<const model::ExtendedClaimFacts> ExtendedClaimFor(model::TaskId task,
                                                                    model::DimMask served) const;
  const Unmade& UnmadeFor(model::TaskId task, model::DimMask served);
  void AddMade(model::TaskId task, Claims* out) const;
  const Claims& Resolve(model::TaskId task);
  void AddClaim(model::TaskId task, const model::DeviceClaimUse& use, Claims* out) const;
  std::string WhyNotAllocatable(const model::DeviceClaimFacts& claim) const;
  const model::AllocationFacts* AllocationOf(const model::DeviceClaimFacts& claim) const;
  // The claims of the task that need devices on that node; nothing: it cannot be on this one.
  std::optional<std::vector<const model::DeviceClaimFacts*>> ToAllocate(
      const Claims& claims, model::TaskId task, const model::NodeFacts& node);
  // What is left for a search for the task that may take so many steps: of the session, or the
  // turn.
  int64_t& StepsFor(model::TaskId task, int64_t wanted);
  // By name; a task without one is its own.
  std::string_view JobOf(model::TaskId task) const;
  Offer OfferOf(model::NodeId node, const std::vector<const model::DeviceClaimFacts*>& claims);
  algo::DeviceAllocation Allocate(model::TaskId task, model::NodeId node,
                                  const std::vector<const model::DeviceClaimFacts*>& claims,
                                  const Offer& offer);
  Placed Give(model::TaskId task, model::NodeId node);
  // Of a task that names claims, in a cluster without claims and devices; else empty.
  std::string WhyWithoutAny(model::TaskId task) const;
  Answers* AnswersFor(const Claims& claims, model::TaskId task);
  // Another one after each change of what is in use on the node.
  uint64_t StampOf(model::NodeId node) const;
  void NoteUse(const model::PoolFacts& pool, model::NodeId node);
  const std::vector<const model::PoolFacts*>& PoolsOf(model::NodeId node);
  algo::PoolUse& UseOf(const model::PoolFacts& pool);
  std::optional<GivenFrom> Locate(const std::vector<const model::PoolFacts*>& pools,
                                  const model::AllocatedDeviceFacts& device) const;
  DeviceFit FitOf(const algo::DeviceAllocation& found,
                  const std::vector<const model::DeviceClaimFacts*>& claims) const;

  framework::Session& session_;
  const model::DeviceClaimsView& view_;
  const int64_t steps_max_;
  int64_t steps_left_;       // Of the session,
  int64_t turn_steps_left_;  // and of the turn.
  DeviceVerdicts& verdicts_;
  absl::flat_hash_map<model::TaskId, int64_t> steps_of_;
  absl::flat_hash_set<model::TaskId> cut_short_;
  absl::flat_hash_map<const model::PoolFacts*, std::unique_ptr<algo::PoolUse>> uses_;
  absl::flat_hash_map<const model::DeviceClaimFacts*, Hold> holds_;
  model::DimMask served_ = 0;  // Dimensions of resources that some class serves,
  std::vector<std::pair<int, std::string>> class_of_;  // each with that class.
  absl::flat_hash_map<std::pair<model::TaskId, model::DimMask>, std::unique_ptr<Unmade>> unmade_;
  // Stands for the extended resources of pods with these constraints.
  absl::flat_hash_map<model::ConstraintsId, std::unique_ptr<const model::DeviceAskId>> asks_;
  absl::flat_hash_map<model::TaskId, Placed> placed_;
  // By what claims ask for, one after the other.
  absl::flat_hash_map<std::vector<const model::DeviceAskId*>, std::unique_ptr<Answers>> answers_;
  IdVector<model::NodeId, uint64_t> changes_on_;  // Of what is in use there,
  uint64_t changes_ = 1;                          // and on several nodes.
  // Of the task that was asked about last.
  model::TaskId resolved_task_;
  Claims resolved_;
  // Pools of devices that are not of one node; nothing: not looked for yet.
  std::optional<std::vector<const model::PoolFacts*>> wide_pools_;
  // What there is on a node, in the order of use; nothing: not looked for yet.
  IdVector<model::NodeId, std::optional<std::vector<const model::PoolFacts*>>> pools_on_;
};

// The picture of the session's snapshot, or an empty one.
const model::DeviceClaimsView& DevicesOf(const model::Snapshot& base);

}  // namespace bth::plugins::predicates
