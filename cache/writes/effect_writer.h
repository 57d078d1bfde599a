// Sends what cycles decided: bindings, evictions, statuses, events.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cache/cluster/mirror.h"
#include "cache/writes/binding_writer.h"
#include "cache/writes/eviction_writer.h"
#include "cache/writes/gang_failures.h"
#include "cache/writes/gate_remover.h"
#include "cache/writes/lanes.h"
#include "cache/writes/queue_notices.h"
#include "cache/writes/status_writer.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "framework/session/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

struct EffectWriterOptions {
  LaneOptions lanes;
  // Pods are jobs of their own (cache/intake/single_pod.h): no PodGroup and no queue is told of,
  // and no series counts by job.
  bool single_pods = false;
  int gate_removals = 5;  // Removals of scheduling gates in flight, beside the lanes.
  GangFailureOptions gangs;
  AttemptOptions attempts;
  // Hear of what cycles decided, when it is taken, and of evictions that the server took. Any may
  // be empty.
  std::function<void(const framework::EffectBatch&)> on_batch;
  std::function<void(const framework::CycleReport&)> on_report;
  std::function<void(const Eviction&)> on_eviction;
};

// Bindings go before evictions, those before statuses, those before events. A batch whose room or
// pods are gone by the time it arrives is dropped whole: the next cycle decides anew.
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
  void ReviewGangs(bool gangs_are_kept) {
    gangs_.ReviewAll(api_.executor().Monotonic(), gangs_are_kept);
  }
  // The mirror has started over: what it does not show is not gone, until the next cycle.
  void StartOver() { gangs_.StartOver(); }
  // In how long ReviewGangs will have something to do; InfiniteDuration when nothing is to come.
  absl::Duration UntilGangRelease() const {
    return gangs_.NextRelease() - api_.executor().Monotonic();
  }
  // Looks again at what the watch may have settled. Called when something was put into the mirror.
  // Cost: follows the number of bindings that wait for it.
  void Review() { bindings_.Review(); }
  // Device claims that were left with pods without a PodGroup.
  void GiveBackLeftWithoutGroup() { bindings_.GiveBackLeftWithoutGroup(); }
  // Called when something was given up that only a further cycle can decide anew.
  void OnFailure(std::function<void()> told) { on_failure_ = std::move(told); }
  // No binding or eviction waits for a connection or is in flight; pods may wait for volumes, or
  // for their next attempt.
  bool urgent_idle() const { return lanes_.urgent_idle(); }
  size_t parked() const { return bindings_.parked() + evictions_.parked(); }
  bool idle() const { return lanes_.idle() && parked() == 0 && gates_.idle(); }

  // Thread: any.
  int64_t binds_under_way() const { return bindings_.under_way(); }
  void AddUnderWay(int64_t binds) { bindings_.AddUnderWay(binds); }
  void CountRefusedBatch();

 private:
  // What is left when bindings and evictions have gone.
  class Statuses final : public LaneWork {
   public:
    explicit Statuses(EffectWriter& writer) : writer_(writer) {}
    bool HasWork() const override { return writer_.statuses_.HasWork(); }
    net::Awaitable<void> SendOne() override;

   private:
    EffectWriter& writer_;
  };
  struct Accepted {
    std::vector<Binding> bindings;
    std::vector<Eviction> evictions;
  };

  // Nothing stays assumed of a batch of which something cannot be.
  absl::Status Assume(const framework::EffectBatch& batch, Accepted* accepted);
  absl::Status AssumeEvictions(const framework::EffectBatch& batch, Accepted* accepted);
  absl::Status AssumeNominations(const framework::EffectBatch& batch);
  absl::Status AssumeBindings(const framework::EffectBatch& batch, Accepted* accepted);
  void GiveUp(const framework::EffectBatch& batch, const Accepted& accepted);
  // Of a batch that was dropped: pods that cannot have their devices where they were placed, and
  // those that go with them, are told so, and their jobs back off, for whom the next cycle would
  // decide the same.
  void TellWithoutDevices(const framework::EffectBatch& batch);
  void NotePlaced(const framework::EffectBatch& batch);
  void ReleasePod(const PlacedPod& pod, const std::string& job);
  void Fail() const {
    if (on_failure_) on_failure_();
  }

  client::ApiClient& api_;
  Mirror& mirror_;
  metrics::SchedulerMetrics* const metrics_;
  const EffectWriterOptions options_;
  std::function<void()> on_failure_;
  UrgentCounts counts_;
  Lanes lanes_;
  StatusWriter statuses_;
  Statuses status_work_;
  GangFailures gangs_;
  BindingWriter bindings_;
  EvictionWriter evictions_;
  GateRemover gates_;
  QueueNotices notices_;
};

}  // namespace bth::cache
