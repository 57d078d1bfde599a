#include "net/awaitable.h"

namespace bth::net {

namespace {

// A coroutine nobody waits for: it runs when made and frees itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached RunDetached(Executor* executor, Awaitable<void> work) {
  try {
    co_await std::move(work);
  } catch (...) {
    executor->barrier().Caught("spawn", Consequence::kLost);
  }
}

// Suspends until a timer fires; forgets the timer when destroyed before.
class TimerAwaiter {
 public:
  TimerAwaiter(Executor& executor, absl::Duration delay) : executor_(executor), delay_(delay) {}
  TimerAwaiter(const TimerAwaiter&) = delete;
  TimerAwaiter& operator=(const TimerAwaiter&) = delete;
  ~TimerAwaiter() {
    if (timer_ != 0) executor_.CancelTimer(timer_);
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    timer_ = executor_.RunAfter(delay_, [this, caller] {
      timer_ = 0;
      caller.resume();
    });
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  const absl::Duration delay_;
  Executor::TimerId timer_ = 0;
};

}  // namespace

void Spawn(Executor& executor, Awaitable<void> work) {
  // Until it starts, the posted task owns the coroutine, so that a dying executor frees it.
  executor.Post([executor = &executor, work = std::move(work)]() mutable {
    RunDetached(executor, std::move(work));
  });
}

Awaitable<void> Sleep(Executor& executor, absl::Duration delay) {
  TimerAwaiter timer(executor, delay);
  co_await timer;
}

}  // namespace bth::net
