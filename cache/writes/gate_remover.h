// Takes Volcano's own scheduling gate off pods that their queue has room for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "cache/cluster/mirror.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/parking.h"
#include "framework/session/effects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::cache {

// One patch per pod, bound to its UID, a few at a time. From the removal on the mirror counts the
// pod as one whose gate is going, so that its queue keeps room for it; when all attempts failed
// that is taken back, and a later cycle decides anew. A pod whose removal failed waits by itself,
// without a worker. Thread: I/O.
class GateRemover {
 public:
  // Removals that may wait per worker; more are dropped, for a later cycle.
  static constexpr int64_t kWaitingPerWorker = 200;
  // Of one pod, with pauses that double.
  static constexpr int kAttemptsMax = 6;
  static constexpr absl::Duration kPause = absl::Milliseconds(500);

  // All of them outlive it; `metrics` may be null.
  GateRemover(client::ApiClient& api, Mirror& mirror, metrics::SchedulerMetrics* metrics,
              int workers);

  void Take(const framework::CycleReport& report);
  // Called when a removal was given up, so that a further cycle has to decide anew.
  void OnFailure(std::function<void()> told) { on_failure_ = std::move(told); }

  // Removals that wait for a worker or for their next attempt.
  size_t waiting() const { return waiting_.size() + parked_.size(); }
  bool idle() const { return waiting() == 0 && in_flight_ == 0; }

 private:
  struct Removal {
    std::string ns;
    std::string name;
    std::string uid;
    int attempts = 0;
    std::string key() const { return ns + "/" + name; }
  };

  net::Awaitable<void> Work();
  net::Awaitable<void> Remove(Removal removal);
  net::Awaitable<absl::Status> Send(const Removal& removal);
  void Wake();

  client::ApiClient& api_;
  Mirror& mirror_;
  metrics::SchedulerMetrics* const metrics_;
  const int workers_;
  std::function<void()> on_failure_;
  std::deque<Removal> waiting_;
  client::Parking<Removal> parked_;
  int in_flight_ = 0;
  absl::flat_hash_set<std::string> wanted_;  // UIDs that wait or are in flight.
  std::vector<net::Promised<bool>> sleeping_;
  std::vector<std::unique_ptr<client::Background>> running_;  // Started with the first removal.
};

// Takes the gate off by strategic merge, bound to the pod's UID.
client::Patch GateRemovalPatch(std::string_view uid);

}  // namespace bth::cache
