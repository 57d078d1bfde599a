#include "controllers/job_flow/flow_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "admission/rules/flow_graph.h"
#include "base/strings.h"
#include "base/suggest.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Flow;
using types::FlowJobStatus;
using types::FlowPhase;
using types::FlowRunningHistory;
using types::JobFlow;
using types::JobFlowStatus;
using types::JobPhase;

// A flow may have thousands of entries.
using JobsByName = std::map<std::string_view, const BatchJob*>;

JobsByName ByName(const JobList& jobs) {
  JobsByName by_name;
  for (const auto& job : jobs) by_name.emplace(job->meta.name, job.get());
  return by_name;
}

const BatchJob* FindJob(const JobsByName& jobs, const std::string& name) {
  const auto found = jobs.find(name);
  return found == jobs.end() ? nullptr : found->second;
}

// Jobs of the flow that were Completed when its status was written, and are gone since.
std::set<std::string_view> CompletedAndGone(const JobFlow& flow, const JobsByName& jobs) {
  const std::vector<std::string>& told = flow.status.completed_jobs;
  const std::set<std::string_view> completed(told.begin(), told.end());
  std::set<std::string_view> gone;
  if (completed.empty()) return gone;
  for (const Flow& entry : flow.spec.flows) {
    const std::string name = FlowJobName(flow, entry.name);
    const auto one = completed.find(name);
    if (one != completed.end() && !jobs.contains(name)) gone.insert(*one);
  }
  return gone;
}

// All pods of the task are in that phase, and there is at least one.
bool TaskHolds(const BatchJob& job, const types::FlowTaskProbe& probe) {
  for (const types::BatchTask& task : job.spec.tasks) {
    if (task.name != probe.task_name) continue;
    const types::TaskPodCounts* counts = job.status.task_status_count.Find(task.name);
    const int32_t* pods = counts == nullptr ? nullptr : counts->phase.Find(probe.phase);
    return pods != nullptr && *pods >= task.replicas && *pods > 0;
  }
  return false;
}

bool IsThere(const BatchJob* job, const types::FlowDependency& dependency) {
  if (job == nullptr) return false;
  if (job->status.state.phase == JobPhase::kCompleted) return true;
  // Probes that would have to be asked over the network do not shorten the wait.
  if (!dependency.probe.has_value() || dependency.probe->task_statuses.empty() ||
      !dependency.probe->http_get.empty() || !dependency.probe->tcp_socket.empty()) {
    return false;
  }
  return std::all_of(dependency.probe->task_statuses.begin(), dependency.probe->task_statuses.end(),
                     [job](const auto& probe) { return TaskHolds(*job, probe); });
}

bool MayStart(const JobFlow& flow, const Flow& entry, const JobsByName& jobs,
              const std::set<std::string_view>& gone) {
  for (const std::string& target : admission::TargetsOf(entry)) {
    const std::string name = FlowJobName(flow, target);
    if (!gone.contains(name) && !IsThere(FindJob(jobs, name), *entry.depends_on)) return false;
  }
  return true;
}

// Where the status names jobs of that phase; null: nowhere.
std::vector<std::string> JobFlowStatus::*ListFor(JobPhase phase) {
  switch (phase) {
    case JobPhase::kPending:
      return &JobFlowStatus::pending_jobs;
    case JobPhase::kRunning:
      return &JobFlowStatus::running_jobs;
    case JobPhase::kCompleted:
      return &JobFlowStatus::completed_jobs;
    case JobPhase::kTerminated:
      return &JobFlowStatus::terminated_jobs;
    case JobPhase::kFailed:
      return &JobFlowStatus::failed_jobs;
    case JobPhase::kCompleting:
    case JobPhase::kTerminating:
      return nullptr;
    default:
      return &JobFlowStatus::unknown_jobs;
  }
}

std::vector<FlowRunningHistory> NextHistories(const FlowJobStatus* before,
                                              const types::Word<JobPhase>& phase, absl::Time now) {
  FlowRunningHistory current;
  current.start_time = now;
  current.state = phase;
  if (before == nullptr) {
    if (phase.empty()) return {};
    return {current};
  }
  std::vector<FlowRunningHistory> histories = before->running_histories;
  if (histories.empty() || histories.back().state == phase) return histories;
  histories.back().end_time = now;
  histories.push_back(std::move(current));
  return histories;
}

FlowJobStatus StatusOf(const BatchJob& job, const FlowJobStatus* before, absl::Time now) {
  FlowJobStatus status;
  status.name = job.meta.name;
  status.state = job.status.state.phase;
  status.start_time = job.meta.creation_time;
  if (job.status.running_duration.has_value()) {
    status.end_time = job.meta.creation_time + *job.status.running_duration;
  }
  status.restart_count = job.status.retry_count;
  status.running_histories = NextHistories(before, job.status.state.phase, now);
  return status;
}

types::FlowCondition ConditionOf(const BatchJob& job) {
  types::FlowCondition condition;
  condition.phase = job.status.state.phase;
  condition.create_time = job.meta.creation_time;
  condition.running_duration = job.status.running_duration;
  condition.task_status_count = job.status.task_status_count;
  return condition;
}

