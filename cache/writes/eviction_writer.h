// Sends evictions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/spaced_lines.h"
#include "cache/writes/lanes.h"
#include "cache/writes/urgent_queue.h"

namespace bth::cache {

// What a batch evicts of one job. When each of them has its answer, the PodGroup is told, once.
struct JobEvictions {
  std::string group;  // Key of the PodGroup.
  std::string uid;
  int open = 0;  // Without an answer.
  int gone = 0;
};

struct Eviction : UrgentPod {
  std::string action;
  std::string purpose;            // The action and who gets the room, for the condition of the pod.
  std::string beneficiary;        // Key of the pod that it makes room for; empty: none.
  std::shared_ptr<bool> counted;  // Shared by the evictions of a batch: one has succeeded.
  std::shared_ptr<JobEvictions> of_job;  // Null: there is no PodGroup to tell, or it was told.
  bool marked = false;                   // The pod has the condition DisruptionTarget.
};

// The mirror has assumed the eviction when it comes in. One that fails is taken back, and its pod
// is spared for a while. Before a pod is evicted it gets the condition DisruptionTarget, which says
// why and for whom; others read it while the pod goes. Without it the pod is evicted all the same.
// Thread: I/O.
class EvictionWriter final : public LaneWork {
 public:
  struct Hooks {
    std::function<void()> on_failure;                  // A further cycle has to decide anew.
    std::function<void(const Eviction&)> on_eviction;  // The server took it. May be empty.
  };
  EvictionWriter(const UrgentParts& parts, Hooks hooks);

  void Add(Eviction eviction) { queue_.Add(std::move(eviction)); }
  bool HasWork() const override { return !queue_.empty(); }
  net::Awaitable<void> SendOne() override;
  size_t parked() const { return queue_.parked(); }

 private:
  net::Awaitable<void> Send(Eviction& eviction);
  // The condition DisruptionTarget; with status False when the pod may stay. False: the
  // pod cannot have it.
  net::Awaitable<bool> Mark(const Eviction& eviction, bool goes);
  void Done(Eviction& eviction);
  // The eviction has its answer.
  void End(Eviction& eviction, bool gone);
  void Failed(Eviction& eviction, const absl::Status& status);
  void Refused(const Eviction& eviction, const absl::Status& status, absl::Duration pause);
  // Nobody may be evicted: told once on the root queue, not on each pod.
  void Forbidden(const Eviction& eviction, const absl::Status& status);
  void Resume(Eviction eviction);
  // The cluster may have been read anew meanwhile, and what was decided on the old state with it.
  bool StillWanted(const Eviction& eviction) const;
  void Count(metrics::EffectOutcome outcome);

  const UrgentParts parts_;
  const Hooks hooks_;
  SpacedLines forbidden_;
  UrgentQueue<Eviction> queue_;
};

}  // namespace bth::cache
