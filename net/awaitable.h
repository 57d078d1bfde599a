// A lazy coroutine result and the executor that runs coroutines.
//
// These types are ours rather than Asio's so that the code above `net/` compiles without Asio and
// runs unchanged on virtual time (net/virtual_executor.h).
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "net/barrier.h"
#include "net/cancel_token.h"
#include "net/frames.h"

namespace bth::net {

// Runs functions one after another on one thread. Everything that belongs to an executor (client,
// informers, cache, server) is used on its thread only.
class Executor {
 public:
  using Task = absl::AnyInvocable<void()>;
  using TimerId = uint64_t;  // 0 is never given out.

  virtual ~Executor() = default;
  // Runs `task` later on the executor's thread, in order of posting. Thread: any.
  virtual void Post(Task task) = 0;
  // Runs `task` once, not before `delay` has passed. Thread: the executor's.
  virtual TimerId RunAfter(absl::Duration delay, Task task) = 0;
  // Forgets a timer that has not fired; unknown ids are ignored. Thread: the executor's.
  virtual void CancelTimer(TimerId id) = 0;
  // Monotonic time, virtual in simulation. Thread: any.
  virtual absl::Duration Monotonic() const = 0;
  // Wall time, virtual in simulation. Thread: any.
  virtual absl::Time Now() const = 0;
  // True on the executor's thread.
  virtual bool IsCurrent() const = 0;

  // Where exceptions end. Posted tasks and timers are guarded already.
  Barrier& barrier() { return barrier_; }

 protected:
  // Runs a task at `place`; what escapes from it ends at the barrier.
  void Guard(std::string_view place, Task& task) noexcept {
    try {
      task();
    } catch (...) {
      barrier_.Caught(place, Consequence::kLost);
    }
  }

 private:
  Barrier barrier_{*this};
};

template <typename T = void>
class [[nodiscard]] Awaitable;

namespace awaitable_internal {

struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <typename Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
    std::coroutine_handle<> next = done.promise().continuation;
    return next ? next : std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  // A request is some twenty coroutines; their frames are used again.
  static void* operator new(size_t bytes) { return AllocateFrame(bytes); }
  static void operator delete(void* frame, size_t bytes) noexcept { FreeFrame(frame, bytes); }

  std::coroutine_handle<> continuation;
  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  // Goes on to whoever awaits the coroutine; at the root of the stack a barrier ends it.
  std::exception_ptr escaped;
  void unhandled_exception() noexcept { escaped = std::current_exception(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Awaitable<T> get_return_object();
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

template <>
struct Promise<void> : PromiseBase {
  Awaitable<void> get_return_object();
  void return_void() const noexcept {}
};

}  // namespace awaitable_internal

// The result of a coroutine that starts when awaited. Destroying it before its end destroys the
// coroutine with its locals, which must therefore cancel what they started. Thread: one executor.
template <typename T>
class [[nodiscard]] Awaitable {
 public:
  using promise_type = awaitable_internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Awaitable(Handle handle) : handle_(handle) {}
  Awaitable(Awaitable&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Awaitable& operator=(Awaitable&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Awaitable() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().continuation = caller;
    return handle_;
  }
  T await_resume() {
    promise_type& promise = handle_.promise();
    if (promise.escaped) std::rethrow_exception(std::exchange(promise.escaped, {}));
    if constexpr (!std::is_void_v<T>) return std::move(*promise.value);
  }

 private:
  Handle handle_;
};

namespace awaitable_internal {
template <typename T>
Awaitable<T> Promise<T>::get_return_object() {
  return Awaitable<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Awaitable<void> Promise<void>::get_return_object() {
  return Awaitable<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}
}  // namespace awaitable_internal

// Runs `work` to its end on `executor`, starting with a Post. A coroutine that is still suspended
// when its executor is destroyed is leaked to the operating system, so owners end theirs first.
// An exception that escapes from it ends at the barrier, as kLost.
void Spawn(Executor& executor, Awaitable<void> work);

// Suspends for `delay` of the executor's time.
Awaitable<void> Sleep(Executor& executor, absl::Duration delay);

// A value that arrives once from a callback. Copies share the value; one coroutine awaits it.
// `Set` after the first is ignored, and is harmless when nobody waits any more.
// Thread: one executor.
template <typename T>
class Promised {
 public:
  explicit Promised(Executor& executor) : executor_(&executor), state_(std::make_shared<State>()) {}

  // Resumes the waiter through Post, never inside the caller.
  void Set(T value) const {
    if (state_->value.has_value() || state_->taken) return;
    state_->value.emplace(std::move(value));
    if (state_->waiter) {
      executor_->Post([state = state_] {
        if (auto waiter = std::exchange(state->waiter, {})) waiter.resume();
      });
    }
  }
  bool is_set() const { return state_->value.has_value(); }

  // Awaitable: `T value = co_await promised.Wait();`
  auto Wait() const {
    struct Awaiter {
      std::shared_ptr<State> state;
      ~Awaiter() {
        if (state) state->waiter = {};
      }
      explicit Awaiter(std::shared_ptr<State> s) : state(std::move(s)) {}
      Awaiter(Awaiter&&) noexcept = default;
      bool await_ready() const noexcept { return state->value.has_value(); }
      void await_suspend(std::coroutine_handle<> caller) noexcept {
        BTH_CHECK(!state->waiter);
        state->waiter = caller;
      }
      T await_resume() {
        T value = std::move(*state->value);
        state->value.reset();
        state->taken = true;
        return value;
      }
    };
    return Awaiter(state_);
  }

 private:
  struct State {
    std::optional<T> value;
    bool taken = false;
    std::coroutine_handle<> waiter;
  };
  Executor* executor_;
  std::shared_ptr<State> state_;
};

}  // namespace bth::net
