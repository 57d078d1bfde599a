// Keys waiting to be worked on, each at most once, with pauses for those that fail.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "client/token_bucket.h"
#include "net/awaitable.h"

namespace bth::client {

struct WorkQueueOptions {
  absl::Duration backoff_initial = absl::Milliseconds(5);
  absl::Duration backoff_max = absl::Seconds(1000);
  double retry_qps = 100;  // Of AddRateLimited, over all keys. Not positive: no limit.
  int retry_burst = 1000;
  size_t keys_max = 1'000'000;  // Waiting, delayed, in work and failed keys together.
};

struct WorkQueueCounters {
  uint64_t added = 0;   // Became ready to be taken.
  uint64_t merged = 0;  // Were waiting already.
  uint64_t taken = 0;
  uint64_t retries = 0;  // AddRateLimited.
  uint64_t dropped = 0;  // Refused: the queue was full or shut down.
};

// A key is worked on by one worker at a time: one that is added while in work is given out again
// after Done. Keys come out in the order in which they became ready. Workers:
//
//   for (;;) {
//     const std::optional<std::string> key = co_await queue.Next();
//     if (!key.has_value()) co_return;
//     const absl::Status status = co_await Reconcile(*key);
//     if (status.ok()) {
//       queue.Forget(*key);
//     } else {
//       queue.AddRateLimited(*key, RetryAfter(status).value_or(absl::ZeroDuration()));
//     }
//     queue.Done(*key);
//   }
//
// Thread: the executor's.
class WorkQueue final {
 public:
  WorkQueue(net::Executor& executor, WorkQueueOptions options);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;

  // The Adds say whether the key is now known to the queue; false only when full or shut down.
  bool Add(const std::string& key);
  // Not before `delay` has passed. Of several delays for one key the shortest counts.
  bool AddAfter(const std::string& key, absl::Duration delay);
  // After backoff_initial x 2^failures, `pause_max` at most, and at least `at_least` (a server's
  // Retry-After).
  bool AddRateLimited(const std::string& key, absl::Duration at_least = absl::ZeroDuration(),
                      absl::Duration pause_max = absl::InfiniteDuration());
  // The key succeeded: its failures no longer count.
  void Forget(const std::string& key);
  int failures(const std::string& key) const;
  // What the key stands for is gone: neither its failures count any more nor is it waited for. A
  // worker that has it finishes.
  void Drop(const std::string& key);

  // The next key, or nothing when none is ready. Done must follow.
  std::optional<std::string> TryNext();
  // Waits for a key; nothing after ShutDown.
  net::Awaitable<std::optional<std::string>> Next();
  void Done(const std::string& key);
  // Forgets what waits; workers get nothing any more.
  void ShutDown();

  size_t depth() const { return ready_.size(); }
  size_t delayed() const { return delayed_.size(); }
  size_t in_work() const { return in_work_.size(); }
  // How long the key at the front has been ready.
  absl::Duration oldest_wait() const;
  const WorkQueueCounters& counters() const { return counters_; }

 private:
  using DelayKey = std::pair<absl::Duration, uint64_t>;  // When, and a number that breaks ties.
  struct Ready {
    std::string key;
    absl::Duration since;
  };

  bool RoomFor(const std::string& key);
  void MakeReady(const std::string& key);
  void Undelay(const std::string& key);
  void ArmTimer();
  void OnTimer();

  net::Executor& executor_;
  const WorkQueueOptions options_;
  TokenBucket retry_bucket_;
  std::deque<Ready> ready_;
  absl::flat_hash_set<std::string> dirty_;  // Ready, or to be ready again after Done.
  absl::flat_hash_set<std::string> in_work_;
  std::map<DelayKey, std::string> delayed_;
  absl::flat_hash_map<std::string, DelayKey> delay_of_;
  absl::flat_hash_map<std::string, int> failures_;
  std::vector<net::Promised<bool>> waiting_;
  net::Executor::TimerId timer_ = 0;
  absl::Duration timer_at_;
  uint64_t next_delay_ = 1;
  bool shut_down_ = false;
  WorkQueueCounters counters_;
};

}  // namespace bth::client
