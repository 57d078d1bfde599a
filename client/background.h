// A coroutine owned by an object rather than by the executor.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/awaitable.h"

namespace bth::client {

// Runs one coroutine; destruction, or Stop, ends it at the point where it is suspended. Neither
// may be called from inside that coroutine. Thread: the executor's.
class Background final {
 public:
  Background() = default;
  Background(const Background&) = delete;
  ~Background() { Stop(); }

  // Starts with a Post. The former coroutine must have ended or been stopped.
  void Start(net::Executor& executor, net::Awaitable<void> work) {
    BTH_CHECK(!running());
    state_ = std::make_shared<State>();
    state_->work.emplace(Run(std::move(work), state_.get()));
    executor.Post([weak = std::weak_ptr<State>(state_)] {
      if (const std::shared_ptr<State> state = weak.lock()) {
        state->work->await_suspend(std::noop_coroutine()).resume();
      }
    });
  }
  void Stop() { state_.reset(); }
  bool running() const { return state_ != nullptr && !state_->done; }

 private:
  struct State {
    bool done = false;
    std::optional<net::Awaitable<void>> work;
  };
  static net::Awaitable<void> Run(net::Awaitable<void> work, State* state) {
    co_await std::move(work);
    state->done = true;
  }

  std::shared_ptr<State> state_;
};

}  // namespace bth::client
