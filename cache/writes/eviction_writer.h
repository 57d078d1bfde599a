// Sends evictions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cache/writes/lanes.h"
#include "cache/writes/urgent_queue.h"

namespace bth::cache {

struct Eviction : UrgentPod {
  std::string action;
  std::string beneficiary;        // Key of the pod that it makes room for; empty: none.
  std::shared_ptr<bool> counted;  // Shared by the evictions of a batch: one has succeeded.
};

// The mirror has assumed the eviction when it comes in. One that fails is taken back, and its pod
// is spared for a while.
// Thread: I/O.
class EvictionWriter final : public LaneWork {
 public:
  // `on_failure`: a further cycle has to decide anew.
  EvictionWriter(const UrgentParts& parts, std::function<void()> on_failure);

  void Add(Eviction eviction) { queue_.Add(std::move(eviction)); }
  bool HasWork() const override { return !queue_.empty(); }
  net::Awaitable<void> SendOne() override;
  size_t parked() const { return queue_.parked(); }

 private:
  net::Awaitable<void> Send(Eviction& eviction);
  void Done(const Eviction& eviction);
  void Failed(const Eviction& eviction, const absl::Status& status);
  void Refused(const Eviction& eviction, const absl::Status& status, absl::Duration pause);
  void Resume(Eviction eviction);
  // The cluster may have been read anew meanwhile, and what was decided on the old state with it.
  bool StillWanted(const Eviction& eviction) const;
  void Count(metrics::EffectOutcome outcome);

  const UrgentParts parts_;
  const std::function<void()> on_failure_;
  UrgentQueue<Eviction> queue_;
};

}  // namespace bth::cache
