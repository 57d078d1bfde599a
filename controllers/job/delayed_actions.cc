#include "controllers/job/delayed_actions.h"

#include "controllers/job/policy.h"

namespace bth::controllers {

using types::BusAction;
using types::BusEvent;

namespace {

// Both are about pods of one name.
bool IsOutdatedBy(const JobRequest& waiting, const JobRequest& news) {
  if (waiting.event == BusEvent::kPodPending) return waiting.pod_uid == news.pod_uid;
  const bool is_loss =
      waiting.event == BusEvent::kPodFailed || waiting.event == BusEvent::kPodEvicted;
  return is_loss && news.event == BusEvent::kPodRunning;
}

// Both are about pods of one name, and what waits would do nothing in its time: its pod is of an
// earlier incarnation, was replaced while it was pending, or is pending no more.
bool IsSupersededBy(const JobRequest& waiting, const JobRequest& news) {
  if (waiting.pod.empty()) return false;
  if (waiting.job_version < news.job_version) return true;
  return waiting.event == BusEvent::kPodPending &&
         (waiting.pod_uid != news.pod_uid || news.event != BusEvent::kPodPending);
}

}  // namespace

DelayedActions::~DelayedActions() {
  for (const auto& [key, slots] : jobs_) {
    for (const auto& [slot, entry] : slots) executor_.CancelTimer(entry.timer);
  }
}

void DelayedActions::Add(JobRequest request, const types::Word<BusAction>& action,
                         absl::Duration delay) {
  const std::string key = JobKey(request);
  const Slot slot = {request.pod, std::string(action.text())};
  const auto [at, is_new] = jobs_[key].try_emplace(slot);
  if (!is_new) {
    if (!IsSupersededBy(at->second.request, request)) return;
    executor_.CancelTimer(at->second.timer);
  }
  request.action = action;
  request.is_due = true;
  at->second.request = std::move(request);
  at->second.timer = executor_.RunAfter(delay, [this, key, slot] { Fire(key, slot); });
}

void DelayedActions::Fire(const std::string& job_key, const Slot& slot) {
  // Copies: the arguments live in the timer that is running.
  const auto job = jobs_.find(job_key);
  if (job == jobs_.end()) return;
  const auto found = job->second.find(slot);
  if (found == job->second.end()) return;
  JobRequest request = std::move(found->second.request);
  job->second.erase(found);
  if (job->second.empty()) jobs_.erase(job);
  due_(std::move(request));
}

template <typename Condition>
void DelayedActions::DropIf(const std::string& job_key, Condition condition) {
  const auto job = jobs_.find(job_key);
  if (job == jobs_.end()) return;
  for (auto it = job->second.begin(); it != job->second.end();) {
    if (!condition(it->second.request)) {
      ++it;
      continue;
    }
    executor_.CancelTimer(it->second.timer);
    it = job->second.erase(it);
  }
  if (job->second.empty()) jobs_.erase(job);
}

void DelayedActions::DropOutdatedBy(const JobRequest& request) {
  const BusEvent event = request.event;
  if (event != BusEvent::kPodRunning && event != BusEvent::kPodFailed &&
      event != BusEvent::kPodEvicted) {
    return;
  }
  const auto job = jobs_.find(JobKey(request));
  if (job == jobs_.end()) return;
  for (auto it = job->second.lower_bound({request.pod, ""});
       it != job->second.end() && it->first.first == request.pod;) {
    if (!IsOutdatedBy(it->second.request, request)) {
      ++it;
      continue;
    }
    executor_.CancelTimer(it->second.timer);
    it = job->second.erase(it);
  }
  if (job->second.empty()) jobs_.erase(job);
}

void DelayedActions::DropSiblingsOf(const JobRequest& request, BusAction action) {
  const ActionLevel level = LevelOf(action);
  if (level == ActionLevel::kInternal) return;
  DropIf(JobKey(request), [&request, level](const JobRequest& waiting) {
    if (LevelOf(waiting.action.value()) != level) return false;
    switch (level) {
      case ActionLevel::kTask:
        return waiting.task == request.task;
      case ActionLevel::kPod:
        return waiting.pod == request.pod;
      case ActionLevel::kPartition:
        return waiting.task == request.task && waiting.partition == request.partition;
      case ActionLevel::kJob:
      case ActionLevel::kInternal:
        break;
    }
    return true;
  });
}

void DelayedActions::DropJob(const std::string& job_key) {
  DropIf(job_key, [](const JobRequest&) { return true; });
}

size_t DelayedActions::size() const {
  size_t count = 0;
  for (const auto& [key, slots] : jobs_) count += slots.size();
  return count;
}

}  // namespace bth::controllers
