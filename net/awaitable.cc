#include "net/awaitable.h"

#include <map>

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

struct CancelToken::State {
  bool cancelled = false;
  uint64_t next_id = 1;
  std::map<uint64_t, Executor::Task> actions;  // In order of registration.
};

struct CancelToken::Registration::Impl {
  std::weak_ptr<State> state;
  uint64_t id = 0;
};

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

void CancelToken::Cancel() const {
  // An action may drop other registrations or the last copy of this token.
  const std::shared_ptr<State> state = state_;
  state->cancelled = true;
  while (!state->actions.empty()) {
    auto first = state->actions.extract(state->actions.begin());
    first.mapped()();
  }
}

bool CancelToken::cancelled() const {
  return state_->cancelled;
}

CancelToken::Registration CancelToken::OnCancel(Executor::Task action) const {
  Registration registration;
  if (state_->cancelled) {
    action();
    return registration;
  }
  registration.impl_ = std::make_unique<Registration::Impl>();
  registration.impl_->state = state_;
  registration.impl_->id = state_->next_id++;
  state_->actions.emplace(registration.impl_->id, std::move(action));
  return registration;
}

CancelToken::Registration::Registration() = default;
CancelToken::Registration::Registration(Registration&&) noexcept = default;

CancelToken::Registration& CancelToken::Registration::operator=(Registration&& other) noexcept {
  // The former action goes with the temporary.
  Registration former(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

CancelToken::Registration::~Registration() {
  if (impl_ == nullptr) return;
  if (const std::shared_ptr<State> state = impl_->state.lock()) {
    // The action is destroyed after it left the map: its captures may drop other registrations.
    auto dropped = state->actions.extract(impl_->id);
  }
}

}  // namespace bth::net
