// A bounded number of requests in flight, given to work in order of its worth.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "client/background.h"
#include "metrics/scheduler_metrics.h"
#include "net/awaitable.h"

namespace bth::cache {

// Work of one kind, sent piece by piece. An exception that leaves SendOne is the lane's; the piece
// is lost then, but for what its owner makes of it before.
class LaneWork {
 public:
  virtual ~LaneWork() = default;
  virtual bool HasWork() const = 0;
  // Sends the piece whose turn it is; called with work only.
  virtual net::Awaitable<void> SendOne() = 0;
};

struct LaneOptions {
  int lanes = 32;         // Requests in flight.
  int status_lanes = 16;  // Of them for work that can wait: a binding that comes finds others free.
  // The longest pause of all lanes, when the server turns everybody away.
  absl::Duration busy_pause_max = absl::Seconds(2);
};

// Work that can wait goes when nothing urgent waits or is in flight. While the server turns
// everybody away all lanes pause.
// Thread: I/O.
class Lanes {
 public:
  // `metrics` may be null.
  Lanes(net::Executor& executor, metrics::SchedulerMetrics* metrics, LaneOptions options);
  Lanes(const Lanes&) = delete;
  ~Lanes();

  // `urgent`, in order of worth; and what can wait. All outlive the lanes' work, which ends with
  // Stop.
  void Start(std::vector<LaneWork*> urgent, LaneWork& patient);
  void Stop() { running_.clear(); }
  // Called when the last urgent piece has gone.
  void OnUrgentDone(std::function<void()> told) { on_urgent_done_ = std::move(told); }
  // Called when there is work for one more lane.
  void Wake();

  // A request for `object` was turned away because the server is busy; and one was answered. One
  // object that is turned away may have itself to blame. Two in a row, and nothing succeeded
  // between them: the server means everybody, and sending on would only be turned away as well.
  void NoteBusy(const std::string& object, absl::Duration delay);
  void NoteAnswer() { busy_object_.clear(); }

  // Nothing urgent waits for a lane or is in flight.
  bool urgent_idle() const { return urgent_in_flight_ == 0 && NextUrgent() == nullptr; }
  bool idle() const { return urgent_idle() && in_flight_ == 0 && !patient_->HasWork(); }

 private:
  net::Awaitable<void> Lane();
  LaneWork* NextUrgent() const;  // Null: none has work.
  void EndPause();

  net::Executor& executor_;
  metrics::SchedulerMetrics* const metrics_;
  const LaneOptions options_;
  std::function<void()> on_urgent_done_ = [] {};
  std::vector<LaneWork*> urgent_;
  LaneWork* patient_ = nullptr;
  int urgent_in_flight_ = 0;
  int patient_in_flight_ = 0;
  int in_flight_ = 0;
  std::string busy_object_;           // The last one turned away, until something succeeds.
  net::Executor::TimerId pause_ = 0;  // While all lanes pause: its end.
  std::vector<net::Promised<bool>> sleeping_;
  std::vector<std::unique_ptr<client::Background>> running_;
};

}  // namespace bth::cache
