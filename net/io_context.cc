#include "net/io_context.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>

#include "net/detail/asio_executor.h"

namespace bth::net {

namespace detail {

namespace asio = boost::asio;

AsioExecutor::AsioExecutor()
    : thread_(std::this_thread::get_id()),
      context_(std::make_unique<asio::io_context>(1)),
      timer_(std::make_unique<asio::steady_timer>(*context_)) {}

AsioExecutor::~AsioExecutor() {
  // Captures that are destroyed here may post or cancel; nothing of that is kept.
  closing_ = true;
  while (!timers_.empty()) {
    auto dropped = std::exchange(timers_, {});
    deadlines_.clear();
  }
  signals_.clear();
  reads_.clear();
  timer_.reset();
  // Destroys the handlers that wait for sockets, and posted tasks, while the members still live.
  context_.reset();
}

void AsioExecutor::Post(Task task) {
  if (closing_.load(std::memory_order_relaxed)) return;
  asio::post(*context_, [this, task = std::move(task)]() mutable { Guard("executor.task", task); });
}

Executor::TimerId AsioExecutor::RunAfter(absl::Duration delay, Task task) {
  if (closing_) return 0;
  const TimerId id = next_timer_++;
  if (delay == absl::InfiniteDuration()) return id;
  const absl::Duration at = Monotonic() + std::max(delay, absl::ZeroDuration());
  timers_.emplace(std::make_pair(at, id), std::move(task));
  deadlines_.emplace(id, at);
  if (at < armed_for_) Arm();
  return id;
}

void AsioExecutor::CancelTimer(TimerId id) {
  const auto deadline = deadlines_.find(id);
  if (deadline == deadlines_.end()) return;
  const absl::Duration at = deadline->second;
  deadlines_.erase(deadline);
  auto dropped = timers_.extract(std::make_pair(at, id));
}

absl::Duration AsioExecutor::Monotonic() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

void AsioExecutor::Arm() {
  if (closing_ || timers_.empty()) {
    armed_for_ = absl::InfiniteDuration();
    return;
  }
  armed_for_ = timers_.begin()->first.first;
  // Far deadlines wake up once a day, so that no conversion overflows.
  const absl::Duration wait = std::min(armed_for_ - Monotonic(), absl::Hours(24));
  timer_->expires_after(std::chrono::nanoseconds(absl::ToInt64Nanoseconds(wait) + 1));
  timer_->async_wait([this](const boost::system::error_code& error) {
    if (!error) FireDue();
  });
}

void AsioExecutor::FireDue() {
  const absl::Duration now = Monotonic();
  const TimerId made_before = next_timer_;
  armed_for_ = -absl::InfiniteDuration();  // Timers set meanwhile do not arm one by one.
  // Those that a task sets for "now" wait for the next round, so that sockets get their turn.
  for (auto next = timers_.begin(); next != timers_.end() && next->first.first <= now;
       next = timers_.begin()) {
    if (next->first.second >= made_before) break;
    auto due = timers_.extract(next);
    deadlines_.erase(due.key().second);
    Guard("executor.timer", due.mapped());
  }
  Arm();
}

void AsioExecutor::Run() {
  thread_ = std::this_thread::get_id();
  auto guard = asio::make_work_guard(*context_);
  for (bool ended = false; !ended;) {
    try {
      context_->run();
      ended = true;
    } catch (...) {  // From a socket's or a signal's handler; the loop goes on.
      barrier().Caught("executor.handler", Consequence::kLost);
    }
  }
  // In this order: letting go of the last work would stop the context again.
  guard.reset();
  context_->restart();
}

void AsioExecutor::OnSignals(std::vector<int> signals, std::function<void(int)> action) {
  SignalWatch& watch = signals_.emplace_back(*context_, std::move(action));
  for (const int signal : signals) {
    boost::system::error_code error;
    watch.set.add(signal, error);
    BTH_CHECK(!error);
  }
  WaitForSignal(watch);
}

void AsioExecutor::WaitForSignal(SignalWatch& watch) {
  watch.set.async_wait([this, &watch](const boost::system::error_code& error, int signal) {
    if (error) return;
    WaitForSignal(watch);
    watch.action(signal);
  });
}

void AsioExecutor::OnReadable(int descriptor, std::function<bool()> action) {
  // Asio has what it waits for not block, which would hold for everybody who has the descriptor, as
  // shells and their programs have the terminal: so it waits for one that only looks at it.
  const int own = epoll_create1(EPOLL_CLOEXEC);
  if (own < 0) return;
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  if (epoll_ctl(own, EPOLL_CTL_ADD, descriptor, &wanted) != 0) {
    close(own);
    return;
  }
  ReadWatch& watch = reads_.emplace_back(*context_, std::move(action));
  boost::system::error_code error;
  watch.descriptor.assign(own, error);
  if (error) {
    close(own);
    return;
  }
  WaitForRead(watch);
}

void AsioExecutor::WaitForRead(ReadWatch& watch) {
  watch.descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                              [this, &watch](const boost::system::error_code& error) {
                                if (!error && watch.action()) WaitForRead(watch);
                              });
}

}  // namespace detail

std::unique_ptr<IoContext> IoContext::Create() {
  return std::make_unique<detail::AsioExecutor>();
}

}  // namespace bth::net
