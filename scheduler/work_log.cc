#include "scheduler/work_log.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/log.h"
#include "framework/report/figures.h"

namespace bth::scheduler {
namespace {

constexpr absl::Duration kPause = absl::Seconds(1);

std::string JobOf(const model::Snapshot& snapshot, model::TaskId task) {
  const model::JobId job = snapshot.tasks[task].job;
  return job.valid() && snapshot.jobs[job].facts != nullptr ? snapshot.jobs[job].facts->Key()
                                                            : std::string();
}

// What the cycle says against the job; empty: nothing.
std::string RefusalOf(const framework::PodGroupReport& group) {
  for (const framework::EventReport& event : group.events) {
    if (event.warning || event.reason == "Unschedulable") return event.message;
  }
  return {};
}

}  // namespace

WorkLog::~WorkLog() {
  executor_.CancelTimer(timer_);
}

bool WorkLog::Admit() {
  if (!LogEnabled(LogLevel::kDebug)) return false;
  const absl::Duration now = executor_.Monotonic();
  if (now - second_ >= kPause) {
    if (left_out_ > 0) Log(LogLevel::kDebug, "decisions.left_out", {{"lines", left_out_}});
    second_ = now;
    lines_ = left_out_ = 0;
  }
  if (lines_ == kLinesPerSecond) {
    ++left_out_;
    return false;
  }
  ++lines_;
  return true;
}

void WorkLog::Batch(const framework::EffectBatch& batch) {
  const model::Snapshot& snapshot = *batch.snapshot;
  bound_ += static_cast<int64_t>(batch.binds.size());
  victims_ += static_cast<int64_t>(batch.evictions.size());
  if (!LogEnabled(LogLevel::kDebug)) return;
  std::map<std::string, int64_t> placed;
  for (const framework::BindEffect& bind : batch.binds) ++placed[JobOf(snapshot, bind.task)];
  for (const auto& [job, pods] : placed) {
    refusals_.erase(job);
    if (!Admit()) continue;
    Log(LogLevel::kDebug, "job.placed", {{"job", job}, {"pods", pods}, {"action", batch.action}});
  }
}

void WorkLog::Evicted(const cache::Eviction& eviction) {
  ++work_.evicted;
  TellIn(kPause);  // Others of its batch follow.
  if (!Admit()) return;
  Log(LogLevel::kDebug, "pod.evicted",
      {{"pod", eviction.key()}, {"action", eviction.action}, {"for", eviction.beneficiary}});
}

void WorkLog::Refused(const std::string& job, const std::string& why) {
  const size_t words = std::hash<std::string>()(framework::WithoutFigures(why));
  if (const auto known = refusals_.find(job); known != refusals_.end() && known->second == words) {
    return;
  }
  if (refusals_.size() >= kRefusalsMax) refusals_.clear();
  refusals_.insert_or_assign(job, words);
  if (Admit()) Log(LogLevel::kDebug, "job.refused", {{"job", job}, {"why", why}});
}

void WorkLog::Report(const framework::CycleReport& report) {
  if (!LogEnabled(LogLevel::kDebug)) return;
  const model::Snapshot& snapshot = *report.snapshot;
  for (const framework::PodGroupReport& group : report.pod_groups) {
    const std::string job = snapshot.jobs[group.job].facts->Key();
    const model::PodGroupPhase before = snapshot.usage.jobs[group.job].phase;
    const bool waited =
        before == model::PodGroupPhase::kNone || before == model::PodGroupPhase::kPending;
    if (waited && group.phase == model::PodGroupPhase::kInqueue && Admit()) {
      Log(LogLevel::kDebug, "job.admitted",
          {{"job", job}, {"queue", snapshot.jobs[group.job].facts->queue}});
    }
    if (const std::string why = RefusalOf(group); !why.empty()) Refused(job, why);
  }
}

void WorkLog::CycleEnded(absl::Duration took, std::pair<std::string, absl::Duration> slowest) {
  const int64_t bound = std::exchange(bound_, 0);
  const int64_t victims = std::exchange(victims_, 0);
  if (bound + victims == 0) return;
  ++work_.cycles;
  work_.bound += bound;
  if (took >= work_.longest) {
    work_.longest = took;
    work_.slowest = std::move(slowest);
  }
  if (victims > 0) return TellIn(kPause);  // Whether they go is heard by then.
  const absl::Duration left = told_at_ + kPause - executor_.Monotonic();
  if (left > absl::ZeroDuration()) return TellIn(left);
  if (timer_ == 0) TellWork();
}

void WorkLog::TellIn(absl::Duration delay) {
  if (timer_ != 0) return;
  timer_ = executor_.RunAfter(delay, [this] {
    timer_ = 0;
    TellWork();
  });
}

// A cycle whose victims all stay has done nothing.
void WorkLog::TellWork() {
  const Work work = std::exchange(work_, Work());
  if (work.bound + work.evicted == 0) return;
  told_at_ = executor_.Monotonic();
  Log(LogLevel::kInfo, "cycle.acted",
      {{"cycles", work.cycles},
       {"bound", work.bound},
       {"evicted", work.evicted},
       {"longest", work.longest},
       {"slowest", work.slowest.first},
       {"slowest_took", work.slowest.second}});
}

}  // namespace bth::scheduler
