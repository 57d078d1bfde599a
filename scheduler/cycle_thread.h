// Where cycles run: a thread of their own in daemons, the executor itself in simulation.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "net/awaitable.h"

namespace bth::scheduler {

// Runs work one piece after another. Thread: Run may be called from any thread.
class CycleRunner {
 public:
  using Work = absl::AnyInvocable<void()>;
  virtual ~CycleRunner() = default;
  virtual void Run(Work work) = 0;
  // Returns when all that was given has run; nothing may be given afterwards.
  virtual void Finish() {}
};

// The scheduling thread of a daemon. Destruction finishes what was given and joins. Work sees to
// its own exceptions; one that escapes ends at the barrier, and the thread goes on.
class ThreadRunner final : public CycleRunner {
 public:
  explicit ThreadRunner(net::Barrier& barrier);
  ~ThreadRunner() override;
  void Run(Work work) override;
  void Finish() override;

 private:
  void Loop();

  net::Barrier& barrier_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> work_;
  bool stop_ = false;
  std::thread thread_;
};

// Runs on the executor: the same order of events in every run of a simulation.
class InlineRunner final : public CycleRunner {
 public:
  explicit InlineRunner(net::Executor& executor) : executor_(executor) {}
  void Run(Work work) override { executor_.Post(std::move(work)); }

 private:
  net::Executor& executor_;
};

}  // namespace bth::scheduler