// Only jobs of its entries decide: the spec may have been edited, and an entry be there twice.
FlowPhase NextPhase(const JobFlow& flow, const JobFlowStatus& now) {
  const FlowPhase phase = flow.status.phase.value();
  if (!IsUnderWay(flow)) return phase;
  const std::set<std::string_view> completed(now.completed_jobs.begin(), now.completed_jobs.end());
  std::set<std::string_view> lost(now.failed_jobs.begin(), now.failed_jobs.end());
  lost.insert(now.terminated_jobs.begin(), now.terminated_jobs.end());
  size_t left = flow.spec.flows.size();
  for (const Flow& entry : flow.spec.flows) {
    const std::string name = FlowJobName(flow, entry.name);
    // At once: one that is lost and cleaned up would be started anew.
    if (lost.contains(name)) return FlowPhase::kFailed;
    if (completed.contains(name)) --left;
  }
  if (phase == FlowPhase::kRunning) {
    return left == 0 && !flow.spec.flows.empty() ? FlowPhase::kSucceed : phase;
  }
  const bool begun = !now.running_jobs.empty() || !now.completed_jobs.empty();
  return begun ? FlowPhase::kRunning : FlowPhase::kPending;
}

}  // namespace

std::string FlowJobName(const JobFlow& flow, std::string_view template_name) {
  return StrCat(flow.meta.name, "-", template_name);
}

std::string CreatorText(std::string_view ns, std::string_view name) {
  return StrCat(ns, ".", name);
}

bool IsUnderWay(const JobFlow& flow) {
  const FlowPhase phase = flow.status.phase.value();
  return phase == FlowPhase::kNone || phase == FlowPhase::kPending || phase == FlowPhase::kRunning;
}

bool TellsOf(const JobFlow& flow, const BatchJob& job) {
  const auto list = ListFor(job.status.state.phase.value());
  if (list == nullptr) return false;
  const std::vector<std::string>& told = flow.status.*list;
  return std::find(told.begin(), told.end(), job.meta.name) != told.end();
}

std::vector<std::string> ReadyToStart(const JobFlow& flow, const JobList& jobs) {
  std::vector<std::string> ready;
  const JobsByName by_name = ByName(jobs);
  const std::set<std::string_view> gone = CompletedAndGone(flow, by_name);
  for (const Flow& entry : flow.spec.flows) {
    const std::string name = FlowJobName(flow, entry.name);
    if (FindJob(by_name, name) != nullptr || gone.contains(name)) continue;
    if (MayStart(flow, entry, by_name, gone)) ready.push_back(entry.name);
  }
  return ready;
}

absl::Status CheckFlow(const JobFlow& flow) {
  const std::optional<admission::FlowFault> fault =
      admission::FindFlowFault(flow.spec.flows, admission::SameName::kEach);
  if (!fault.has_value()) return absl::OkStatus();
  if (fault->is_circle) {
    return absl::InvalidArgumentError(
        StrCat("jobflow Flow is not DAG: these wait for each other: ", ListOf(fault->circle)));
  }
  std::vector<std::string_view> names;
  for (const Flow& entry : flow.spec.flows) names.push_back(entry.name);
  return absl::InvalidArgumentError(StrCat(
      "jobflow Flow is not DAG: vertex is not defined: ", fault->missing, ": flow ", fault->flow,
      " depends on it, and no flow has that name", DidYouMean(fault->missing, names)));
}

std::vector<std::string> IgnoredParts(const JobFlow& flow) {
  std::vector<std::string> complaints;
  for (const Flow& entry : flow.spec.flows) {
    if (entry.patch.present()) {
      complaints.push_back(StrCat("flow ", entry.name,
                                  ": patch is not applied; put what differs into a "
                                  "JobTemplate of its own"));
    }
    if (!entry.depends_on.has_value() || !entry.depends_on->probe.has_value()) continue;
    const types::FlowProbe& probe = *entry.depends_on->probe;
    if (probe.http_get.empty() && probe.tcp_socket.empty()) continue;
    complaints.push_back(StrCat("flow ", entry.name,
                                ": httpGetList and tcpSocketList are not probed; it waits "
                                "for its targets to complete"));
  }
  return complaints;
}

JobFlowStatus NextFlowStatus(const JobFlow& flow, const JobList& jobs, absl::Time now) {
  JobFlowStatus status;
  status.job_status_list = flow.status.job_status_list;
  std::map<std::string, size_t> places;  // In job_status_list.
  for (size_t i = 0; i < status.job_status_list.size(); ++i) {
    places.emplace(status.job_status_list[i].name, i);
  }
  for (const auto& job : jobs) {
    if (const auto list = ListFor(job->status.state.phase.value()); list != nullptr) {
      (status.*list).push_back(job->meta.name);
    }
    status.conditions.Set(job->meta.name, ConditionOf(*job));
    const auto known = places.find(job->meta.name);
    if (known == places.end()) {
      status.job_status_list.push_back(StatusOf(*job, nullptr, now));
    } else {
      FlowJobStatus& one = status.job_status_list[known->second];
      one = StatusOf(*job, &one, now);
    }
  }
  // What completed stays so when its job is cleaned up.
  for (const std::string_view name : CompletedAndGone(flow, ByName(jobs))) {
    const std::string& job = status.completed_jobs.emplace_back(name);
    const types::FlowCondition* condition = flow.status.conditions.Find(job);
    if (condition != nullptr) status.conditions.Set(job, *condition);
  }
  // Otherwise each that is cleaned up would call for a write.
  std::sort(status.completed_jobs.begin(), status.completed_jobs.end());
  status.phase = flow.status.phase;
  status.phase = NextPhase(flow, status);
  return status;
}

}  // namespace bth::controllers
