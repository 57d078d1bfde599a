// Sends bindings, with their volumes and devices first, and finds out what became of them.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/writes/claim_binder.h"
#include "cache/writes/gang_failures.h"
#include "cache/writes/lanes.h"
#include "cache/writes/node_locker.h"
#include "cache/writes/status_writer.h"
#include "cache/writes/urgent_queue.h"
#include "cache/writes/volume_binder.h"

namespace bth::cache {

struct Binding : UrgentPod {
  std::string node;
  std::shared_ptr<const model::VolumePlan> volumes;  // Null: nothing is to be done first.
  std::shared_ptr<const model::ClaimPlan> claims;    // The same.
  std::shared_ptr<const model::DevicePlan> devices;  // Null: it has none that are shared.
  std::string cpu_decision;  // Which CPUs it has to itself, as its object says.
  int reads = 0;             // Of the outcome.
  bool claims_are_ready = false;
  absl::Status doubt;                         // Not OK: the outcome is unknown, because of this.
  std::optional<absl::Duration> first_since;  // When what is to be done first began.
  std::vector<NodeLocker::Lock> locks;        // Of its node, as far as they are taken.
  std::optional<absl::Duration> locks_since;  // When another one was found to have one.
  bool waits_for_lock = false;                // It is parked.
};

// The mirror has assumed the binding when it comes in. An outcome that is unknown (time-out, broken
// connection) is told by the watch or read back; nothing else is believed before `reads_max` reads
// failed. What has to wait is parked: it holds no lane, and nobody up.
// Thread: I/O, but for the methods marked otherwise.
class BindingWriter final : public LaneWork {
 public:
  // `gangs` and `statuses` outlive it. `on_failure`: a further cycle has to decide anew.
  BindingWriter(const UrgentParts& parts, GangFailures& gangs, StatusWriter& statuses,
                std::function<void()> on_failure);

  void Add(Binding bind) { queue_.Add(std::move(bind)); }
  // Device claims that earlier attempts left with pods that the cycle could not place. Cost:
  // follows the pods of the report.
  void GiveBackLeft(const framework::CycleReport& report);
  // The same with pods without a PodGroup, which no cycle speaks of. Cost: follows their number.
  void GiveBackLeftWithoutGroup();
  bool HasWork() const override {
    return !queue_.empty() || !unlocks_.empty() || claims_.HasReturns();
  }
  net::Awaitable<void> SendOne() override;
  // Looks again at the pods that wait for their volumes, devices or a lock of their node, and at
  // the outcomes in doubt. Called when something was put into the mirror. Cost: follows their
  // number.
  void Review();
  size_t parked() const { return queue_.parked(); }

  // Bindings that were accepted and have not ended. Thread: any.
  int64_t under_way() const { return under_way_.load(std::memory_order_relaxed); }
  void AddUnderWay(int64_t binds) { under_way_.fetch_add(binds, std::memory_order_relaxed); }

 private:
  void GiveBack(LeftWithPod left);
  net::Awaitable<void> Send(Binding& bind);
  net::Awaitable<void> BindVolumes(Binding& bind);
  void VolumesDone(const std::string& uid, const absl::Status& status);
  net::Awaitable<void> BindClaims(Binding& bind);
  void ClaimsDone(const std::string& uid, const absl::Status& status);
  void TellWaits(const ClaimBinder::Order& order, const std::string& what);
  void NotePreBound(const Binding& bind);
  // What is to be done first failed; `what` says what that was.
  void FirstFailed(Binding& bind, const absl::Status& status, std::string_view what);
  net::Awaitable<void> LockAndBind(Binding& bind);
  // False: it was not to be had; the binding has ended, or is parked.
  net::Awaitable<bool> LockNode(Binding& bind);
  net::Awaitable<void> Bind(Binding& bind);
  net::Awaitable<void> ReadBack(Binding& bind);

  // binding_outcomes.cc
  void Done(Binding& bind, absl::Duration took);
  void PlacedByOthers(Binding& bind);
  void AwaitNews(const Binding& bind);
  void Failed(Binding& bind, BindFailure why, const absl::Status& status);
  void Finish(Binding& bind, bool is_bound = false);
  // Of a binding that does not come about.
  void GiveLocksBack(Binding& bind);
  bool IsLockedAsKnown(const Binding& bind) const;
  // Without a word: its gang has heard of it.
  void Abandon(Binding& bind);
  // Its gang hears of a binding that an exception cut off,
  void TellCutOff(const Binding& bind);
  // or that nobody wants any more.
  void TellOvertaken(const Binding& bind);
  void Busy(Binding& bind, const absl::Status& status);
  void Resume(Binding bind);
  // The cluster may have been read anew meanwhile, and what was decided on the old state with it.
  bool StillWanted(const Binding& bind) const;
  // True when the watch has told how the binding ended.
  bool ToldByWatch(Binding& bind);
  void Count(metrics::EffectOutcome outcome);

  const UrgentParts parts_;
  GangFailures& gangs_;
  StatusWriter& statuses_;
  const std::function<void()> on_failure_;
  UrgentQueue<Binding> queue_;
  int64_t in_doubt_ = 0;  // Parked ones.
  std::atomic<int64_t> under_way_{0};
  std::map<std::string, Binding> waiting_;  // For their volumes or devices, by the pod's UID.
  VolumeBinder volumes_;
  ClaimBinder claims_;
  NodeLocker locker_;
  std::deque<NodeLocker::Lock> unlocks_;  // To be given back.
  int64_t wait_for_lock_ = 0;             // Parked ones.
};

}  // namespace bth::cache
