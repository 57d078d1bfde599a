// A coroutine at the root of its stack that ends, at the latest, with the object that owns it.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "net/awaitable.h"

namespace bth::net::detail {

// Destroying or resetting it destroys a suspended coroutine with all it awaits. That must not
// happen while that very coroutine runs: callers do it from the event loop, by Post if in doubt.
// Thread: one executor.
class OwnedTask {
 public:
  OwnedTask() = default;
  OwnedTask(const OwnedTask&) = delete;
  OwnedTask& operator=(const OwnedTask&) = delete;
  ~OwnedTask() { Reset(); }

  // What is done about work that an exception cut off; `place` names it for the barrier. It runs
  // inside that work and must not reset this object.
  struct Guard {
    Executor& executor;
    const char* place;
    Executor::Task cut_off;
  };

  // Runs `work` at once, up to its first suspension. What ran before must be over.
  void Start(Guard guard, Awaitable<void> work) {
    BTH_CHECK(!active());
    Reset();
    handle_ = Drive(std::move(guard), std::move(work)).handle;
    handle_.resume();
  }
  void Reset() {
    if (auto handle = std::exchange(handle_, {})) handle.destroy();
  }
  bool active() const { return handle_ && !handle_.done(); }

 private:
  struct Root {
    struct promise_type {
      Root get_return_object() noexcept {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() const noexcept { return {}; }
      std::suspend_always final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  static Root Drive(Guard guard, Awaitable<void> work) {
    try {
      co_await std::move(work);
      co_return;
    } catch (...) {
      guard.executor.barrier().Caught(guard.place, Consequence::kFailed);
    }
    guard.cut_off();
  }

  std::coroutine_handle<Root::promise_type> handle_;
};

}  // namespace bth::net::detail
