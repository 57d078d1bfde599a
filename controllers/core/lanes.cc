#include "controllers/core/lanes.h"

#include <utility>

#include "base/log.h"
#include "client/api_error.h"

namespace bth::controllers {

client::WorkQueueOptions DefaultQueue() {
  client::WorkQueueOptions options;
  options.retry_qps = 10;
  options.retry_burst = 100;
  return options;
}

LaneOptions DefaultLanes(int lanes, int retries_max) {
  LaneOptions options;
  options.lanes = lanes;
  options.retries_max = retries_max;
  options.queue = DefaultQueue();
  return options;
}

Lanes::Lanes(net::Executor& executor, LaneOptions options, LaneHooks hooks)
    : executor_(executor),
      options_(options),
      hooks_(std::move(hooks)),
      queue_(executor, options_.queue) {}

void Lanes::Start() {
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Keep(executor_, "controller.lane", [this] { return Lane(); });
  }
}

net::Awaitable<void> Lanes::Lane() {
  for (;;) {
    const std::optional<std::string> key = co_await queue_.Next();
    if (!key.has_value()) co_return;
    co_await WorkOn(*key);
    queue_.Done(*key);
    // Work that waits for nothing would pile up its frames on the stack and keep others waiting.
    const net::Promised<bool> turn(executor_);
    executor_.Post([turn] { turn.Set(true); });
    co_await turn.Wait();
  }
}

net::Awaitable<LaneHooks::Outcome> Lanes::Work(std::string key) {
  try {
    co_return co_await hooks_.work(std::move(key));
  } catch (...) {
    executor_.barrier().Caught("controller.work", net::Consequence::kFailed);
  }
  LaneHooks::Outcome failed;
  failed.status = absl::InternalError("the work ended with an exception");
  co_return std::move(failed);
}

void Lanes::Drop(const std::string& key) {
  queue_.Drop(key);
  refusals_.erase(key);
}

void Lanes::Forget(const std::string& key) {
  queue_.Forget(key);
  refusals_.erase(key);
}

net::Awaitable<void> Lanes::WorkOn(std::string key) {
  const LaneHooks::Outcome outcome = co_await Work(key);
  if (outcome.status.ok()) {
    Forget(key);
    if (outcome.again.has_value()) queue_.AddAfter(key, *outcome.again);
    co_return;
  }
  Log(LogLevel::kDebug, "controller.failed", {{"key", key}, {"status", outcome.status}});
  const bool is_refused = client::IsRefusal(outcome.status);
  const bool counts = is_refused && options_.retries_max >= 0;
  if (counts && refusals_[key]++ >= options_.retries_max) {
    Forget(key);
    if (hooks_.give_up) co_await hooks_.give_up(std::move(key), outcome.status);
    co_return;
  }
  queue_.AddRateLimited(key, client::RetryAfter(outcome.status).value_or(absl::ZeroDuration()),
                        is_refused ? absl::InfiniteDuration() : kOutagePauseMax);
}

}  // namespace bth::controllers
