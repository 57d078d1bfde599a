// Tells in the status of the scheduler's NodeShard which nodes it uses.
#pragma once

#include <functional>
#include <string>

#include "absl/time/time.h"
#include "base/spaced_lines.h"
#include "cache/cluster/mirror.h"
#include "client/api_client.h"
#include "client/background.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"

namespace bth::scheduler {

// Other schedulers take a node only when this status has let go of it. Written when it would change
// something, one write at a time; what fails is tried again, ever more rarely. Thread: I/O.
class ShardStatus {
 public:
  // All of them outlive it; `metrics` may be null. `again` calls Tell as soon as that is allowed.
  ShardStatus(client::ApiClient& api, cache::Mirror& mirror, metrics::SchedulerMetrics* metrics,
              std::function<void()> again)
      : api_(api), mirror_(mirror), metrics_(metrics), again_(std::move(again)) {}

  ShardStatus(const ShardStatus&) = delete;
  ~ShardStatus();

  // Writes what is new, if anything. To be called by a leader, with every first list complete,
  // while no cycle runs: what a cycle uses must stay told until it has ended.
  void Tell();
  // No write is under way; one that failed may wait for its next turn.
  bool idle() const { return !writer_.running(); }

 private:
  void NoteLack();
  net::Awaitable<void> Write(cache::ShardNews news);

  client::ApiClient& api_;
  cache::Mirror& mirror_;
  metrics::SchedulerMetrics* const metrics_;
  const std::function<void()> again_;
  bool lacks_ = false;        // As was told last.
  std::string written_over_;  // The version that the last write has replaced.
  absl::Duration pause_;      // Before the next write; zero: the last one was taken.
  net::Executor::TimerId timer_ = 0;
  SpacedLines failures_;
  client::Background writer_;
};

}  // namespace bth::scheduler
