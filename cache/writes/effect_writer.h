// Sends bindings and evictions, then statuses, over a bounded number of connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/codec.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/gang_troubles.h"
#include "cache/writes/gate_remover.h"
#include "cache/writes/queue_notices.h"
#include "cache/writes/status_writer.h"
#include "cache/writes/volume_binder.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "client/parking.h"
#include "framework/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

struct EffectWriterOptions {
  int lanes = 32;         // Requests in flight.
  int status_lanes = 16;  // Of them for statuses: a binding that comes finds others free.
  int gate_removals = 5;  // Removals of scheduling gates in flight, beside the lanes.
  GangTroubleOptions gangs;
  // Pauses between attempts at one object, and between reads of its outcome, doubling up to the
  // second, unless the server says how long.
  std::pair<absl::Duration, absl::Duration> retry = {absl::Seconds(1), absl::Seconds(30)};
  int attempts_max = 6;  // Of one binding or eviction that the server is too busy for.
  int reads_max = 8;     // Of one outcome, in a minute and a half; the watch may tell before.
  // The longest pause that the server may ask for while the decision stands; asked for more, the
  // job is held for so long, and a later cycle decides anew.
  absl::Duration parked_max = absl::Seconds(30);
  // The longest pause of all lanes, when the server turns everybody away.
  absl::Duration busy_pause_max = absl::Seconds(2);
  // Hear of what cycles decided, when it is taken. Either may be empty.
  std::function<void(const framework::EffectBatch&)> on_batch;
  std::function<void(const framework::CycleReport&)> on_report;
};

// Bindings go before evictions, those before statuses, those before events. A batch whose room or
// pods are gone by the time it arrives is dropped whole: the next cycle decides anew. An outcome
// that is unknown (time-out, broken connection) is told by the watch or read back; nothing else
// is believed before `reads_max` reads failed. What has to wait is parked: it holds no lane, and
// nobody up.
// Thread: I/O, but for the methods marked otherwise.
class EffectWriter {
 public:
  // All of them outlive the writer; `metrics` may be null.
  EffectWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
               metrics::SchedulerMetrics* metrics, EffectWriterOptions options);
  EffectWriter(const EffectWriter&) = delete;
  ~EffectWriter();

  void Take(framework::EffectBatch batch);
  // What a closed cycle wants shown, beside its batches.
  void Take(framework::CycleReport report);
  StatusWriter& statuses() { return statuses_; }
  // Looks again at the gangs of which a binding failed. Called after each cycle, with whether its
  // policy keeps gangs whole.
  void ReviewGangs(bool gangs_are_kept) { gangs_.ReviewAll(api_.executor().Now(), gangs_are_kept); }
  // When ReviewGangs will have something to do; InfiniteFuture when nothing is to come.
  absl::Time NextGangRelease() const { return gangs_.NextRelease(); }
  // Looks again at the pods that wait for their volumes, and at the outcomes in doubt. Called when
  // something was put into the mirror. Cost: follows their number.
  void Review();
  // Called when something was given up that only a further cycle can decide anew.
  void OnFailure(std::function<void()> told) { on_failure_ = std::move(told); }
  // No binding or eviction waits for a connection or is in flight; pods may wait for volumes, or
  // for their next attempt.
  bool urgent_idle() const { return urgent_.empty() && urgent_in_flight_ == 0; }
  size_t parked() const { return parked_.size(); }
  bool idle() const {
    return urgent_idle() && parked_.empty() && in_flight_ == 0 && !statuses_.HasWork() &&
           gates_.idle();
  }

  // Thread: any.
  int64_t binds_under_way() const { return under_way_.load(std::memory_order_relaxed); }
  void AddUnderWay(int64_t binds) { under_way_.fetch_add(binds, std::memory_order_relaxed); }
  void CountRefusedBatch();

 private:
  // A binding (node set) or an eviction.
  struct Urgent {
    std::string ns;
    std::string name;
    std::string uid;
    std::string job;
    std::string node;
    std::string action;
    std::string beneficiary;
    std::shared_ptr<bool> counted;  // Shared by the evictions of a batch: one has succeeded.
    int64_t created_us = 0;
    std::shared_ptr<const model::VolumePlan> volumes;  // Null: nothing is to be done first.
    int attempts = 0;                                  // That the server was too busy for.
    int reads = 0;                                     // Of the outcome.
    absl::Status doubt;    // Not OK: the outcome is unknown, because of this.
    bool settled = false;  // Its end was told; or it is in other hands now.
    std::optional<absl::Duration> volumes_since;  // When the writing of its volumes began.
    std::string key() const { return ns + "/" + name; }
  };

  bool Assume(const framework::EffectBatch& batch, std::vector<Urgent>* out);
  net::Awaitable<void> Lane();
  void Wake();
  net::Awaitable<void> SendUrgent();
  net::Awaitable<void> SendStatus();
  void ReleasePod(const PlacedPod& pod, const std::string& job);
  void Count(metrics::EffectKind kind, metrics::EffectOutcome outcome);
  void NoteDepth();
  void NotePlaced(const framework::EffectBatch& batch);

  // effect_writer_send.cc. An urgent one given by reference is its caller's until the call ends.
  net::Awaitable<void> Send(Urgent& urgent);
  net::Awaitable<void> BindVolumes(Urgent& bind);
  void VolumesDone(const std::string& uid, const absl::Status& status);
  void VolumesFailed(Urgent& bind, const absl::Status& status);
  net::Awaitable<void> Bind(Urgent& bind);
  net::Awaitable<void> Evict(Urgent& eviction);
  net::Awaitable<void> ReadBack(Urgent& bind);

  // effect_writer_outcomes.cc
  void BindingDone(Urgent& bind, absl::Duration took);
  void PlacedByOthers(Urgent& bind);
  void BindingFailed(Urgent& bind, BindFailure why, const absl::Status& status);
  void EvictionFailed(Urgent& eviction, const absl::Status& status);
  void EvictionRefused(Urgent& eviction, const absl::Status& status, absl::Duration pause);
  // What is left to say of what an exception cut off.
  void Abandon(Urgent& urgent);
  void Finish(Urgent& urgent);
  absl::Duration Pause(int failures, const absl::Status& status) const;
  void Busy(Urgent& urgent, const absl::Status& status);
  void Park(Urgent& urgent, absl::Duration delay);
  void Unpark(Urgent urgent);
  bool StillWanted(const Urgent& urgent) const;
  // True when the watch has told how the binding ended.
  bool ToldByWatch(Urgent& bind);
  void NoteBusy(const std::string& object, absl::Duration delay);
  void EndPause();

  client::ApiClient& api_;
  Mirror& mirror_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  const EffectWriterOptions options_;
  std::function<void()> on_failure_;
  std::deque<Urgent> urgent_;
  int urgent_in_flight_ = 0;
  int statuses_in_flight_ = 0;
  int in_flight_ = 0;
  client::Parking<Urgent> parked_;
  int64_t in_doubt_ = 0;              // Of them.
  std::string busy_object_;           // The last one turned away, until something succeeds.
  net::Executor::TimerId pause_ = 0;  // While all lanes pause: its end.
  std::atomic<int64_t> under_way_{0};
  std::vector<net::Promised<bool>> sleeping_;
  StatusWriter statuses_;
  GangTroubles gangs_;
  std::map<std::string, Urgent> waiting_;  // For their volumes, by the pod's UID.
  VolumeBinder volumes_;
  GateRemover gates_;
  QueueNotices notices_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::cache
