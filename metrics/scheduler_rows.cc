// The part of SchedulerMetrics that keeps the handles of jobs and queues.
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/series_families.h"

namespace bth::metrics {

std::shared_ptr<JobSeries> SchedulerMetrics::Job(const JobKey& key) {
  std::pair<std::string, std::string> id(key.job_namespace, key.name);
  bool full = false;
  {
    const std::lock_guard lock(rows_mutex_);
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) return found->second;
    full = jobs_.size() >= kJobsMax;
    if (!full) {
      std::weak_ptr<JobNameSeries>& shared = job_names_[id.second];
      std::shared_ptr<JobNameSeries> by_name = shared.lock();
      if (by_name == nullptr) {
        by_name = std::make_shared<JobNameSeries>(*job_families_, id.second);
        shared = by_name;
      }
      auto job = std::make_shared<JobSeries>(*job_families_, key, std::move(by_name));
      jobs_.emplace(std::move(id), job);
      return job;
    }
  }
  LimitReached("metric_jobs");
  return inert_job_;
}

void SchedulerMetrics::JobSeen(const JobKey& key, absl::Time created) {
  const std::shared_ptr<JobSeries> job = Job(key);
  job->SetQueue(key.queue);
  job->SetCreated(created);
}

size_t SchedulerMetrics::jobs() const {
  const std::lock_guard lock(rows_mutex_);
  return jobs_.size();
}

size_t SchedulerMetrics::queues() const {
  const std::lock_guard lock(rows_mutex_);
  return queues_.size();
}

void SchedulerMetrics::RetainJobs(
    absl::FunctionRef<bool(std::string_view ns, std::string_view name)> is_there) {
  std::vector<std::pair<std::string, std::string>> gone;
  {
    const std::lock_guard lock(rows_mutex_);
    for (const auto& [id, series] : jobs_) {
      if (!is_there(id.first, id.second)) gone.push_back(id);
    }
  }
  for (const auto& [ns, name] : gone) RemoveJob(ns, name);
}

void SchedulerMetrics::RetainQueues(absl::FunctionRef<bool(std::string_view name)> is_there) {
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(rows_mutex_);
    for (const auto& [name, series] : queues_) {
      if (!is_there(name)) gone.push_back(name);
    }
  }
  for (const std::string& name : gone) RemoveQueue(name);
}

void SchedulerMetrics::RemoveJob(std::string_view job_namespace, std::string_view name) {
  const std::lock_guard lock(rows_mutex_);
  const auto found = jobs_.find(std::pair<std::string, std::string>(job_namespace, name));
  if (found == jobs_.end()) return;
  found->second->Retire();  // Lets go of the part that jobs of this name share.
  jobs_.erase(found);
  const auto shared = job_names_.find(ToAbsl(name));
  if (shared != job_names_.end() && shared->second.expired()) job_names_.erase(shared);
}

std::shared_ptr<QueueSeries> SchedulerMetrics::Queue(std::string_view queue) {
  {
    const std::lock_guard lock(rows_mutex_);
    const auto found = queues_.find(ToAbsl(queue));
    if (found != queues_.end()) return found->second;
    if (queues_.size() < kQueuesMax) {
      auto series = std::make_shared<QueueSeries>(*queue_families_, std::string(queue));
      queues_.emplace(std::string(queue), series);
      return series;
    }
  }
  LimitReached("metric_queues");
  return inert_queue_;
}

void SchedulerMetrics::RemoveQueue(std::string_view queue) {
  const std::lock_guard lock(rows_mutex_);
  const auto found = queues_.find(ToAbsl(queue));
  if (found == queues_.end()) return;
  found->second->Retire();
  queues_.erase(found);
}

void SchedulerMetrics::RemoveRows() {
  const std::lock_guard lock(rows_mutex_);
  for (auto& [name, queue] : queues_) queue->Retire();
  for (auto& [key, job] : jobs_) job->Retire();
  queues_.clear();
  jobs_.clear();
  job_names_.clear();
}

void SchedulerMetrics::TaskScheduled(JobSeries& job, absl::Time job_created, absl::Time now) {
  job.TaskScheduled(job_created, now);
  job_latency_.Observe(ToMilliseconds(now - job_created));
}

}  // namespace bth::metrics
