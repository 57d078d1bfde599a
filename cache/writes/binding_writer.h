// Sends bindings, with their volumes first, and finds out what became of them.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cache/writes/gang_troubles.h"
#include "cache/writes/lanes.h"
#include "cache/writes/status_writer.h"
#include "cache/writes/urgent_pod.h"
#include "cache/writes/volume_binder.h"
#include "client/parking.h"

namespace bth::cache {

struct Binding : UrgentPod {
  std::string node;
  std::shared_ptr<const model::VolumePlan> volumes;  // Null: nothing is to be done first.
  int reads = 0;                                     // Of the outcome.
  absl::Status doubt;                           // Not OK: the outcome is unknown, because of this.
  std::optional<absl::Duration> volumes_since;  // When the writing of its volumes began.
};

// The mirror has assumed the binding when it comes in. An outcome that is unknown (time-out, broken
// connection) is told by the watch or read back; nothing else is believed before `reads_max` reads
// failed. What has to wait is parked: it holds no lane, and nobody up.
// Thread: I/O, but for the methods marked otherwise.
class BindingWriter final : public LaneWork {
 public:
  struct Parts {
    client::ApiClient& api;
    Mirror& mirror;
    client::EventRecorder& events;
    metrics::SchedulerMetrics* metrics;  // May be null.
    Lanes& lanes;
    UrgentCounts& counts;
    GangTroubles& gangs;
    StatusWriter& statuses;
  };
  // `on_failure`: a further cycle has to decide anew.
  BindingWriter(const Parts& parts, AttemptOptions options, std::function<void()> on_failure);

  void Add(Binding bind);
  bool HasWork() const override { return !queue_.empty(); }
  net::Awaitable<void> SendOne() override;
  // Looks again at the pods that wait for their volumes, and at the outcomes in doubt. Called when
  // something was put into the mirror. Cost: follows their number.
  void Review();
  size_t parked() const { return parked_.size(); }

  // Bindings that were accepted and have not ended. Thread: any.
  int64_t under_way() const { return under_way_.load(std::memory_order_relaxed); }
  void AddUnderWay(int64_t binds) { under_way_.fetch_add(binds, std::memory_order_relaxed); }

 private:
  net::Awaitable<void> Send(Binding& bind);
  net::Awaitable<void> BindVolumes(Binding& bind);
  void VolumesDone(const std::string& uid, const absl::Status& status);
  void VolumesFailed(Binding& bind, const absl::Status& status);
  net::Awaitable<void> Bind(Binding& bind);
  net::Awaitable<void> ReadBack(Binding& bind);

  // binding_outcomes.cc
  void Done(Binding& bind, absl::Duration took);
  void PlacedByOthers(Binding& bind);
  void Failed(Binding& bind, BindFailure why, const absl::Status& status);
  void Finish(Binding& bind);
  // Without a word: what an exception cut off, or nobody wants any more.
  void Abandon(Binding& bind);
  void Busy(Binding& bind, const absl::Status& status);
  void Park(Binding& bind, absl::Duration delay);
  void Unpark(Binding bind);
  // The cluster may have been read anew meanwhile, and what was decided on the old state with it.
  bool StillWanted(const Binding& bind) const;
  // True when the watch has told how the binding ended.
  bool ToldByWatch(Binding& bind);
  void Count(metrics::EffectOutcome outcome);

  client::ApiClient& api_;
  Mirror& mirror_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  Lanes& lanes_;
  UrgentCounts& counts_;
  GangTroubles& gangs_;
  StatusWriter& statuses_;
  const AttemptOptions options_;
  const std::function<void()> on_failure_;
  std::deque<Binding> queue_;
  client::Parking<Binding> parked_;
  int64_t in_doubt_ = 0;  // Of them.
  std::atomic<int64_t> under_way_{0};
  std::map<std::string, Binding> waiting_;  // For their volumes, by the pod's UID.
  VolumeBinder volumes_;
};

}  // namespace bth::cache
