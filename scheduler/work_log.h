// What the scheduler did, as lines of its log.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "cache/writes/eviction_writer.h"
#include "framework/session/effects.h"
#include "net/awaitable.h"

namespace bth::scheduler {

// At info: `cycle.acted` for cycles that bound something and evictions that the API server took,
// one line a second at most, which then speaks of several cycles. At debug: a line per decision on
// a job, kLinesPerSecond at most (`job.admitted`, `job.placed`, `job.refused` when the words are
// new, `pod.evicted`), and how many were left out. Thread: I/O.
class WorkLog {
 public:
  static constexpr int64_t kLinesPerSecond = 100;
  static constexpr size_t kRefusalsMax = 10'000;  // Jobs whose last words are remembered.

  explicit WorkLog(net::Executor& executor) : executor_(executor) {}
  WorkLog(const WorkLog&) = delete;
  ~WorkLog();

  // What a cycle decided, as it arrives.
  void Batch(const framework::EffectBatch& batch);
  void Report(const framework::CycleReport& report);
  void Evicted(const cache::Eviction& eviction);
  // The cycle that did so is over. `slowest`: its longest part.
  void CycleEnded(absl::Duration took, std::pair<std::string, absl::Duration> slowest);

 private:
  // Of cycles that no line spoke of yet.
  struct Work {
    int64_t cycles = 0;
    int64_t bound = 0;
    int64_t evicted = 0;
    absl::Duration longest;
    std::pair<std::string, absl::Duration> slowest;
  };
  void TellWork();
  void TellIn(absl::Duration delay);
  // Whether one more line of detail may go out in this second.
  bool Admit();
  void Refused(const std::string& job, const std::string& why);

  net::Executor& executor_;
  int64_t bound_ = 0;  // Of the cycle under way.
  int64_t victims_ = 0;
  Work work_;
  absl::Duration told_at_ = -absl::InfiniteDuration();
  net::Executor::TimerId timer_ = 0;
  absl::Duration second_ = -absl::InfiniteDuration();  // Its beginning.
  int64_t lines_ = 0;                                  // In it.
  int64_t left_out_ = 0;
  absl::flat_hash_map<std::string, size_t> refusals_;  // By job: a hash of the words.
};

}  // namespace bth::scheduler
