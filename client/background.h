// A coroutine owned by an object rather than by the executor.
#pragma once

#include <algorithm>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "base/check.h"
#include "net/awaitable.h"

namespace bth::client {

// Runs one coroutine; destruction, or Stop, ends it at the point where it is suspended. Neither
// may be called from inside that coroutine. An exception that escapes from it ends at the
// executor's barrier. Thread: the executor's.
class Background final {
 public:
  using Maker = std::function<net::Awaitable<void>()>;
  // Before what an exception cut off begins anew: the first pause, and the longest one. Work that
  // went well for as long as the longest starts over with the first.
  static constexpr absl::Duration kPauseFirst = absl::Seconds(1);
  static constexpr absl::Duration kPauseMax = absl::Seconds(30);

  Background() = default;
  Background(const Background&) = delete;
  ~Background() { Stop(); }

  // Starts with a Post. The former coroutine must have ended or been stopped. What is cut off by an
  // exception has ended, and is lost (net::Consequence).
  void Start(net::Executor& executor, net::Awaitable<void> work) {
    Begin(executor, Once(&executor, std::move(work)));
  }
  // The same for loops, which must not end: what is cut off by an exception is made anew after a
  // pause. `place`, a constant, names it for the barrier; `consequence` is kLost where what was cut
  // off leaves somebody else's state in doubt.
  void Keep(net::Executor& executor, const char* place, Maker make,
            net::Consequence consequence = net::Consequence::kRestarted) {
    Begin(executor, Again({&executor, place, consequence}, std::move(make)));
  }
  void Stop() { state_.reset(); }
  bool running() const { return state_ != nullptr && !state_->done; }

 private:
  struct State {
    bool done = false;
    std::optional<net::Awaitable<void>> work;
  };

  void Begin(net::Executor& executor, net::Awaitable<void> work) {
    BTH_CHECK(!running());
    state_ = std::make_shared<State>();
    state_->work.emplace(Run(std::move(work), state_.get()));
    executor.Post([weak = std::weak_ptr<State>(state_)] {
      if (const std::shared_ptr<State> state = weak.lock()) {
        state->work->await_suspend(std::noop_coroutine()).resume();
      }
    });
  }
  static net::Awaitable<void> Run(net::Awaitable<void> work, State* state) {
    co_await std::move(work);
    state->done = true;
  }
  static net::Awaitable<void> Once(net::Executor* executor, net::Awaitable<void> work) {
    try {
      co_await std::move(work);
    } catch (...) {
      executor->barrier().Caught("background", net::Consequence::kLost);
    }
  }
  struct Loop {
    net::Executor* executor;
    const char* place;
    net::Consequence consequence;
  };
  static net::Awaitable<void> Again(Loop loop, Maker make) {
    absl::Duration pause = kPauseFirst;
    for (;;) {
      const absl::Duration begun = loop.executor->Monotonic();
      try {
        net::Awaitable<void> work = make();
        co_await std::move(work);
        co_return;
      } catch (...) {
        loop.executor->barrier().Caught(loop.place, loop.consequence);
      }
      if (loop.executor->Monotonic() - begun >= kPauseMax) pause = kPauseFirst;
      co_await net::Sleep(*loop.executor, pause);
      pause = std::min(2 * pause, kPauseMax);
    }
  }

  std::shared_ptr<State> state_;
};

}  // namespace bth::client
