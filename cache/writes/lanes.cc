#include "cache/writes/lanes.h"

#include <algorithm>
#include <utility>

namespace bth::cache {
namespace {

// The turn of one piece of work; ends with it, however that ends.
class Turn {
 public:
  explicit Turn(int* counter) : counter_(counter) { ++*counter_; }
  Turn(const Turn&) = delete;
  ~Turn() { --*counter_; }

 private:
  int* const counter_;
};

}  // namespace

Lanes::Lanes(net::Executor& executor, metrics::SchedulerMetrics* metrics, LaneOptions options)
    : executor_(executor), metrics_(metrics), options_(options) {}

Lanes::~Lanes() {
  executor_.CancelTimer(pause_);
}

void Lanes::Start(std::vector<LaneWork*> urgent, LaneWork& patient) {
  urgent_ = std::move(urgent);
  patient_ = &patient;
  for (int i = 0; i < options_.lanes; ++i) {
    running_.push_back(std::make_unique<client::Background>());
    running_.back()->Keep(executor_, "effects.lane", [this] { return Lane(); });
  }
}

LaneWork* Lanes::NextUrgent() const {
  const auto next = std::find_if(urgent_.begin(), urgent_.end(),
                                 [](const LaneWork* work) { return work->HasWork(); });
  return next == urgent_.end() ? nullptr : *next;
}

void Lanes::Wake() {
  if (sleeping_.empty()) return;
  const net::Promised<bool> lane = std::move(sleeping_.back());
  sleeping_.pop_back();
  lane.Set(true);
}

net::Awaitable<void> Lanes::Lane() {
  for (;;) {
    const bool paused = pause_ != 0;
    LaneWork* const urgent = paused ? nullptr : NextUrgent();
    const bool patient_may_go = !paused && urgent == nullptr && urgent_in_flight_ == 0 &&
                                patient_in_flight_ < options_.status_lanes;
    if (urgent != nullptr) {
      {
        const Turn urgent_turn(&urgent_in_flight_);
        const Turn turn(&in_flight_);
        co_await urgent->SendOne();
      }
      if (!urgent_idle()) continue;
      on_urgent_done_();
      if (patient_->HasWork()) Wake();
    } else if (patient_may_go && patient_->HasWork()) {
      const Turn patient_turn(&patient_in_flight_);
      const Turn turn(&in_flight_);
      Wake();  // More of it may be sent side by side.
      co_await patient_->SendOne();
    } else {
      net::Promised<bool> work(executor_);
      sleeping_.push_back(work);
      co_await work.Wait();
    }
  }
}

void Lanes::NoteBusy(const std::string& object, absl::Duration delay) {
  const bool everybody = !busy_object_.empty() && busy_object_ != object;
  busy_object_ = object;
  if (!everybody || pause_ != 0) return;
  if (metrics_ != nullptr) metrics_->LimitReached("server_busy");
  pause_ = executor_.RunAfter(std::min(delay, options_.busy_pause_max), [this] {
    pause_ = 0;
    EndPause();
  });
}

void Lanes::EndPause() {
  busy_object_.clear();
  for (const net::Promised<bool>& lane : std::exchange(sleeping_, {})) lane.Set(true);
}

}  // namespace bth::cache
