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
#include "cache/mirror.h"
#include "cache/status_writer.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "framework/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

struct EffectWriterOptions {
  int lanes = 32;  // Requests in flight.
  // How long a job pauses after a binding of it failed, doubling up to the second.
  std::pair<absl::Duration, absl::Duration> hold_unreachable = {absl::Milliseconds(500),
                                                                absl::Seconds(30)};
  std::pair<absl::Duration, absl::Duration> hold_conflict = {absl::Seconds(1), absl::Minutes(1)};
  std::pair<absl::Duration, absl::Duration> hold_refused = {absl::Seconds(5), absl::Minutes(5)};
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
  // Looks again at the gangs of which a binding failed: what the watch told may have completed or
  // ended them. Called after each cycle; the cost follows their number.
  void ReviewGangs();
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

  // Why a binding did not happen; decides how long its job pauses.
  enum class BindFailure : uint8_t {
    kUnreachable,  // No answer, or none that means anything; the pod is not bound.
    kConflict,     // Somebody else changed the pod.
    kGone,         // The pod is no more; another one may come.
    kRefused,      // The server does not want it: trying again changes little.
  };
  // A job of which a binding failed and that has pods left to bind.
  struct Trouble {
    BindFailure why = BindFailure::kUnreachable;
    std::string what;  // The last failure, in words.
    absl::Duration next_hold;
    absl::Time held_until = absl::InfinitePast();
    bool half_bound = false;  // And its PodGroup says so.
  };

  bool Assume(const framework::EffectBatch& batch, std::vector<Urgent>* out);
  net::Awaitable<void> Lane();
  void Wake();
  net::Awaitable<void> Bind(Urgent bind);
  net::Awaitable<void> Evict(Urgent eviction);
  net::Awaitable<void> Resolve(Urgent bind, absl::Status failure);
  void BindingDone(const Urgent& bind, absl::Duration took);
  void BindingFailed(const Urgent& bind, BindFailure why, const absl::Status& status);
  void Hold(const std::string& job, BindFailure why, Trouble* trouble);
  // True when nothing is left to say about the job.
  bool Review(const std::string& job, Trouble* trouble);
  void TellHalfBound(const std::string& job, const Mirror::GangView& gang, Trouble* trouble);
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
  absl::flat_hash_map<std::string, int32_t> under_way_of_;  // Bindings by job.
  std::map<std::string, Trouble> troubles_;                 // By job.
  std::vector<net::Promised<bool>> sleeping_;
  StatusWriter statuses_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::cache
