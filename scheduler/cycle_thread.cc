#include "scheduler/cycle_thread.h"

#include <utility>

namespace bth::scheduler {

ThreadRunner::ThreadRunner(net::Barrier& barrier)
    : barrier_(barrier), thread_([this] { Loop(); }) {}

ThreadRunner::~ThreadRunner() {
  Finish();
}

void ThreadRunner::Finish() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ThreadRunner::Run(Work work) {
  {
    std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void ThreadRunner::Loop() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    Work work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (...) {
      barrier_.Caught("scheduling_thread", net::Consequence::kLost);
    }
  }
}

}  // namespace bth::scheduler
