// Sends bindings and evictions, then statuses, over a bounded number of connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/codec.h"
#include "cache/mirror.h"
#include "cache/status_writer.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "framework/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

struct EffectWriterOptions {
  int lanes = 32;                                   // Requests in flight.
  absl::Duration hold_initial = absl::Seconds(1);   // Of a job whose binding failed,
  absl::Duration hold_max = absl::Minutes(1);       // doubling up to this.
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
  StatusWriter& statuses() { return statuses_; }
  // No binding or eviction waits or is in flight.
  bool urgent_idle() const { return urgent_.empty() && urgent_in_flight_ == 0; }
  bool idle() const { return urgent_idle() && in_flight_ == 0 && !statuses_.HasWork(); }

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
    std::string key() const { return ns + "/" + name; }
  };

  bool Assume(const framework::EffectBatch& batch, std::vector<Urgent>* out);
  net::Awaitable<void> Lane();
  void Wake();
  net::Awaitable<void> Bind(Urgent bind);
  net::Awaitable<void> Evict(Urgent eviction);
  net::Awaitable<void> Resolve(Urgent bind);
  void BindingDone(const Urgent& bind, absl::Duration took);
  void BindingRefused(const Urgent& bind, const absl::Status& status);
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
  absl::flat_hash_map<std::string, absl::Duration> holds_;  // Next hold, by job; of failing jobs.
  std::vector<net::Promised<bool>> sleeping_;
  StatusWriter statuses_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::cache
