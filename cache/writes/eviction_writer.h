// Sends evictions.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "cache/writes/lanes.h"
#include "cache/writes/urgent_pod.h"
#include "client/parking.h"

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
  // All of them outlive the writer; `metrics` may be null. `on_failure`: a further cycle has to
  // decide anew.
  EvictionWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                 metrics::SchedulerMetrics* metrics, Lanes& lanes, UrgentCounts& counts,
                 AttemptOptions options, std::function<void()> on_failure);

  void Add(Eviction eviction);
  bool HasWork() const override { return !queue_.empty(); }
  net::Awaitable<void> SendOne() override;
  size_t parked() const { return parked_.size(); }

 private:
  net::Awaitable<void> Send(Eviction& eviction);
  void Done(const Eviction& eviction);
  void Busy(Eviction& eviction, const absl::Status& status);
  void Failed(const Eviction& eviction, const absl::Status& status);
  void Refused(const Eviction& eviction, const absl::Status& status, absl::Duration pause);
  void Unpark(Eviction eviction);
  // The cluster may have been read anew meanwhile, and what was decided on the old state with it.
  bool StillWanted(const Eviction& eviction) const;
  void Count(metrics::EffectOutcome outcome);

  client::ApiClient& api_;
  Mirror& mirror_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  Lanes& lanes_;
  UrgentCounts& counts_;
  const AttemptOptions options_;
  const std::function<void()> on_failure_;
  std::deque<Eviction> queue_;
  client::Parking<Eviction> parked_;
};

}  // namespace bth::cache
