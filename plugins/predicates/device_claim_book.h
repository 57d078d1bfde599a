// Device claims of pods against devices, as the session goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/device_allocation.h"
#include "api/model/device_claims.h"
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

// Which devices the claims of the pods placed in this session are given; what one has, no other
// gets. Lives for one session. Thread: scheduling.
class DeviceClaimBook {
 public:
  // `steps_max`: of the search for one pod on one node. `verdicts` outlives it.
  DeviceClaimBook(const framework::Session& session, int64_t steps_max, DeviceVerdicts& verdicts);
  ~DeviceClaimBook();

  // Why the pod's claims keep it off all nodes; empty: they do not.
  std::string WhyNowhere(model::TaskId task);
  DeviceFit Fit(model::TaskId task, model::NodeId node);
  // Some claim that is to be allocated has alternatives.
  bool HasAlternatives(model::TaskId task);

  // Gives devices to the claims of a task placed on `node`; Remove takes them back.
  void Place(model::TaskId task, model::NodeId node);
  void Remove(model::TaskId task);
  // Null: the task's claims need nothing.
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
    std::vector<GivenFrom> freed;  // What the claim had before, and gives back.
    int32_t tasks = 0;
  };
  // A task's claims as things stand.
  struct Claims {
    std::string why_nowhere;
    std::vector<const model::DeviceClaimFacts*> all;  // In the order of the pod, each once.
  };
  struct Offer;  // What a node has for claims that are to be allocated.

  const model::PodDeviceClaims* ClaimsOf(model::TaskId task) const;
  const Claims& Resolve(model::TaskId task);
  void AddClaim(model::TaskId task, const model::DeviceClaimUse& use, Claims* out) const;
  std::string WhyNotAllocatable(const model::DeviceClaimFacts& claim) const;
  const model::AllocationFacts* AllocationOf(const model::DeviceClaimFacts& claim) const;
  // The claims of the task that need devices on that node; nothing: it cannot be on this one.
  std::optional<std::vector<const model::DeviceClaimFacts*>> ToAllocate(
      const Claims& claims, model::TaskId task, const model::NodeFacts& node) const;
  Offer OfferOf(const model::NodeFacts& node,
                const std::vector<const model::DeviceClaimFacts*>& claims);
  algo::DeviceAllocation Allocate(model::TaskId task, const model::NodeFacts& node,
                                  const std::vector<const model::DeviceClaimFacts*>& claims,
                                  const Offer& offer);
  algo::PoolUse& UseOf(const model::PoolFacts& pool);
  std::optional<GivenFrom> Locate(const std::vector<const model::PoolFacts*>& pools,
                                  const model::AllocatedDeviceFacts& device) const;
  DeviceFit FitOf(const algo::DeviceAllocation& found,
                  const std::vector<const model::DeviceClaimFacts*>& claims) const;

  const framework::Session& session_;
  const model::DeviceClaimsView& view_;
  const int64_t steps_max_;
  int64_t steps_left_;  // Of the session.
  DeviceVerdicts& verdicts_;
  absl::flat_hash_map<model::TaskId, int64_t> steps_of_;
  absl::flat_hash_map<const model::PoolFacts*, std::unique_ptr<algo::PoolUse>> uses_;
  absl::flat_hash_map<const model::DeviceClaimFacts*, Hold> holds_;
  struct Placed {
    std::vector<const model::DeviceClaimFacts*> claims;  // Those that are to be written.
  };
  absl::flat_hash_map<model::TaskId, Placed> placed_;
  // Of the task that was asked about last.
  model::TaskId resolved_task_;
  Claims resolved_;
  // Pools of devices that are not of one node; nothing: not looked for yet.
  std::optional<std::vector<const model::PoolFacts*>> wide_pools_;
};

// The picture of the session's snapshot, or an empty one.
const model::DeviceClaimsView& DevicesOf(const model::Snapshot& base);

}  // namespace bth::plugins::predicates
