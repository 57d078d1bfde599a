// Workers on a queue of keys: one key is never in two hands.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/work_queue.h"

namespace bth::controllers {

// Between attempts after failures that say nothing against what was asked: a server that is away,
// busy, or changed meanwhile.
inline constexpr absl::Duration kOutagePauseMax = absl::Seconds(30);

struct LaneOptions {
  int lanes = 1;
  // A key of which the server refuses what is asked more often in a row is given up; negative:
  // never. An outage gives up nothing.
  int retries_max = -1;
  client::WorkQueueOptions queue;
};

struct LaneHooks {
  struct Outcome {
    absl::Status status;  // A failure: the key is tried again after a growing pause.
    std::optional<absl::Duration> again;  // Success, but look again after so long.
  };
  std::function<net::Awaitable<Outcome>(std::string key)> work;
  // The key was refused for the last time. May be empty.
  std::function<net::Awaitable<void>(std::string key, absl::Status status)> give_up;
};

// Volcano's default rate limiter: 5 ms x 2^failures up to 1,000 s per key, 10 a second over all
// keys with a burst of 100.
client::WorkQueueOptions DefaultQueue();
// Lanes with that limiter.
LaneOptions DefaultLanes(int lanes, int retries_max = -1);

// Lifetime: shorter than what the hooks touch. Thread: the executor's.
class Lanes final {
 public:
  Lanes(net::Executor& executor, LaneOptions options, LaneHooks hooks);

  client::WorkQueue& queue() { return queue_; }
  void Add(const std::string& key) { queue_.Add(key); }
  // What the key stands for is gone.
  void Drop(const std::string& key);
  // Keys added before wait until then.
  void Start();
  bool idle() const { return queue_.depth() == 0 && queue_.in_work() == 0; }

 private:
  net::Awaitable<void> Lane();
  net::Awaitable<void> WorkOn(std::string key);
  void Forget(const std::string& key);  // Its failures.
  // An exception counts as a failure.
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);

  net::Executor& executor_;
  const LaneOptions options_;
  const LaneHooks hooks_;
  client::WorkQueue queue_;
  absl::flat_hash_map<std::string, int> refusals_;  // In a row, where they count.
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::controllers
