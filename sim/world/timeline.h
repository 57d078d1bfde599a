// One thread and one virtual time for the processes of a simulated cluster.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/rng.h"
#include "net/awaitable.h"

namespace bth::sim {

class Process;

// Runs what processes have posted, and their timers. Within a process everything runs in the order
// in which it was posted; which process goes on next is drawn, as it is up to chance between real
// ones: one seed, one interleaving. Lifetime: longer than its processes. Thread: one.
class Timeline final {
 public:
  // Of one moment: what takes more is a loop that time does not end.
  static constexpr size_t kMomentTasksMax = 200'000;

  Timeline(absl::Time start, uint64_t seed, size_t moment_tasks_max = kMomentTasksMax)
      : start_(start), moment_tasks_max_(moment_tasks_max), rng_(seed) {}
  Timeline(const Timeline&) = delete;

  absl::Duration Elapsed() const { return elapsed_; }
  absl::Time Now() const { return start_ + elapsed_; }
  // Lets time pass up to `end`. False: one moment took more tasks than it may.
  bool RunUntil(absl::Duration end);
  // Runs what is posted, without letting time pass.
  bool RunUntilIdle() { return RunUntil(elapsed_); }
  uint64_t tasks_run() const { return tasks_run_; }

 private:
  friend class Process;

  struct Alarm {
    absl::Duration at;
    uint64_t id = 0;
    Process* process = nullptr;
    bool operator>(const Alarm& other) const {
      return at != other.at ? at > other.at : id > other.id;
    }
  };

  void SetRunnable(Process* process, bool runnable);
  void DropStale();

  const absl::Time start_;
  const size_t moment_tasks_max_;
  Rng rng_;
  absl::Duration elapsed_;
  std::vector<Process*> runnable_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  // Timers that have not fired, or fired and have not run; what is in `alarms_` alone was
  // cancelled.
  absl::flat_hash_map<uint64_t, std::pair<Process*, net::Executor::Task>> timers_;
  uint64_t next_timer_ = 1;
  uint64_t tasks_run_ = 0;
};

// What runs in one process, from its start to its death. A paused one does nothing, and catches up
// with its timers when it goes on; of a dead one nothing runs any more. Thread: the timeline's.
class Process final : public net::Executor {
 public:
  // `ahead`: by how much its wall clock is ahead of the others.
  Process(Timeline& timeline, std::string name, absl::Duration ahead = absl::ZeroDuration())
      : timeline_(timeline), name_(std::move(name)), ahead_(ahead) {}
  ~Process() override { Die(); }

  const std::string& name() const { return name_; }
  void Post(Task task) override;
  TimerId RunAfter(absl::Duration delay, Task task) override;
  void CancelTimer(TimerId id) override;
  absl::Duration Monotonic() const override { return timeline_.elapsed_; }
  absl::Time Now() const override { return timeline_.Now() + ahead_; }
  bool IsCurrent() const override { return true; }
  // Its wall clock jumps.
  void SetAhead(absl::Duration ahead) { ahead_ = ahead; }

  void Pause();
  void Resume();
  bool paused() const { return paused_; }
  // It goes on with nothing before `time` has passed, as when its thread waits for a disk; beside
  // pauses.
  void Halt(absl::Duration time);
  // It does nothing at the moment.
  bool halted() const { return paused_ || timeline_.elapsed_ < halted_until_; }
  // Runs what is posted at once, whatever else waits, and whether or not it is halted: for one that
  // is about to die.
  void RunReady();
  // Drops all that waits; whoever lives in the process was destroyed before.
  void Die();
  bool dead() const { return dead_; }

 private:
  friend class Timeline;

  struct Due {
    TimerId timer = 0;  // 0: a posted task.
    Task task;
  };
  void Add(Due due);
  void RunOne();

  static constexpr size_t kNowhere = ~size_t{0};

  Timeline& timeline_;
  const std::string name_;
  absl::Duration ahead_;
  std::deque<Due> ready_;
  size_t place_ = kNowhere;  // Among those that can run.
  bool paused_ = false;
  absl::Duration halted_until_;
  bool dead_ = false;
};

// Another one, such as who works the machine, lets it go on when `time` has passed.
void PauseFor(absl::Duration time, std::shared_ptr<Process> process, Process& other);

}  // namespace bth::sim
