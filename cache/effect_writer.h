// Sends bindings and evictions, then statuses, over a bounded number of connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/codec.h"
#include "cache/gang_troubles.h"
#include "cache/gate_remover.h"
#include "cache/mirror.h"
#include "cache/queue_notices.h"
#include "cache/status_writer.h"
#include "cache/volume_binder.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "framework/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

struct EffectWriterOptions {
  int lanes = 32;         // Requests in flight.
  int gate_removals = 5;  // Removals of scheduling gates in flight, beside the lanes.
  GangTroubleOptions gangs;
  absl::Duration resolve_retry = absl::Seconds(1);  // Between reads of an unknown outcome.
};

// Bindings go before evictions, those before statuses, those before events. A batch whose room or
// pods are gone by the time it arrives is dropped whole: the next cycle decides anew. An outcome
// that is unknown (time-out, broken connection) is read back, never guessed.
// Thread: I/O, but for the methods marked otherwise.
class EffectWriter {
 public:
  // All of them outlive the writer; `metrics` may be null.
  EffectWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
               metrics::SchedulerMetrics* metrics, EffectWriterOptions options);

  void Take(framework::EffectBatch batch);
  // What a closed cycle wants shown, beside its batches.
  void Take(framework::CycleReport report);
  StatusWriter& statuses() { return statuses_; }
  // Looks again at the gangs of which a binding failed. Called after each cycle, with whether its
  // policy keeps gangs whole.
  void ReviewGangs(bool gangs_are_kept) { gangs_.ReviewAll(api_.executor().Now(), gangs_are_kept); }
  // When ReviewGangs will have something to do; InfiniteFuture when nothing is to come.
  absl::Time NextGangRelease() const { return gangs_.NextRelease(); }
  // Looks again at the pods that wait for their volumes. Called when something was put into the
  // mirror.
  void ReviewVolumes() { volumes_.Review(); }
  size_t waiting_for_volumes() const { return volumes_.waiting(); }
  // No binding or eviction waits for a connection or is in flight; pods may wait for volumes.
  bool urgent_idle() const { return urgent_.empty() && urgent_in_flight_ == 0; }
  bool idle() const {
    return urgent_idle() && in_flight_ == 0 && !statuses_.HasWork() && gates_.idle();
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
    int64_t created_us = 0;
    std::shared_ptr<const model::VolumePlan> volumes;  // Null: nothing is to be done first.
    std::string key() const { return ns + "/" + name; }
  };

  bool Assume(const framework::EffectBatch& batch, std::vector<Urgent>* out);
  net::Awaitable<void> Lane();
  void Wake();
  net::Awaitable<void> BindVolumes(Urgent bind);
  void VolumesDone(const std::string& pod, const absl::Status& status);
  net::Awaitable<void> Bind(Urgent bind);
  net::Awaitable<void> Evict(Urgent eviction);
  net::Awaitable<void> Resolve(Urgent bind, absl::Status failure);
  void BindingDone(const Urgent& bind, absl::Duration took);
  void BindingFailed(const Urgent& bind, BindFailure why, const absl::Status& status);
  void EvictionRefused(const Urgent& eviction, const absl::Status& status);
  void ReleasePod(const PlacedPod& pod, const std::string& job);
  void Finish(const Urgent& urgent);
  void Count(metrics::EffectKind kind, metrics::EffectOutcome outcome);

  client::ApiClient& api_;
  Mirror& mirror_;
  client::EventRecorder& events_;
  metrics::SchedulerMetrics* const metrics_;
  const EffectWriterOptions options_;
  std::deque<Urgent> urgent_;
  int urgent_in_flight_ = 0;
  int in_flight_ = 0;
  std::atomic<int64_t> under_way_{0};
  std::vector<net::Promised<bool>> sleeping_;
  StatusWriter statuses_;
  GangTroubles gangs_;
  std::map<std::string, Urgent> waiting_;  // For their volumes, by pod.
  VolumeBinder volumes_;
  GateRemover gates_;
  QueueNotices notices_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::cache
