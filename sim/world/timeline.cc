#include "sim/world/timeline.h"

#include <algorithm>

namespace bth::sim {

void Timeline::SetRunnable(Process* process, bool runnable) {
  if (runnable == (process->place_ != Process::kNowhere)) return;
  if (runnable) {
    process->place_ = runnable_.size();
    runnable_.push_back(process);
    return;
  }
  runnable_.back()->place_ = process->place_;
  std::swap(runnable_[process->place_], runnable_.back());
  runnable_.pop_back();
  process->place_ = Process::kNowhere;
}

void Timeline::DropStale() {
  while (!alarms_.empty() && !timers_.contains(alarms_.top().id)) alarms_.pop();
}

bool Timeline::RunUntil(absl::Duration end) {
  size_t left = moment_tasks_max_;
  for (;;) {
    while (!runnable_.empty()) {
      if (left == 0) return false;
      --left;
      ++tasks_run_;
      const size_t next = runnable_.size() == 1 ? 0 : rng_.Below(runnable_.size());
      runnable_[next]->RunOne();
    }
    DropStale();
    if (alarms_.empty() || alarms_.top().at > end) break;
    const Alarm alarm = alarms_.top();
    alarms_.pop();
    if (alarm.at > elapsed_) {
      elapsed_ = alarm.at;
      left = moment_tasks_max_;
    }
    alarm.process->Add({alarm.id, nullptr});
  }
  elapsed_ = std::max(elapsed_, end);
  return true;
}

void Process::Add(Due due) {
  ready_.push_back(std::move(due));
  if (!halted()) timeline_.SetRunnable(this, true);
}

void Process::Post(Task task) {
  if (!dead_) Add({0, std::move(task)});
}

net::Executor::TimerId Process::RunAfter(absl::Duration delay, Task task) {
  const TimerId id = timeline_.next_timer_++;
  if (dead_) return id;
  timeline_.timers_.emplace(id, std::make_pair(this, std::move(task)));
  timeline_.alarms_.push({timeline_.elapsed_ + std::max(delay, absl::ZeroDuration()), id, this});
  return id;
}

void Process::CancelTimer(TimerId id) {
  const auto it = timeline_.timers_.find(id);
  if (it == timeline_.timers_.end()) return;
  // What goes with the task may cancel others.
  const Task dropped = std::move(it->second.second);
  timeline_.timers_.erase(it);
}

void Process::RunOne() {
  Due due = std::move(ready_.front());
  ready_.pop_front();
  if (ready_.empty()) timeline_.SetRunnable(this, false);
  if (due.timer == 0) return Guard("executor.task", due.task);
  const auto it = timeline_.timers_.find(due.timer);
  if (it == timeline_.timers_.end()) return;  // Cancelled meanwhile.
  Task task = std::move(it->second.second);
  timeline_.timers_.erase(it);
  Guard("executor.timer", task);
}

void Process::Pause() {
  paused_ = true;
  timeline_.SetRunnable(this, false);
}

void Process::Resume() {
  paused_ = false;
  if (!ready_.empty() && !halted()) timeline_.SetRunnable(this, true);
}

void Process::Halt(absl::Duration time) {
  halted_until_ = std::max(halted_until_, timeline_.elapsed_ + time);
  timeline_.SetRunnable(this, false);
  if (time == absl::InfiniteDuration()) return;
  // What is due makes it runnable again.
  RunAfter(halted_until_ - timeline_.elapsed_, [] {});
}

void Process::RunReady() {
  for (size_t left = Timeline::kMomentTasksMax; !ready_.empty() && left > 0; --left) RunOne();
}

void Process::Die() {
  dead_ = true;
  timeline_.SetRunnable(this, false);
  // What is dropped may post or cancel while its captures are destroyed.
  std::deque<Due> ready = std::exchange(ready_, {});
  ready.clear();
  std::vector<uint64_t> ids;
  for (const auto& [id, timer] : timeline_.timers_) {
    if (timer.first == this) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  for (const uint64_t id : ids) CancelTimer(id);
}

void PauseFor(absl::Duration time, std::shared_ptr<Process> process, Process& other) {
  process->Pause();
  other.RunAfter(time, [process = std::move(process)] {
    if (!process->dead()) process->Resume();
  });
}

}  // namespace bth::sim
