// The executor around Asio's event loop. Included only by the few files that use Asio.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "net/io_context.h"

namespace bth::net::detail {

// Our timers share one of Asio's: a deadline that never fires, which is the usual case, then
// costs two map operations and no wake-up.
class AsioExecutor final : public IoContext {
 public:
  AsioExecutor();
  ~AsioExecutor() override;

  void Post(Task task) override;
  TimerId RunAfter(absl::Duration delay, Task task) override;
  void CancelTimer(TimerId id) override;
  absl::Duration Monotonic() const override;
  absl::Time Now() const override { return absl::Now(); }
  bool IsCurrent() const override {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  void Run() override;
  void Stop() override { context_->stop(); }
  void OnSignals(std::vector<int> signals, std::function<void(int)> action) override;
  void OnReadable(int descriptor, std::function<bool()> action) override;

  boost::asio::io_context& context() { return *context_; }

 private:
  struct SignalWatch {
    SignalWatch(boost::asio::io_context& context, std::function<void(int)> a)
        : set(context), action(std::move(a)) {}
    boost::asio::signal_set set;
    std::function<void(int)> action;
  };

  struct ReadWatch {
    ReadWatch(boost::asio::io_context& context, std::function<bool()> a)
        : descriptor(context), action(std::move(a)) {}
    boost::asio::posix::stream_descriptor descriptor;
    std::function<bool()> action;
  };

  void Arm();
  void FireDue();
  void WaitForSignal(SignalWatch& watch);
  void WaitForRead(ReadWatch& watch);

  std::atomic<std::thread::id> thread_;
  std::atomic<bool> closing_{false};
  std::unique_ptr<boost::asio::io_context> context_;
  std::unique_ptr<boost::asio::steady_timer> timer_;
  absl::Duration armed_for_ = absl::InfiniteDuration();
  std::map<std::pair<absl::Duration, TimerId>, Task> timers_;
  absl::flat_hash_map<TimerId, absl::Duration> deadlines_;
  TimerId next_timer_ = 1;
  std::list<SignalWatch> signals_;
  std::list<ReadWatch> reads_;
};

}  // namespace bth::net::detail
