#include "framework/report.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::JobRow;
using model::NodeId;
using model::PodGroupPhase;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kSchedulable = "Schedulable";
constexpr std::string_view kAllUnavailable = "all nodes are unavailable";

// "3 Pending, 6 minAvailable": counts as text, sorted as text.
std::string JoinSorted(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  return absl::StrJoin(parts, ", ");
}

// The plan of a discarded statement, or what is so now.
const TaskState& Outcome(const Session& session, TaskId task) {
  const TaskState* plan = session.PlanOf(task);
  return plan != nullptr ? *plan : session.state(task);
}

std::string PossiblyAssigned(const Session& session, TaskId task, NodeId node,
                             std::string_view once) {
  const model::TaskNames& names = *session.task(task).names;
  return absl::StrCat("Pod ", names.ns, "/", names.name, " can possibly be assigned to ",
                      session.node(node).name, ", once ", ToAbsl(once));
}

bool ReadyByCount(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  return counts.ready() + counts.pending_best_effort >= session.job(job).min_available;
}

std::string PendingReasons(const Session& session, JobId job) {
  std::map<std::string_view, int> counts;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    ++counts[DescribeTask(session, task).reason];
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) {
    parts.push_back(absl::StrCat(count, " ", ToAbsl(reason)));
  }
  return JoinSorted(std::move(parts));
}

void ReportPods(const Session& session, JobId job, const std::string& job_message,
                CycleReport* report) {
  // Pods with the same words share one string.
  std::map<std::string, std::shared_ptr<const std::string>> messages;
  for (TaskId task : *session.job(job).tasks) {
    const TaskStatus status = session.state(task).status;
    if (session.task(task).gated) continue;
    if (status != TaskStatus::kAllocated && status != TaskStatus::kPending &&
        status != TaskStatus::kPipelined) {
      continue;
    }
    TaskWord word = DescribeTask(session, task);
    std::string text = std::move(word.message);
    if (text.empty()) text = job_message.empty() ? std::string(kAllUnavailable) : job_message;
    auto& shared = messages[text];
    if (shared == nullptr) shared = std::make_shared<const std::string>(text);
    report->pods.push_back({task, word.reason, shared, word.nominated_node});
  }
}

void ReportJob(const Session& session, JobId job, CycleReport* report) {
  const JobRow& row = session.job(job);
  const model::JobCounts& counts = session.counts(job);
  PodGroupReport out{.job = job,
                     .running = counts.count(TaskStatus::kRunning),
                     .succeeded = counts.count(TaskStatus::kSucceeded),
                     .failed = counts.count(TaskStatus::kFailed),
                     .conditions = session.ConditionsOf(job),
                     .events = session.EventsOf(job)};
  const bool unschedulable = session.FindCondition(job, kUnschedulable) != nullptr;
  out.phase = DerivePhase(counts, row.min_available, unschedulable);
  const std::string message = JobMessage(session, job);
  const bool waits = out.phase == PodGroupPhase::kUnknown || out.phase == PodGroupPhase::kPending ||
                     out.phase == PodGroupPhase::kInqueue;
  if (waits) {
    out.events.push_back({true, std::string(kUnschedulable),
                          absl::StrCat(counts.count(TaskStatus::kPending), "/", counts.total(),
                                       " tasks in gang unschedulable: ", message)});
  } else {
    out.events.push_back({false, "Scheduled", "pod group is ready"});
  }
  ReportPods(session, job, message, report);
  report->pod_groups.push_back(std::move(out));
}

void ReportQueues(const Session& session, CycleReport* report) {
  const model::Snapshot& base = session.base();
  IdVector<model::QueueId, model::ResourceVec> allocated(base.queues.size());
  for (JobId job : *base.all_jobs) {
    allocated[session.job(job).queue] += session.counts(job).allocated;
  }
  std::map<std::string_view, model::QueueId> by_name;
  for (model::QueueId queue : *base.queues_by_name) by_name[*base.queues[queue].name] = queue;
  IdVector<model::QueueId, model::ResourceVec> total = allocated;
  const bool has_root = by_name.contains("root");
  for (model::QueueId queue : *base.queues_by_name) {
    if (!has_root) break;
    model::QueueId at = queue;
    // A parent chain longer than the number of queues is a cycle; it ends here.
    for (size_t steps = 0; steps < by_name.size() && *base.queues[at].name != "root"; ++steps) {
      const std::string& parent = base.queues[at].parent;
      auto it = by_name.find(parent.empty() ? "root" : std::string_view(parent));
      if (it == by_name.end()) break;
      at = it->second;
      if (at == queue) break;
      total[at] += allocated[queue];
    }
  }
  for (model::QueueId queue : *base.queues_by_name) {
    report->queues.push_back({queue, total[queue]});
  }
}

}  // namespace

PodGroupPhase DerivePhase(const model::JobCounts& counts, int32_t min_member,
                          bool unschedulable_now) {
  if (counts.count(TaskStatus::kRunning) > 0 && unschedulable_now) return PodGroupPhase::kUnknown;
  const int32_t scheduled = counts.Count(model::kScheduledGroup) + counts.releasing_on_node;
  const int32_t completed = counts.Count(model::kCompletedGroup);
  if (scheduled >= min_member) {
    return completed == scheduled ? PodGroupPhase::kCompleted : PodGroupPhase::kRunning;
  }
  return counts.phase == PodGroupPhase::kInqueue ? PodGroupPhase::kInqueue
                                                 : PodGroupPhase::kPending;
}

TaskWord DescribeTask(const Session& session, TaskId task) {
  const TaskState& outcome = Outcome(session, task);
  switch (outcome.status) {
    case TaskStatus::kAllocated:
      return {kSchedulable,
              PossiblyAssigned(session, task, outcome.node, "minAvailable is satisfied"), NodeId()};
    case TaskStatus::kPipelined:
      return {kUnschedulable,
              PossiblyAssigned(session, task, outcome.node,
                               "resource is released and minAvailable is satisfied"),
              outcome.evicts ? outcome.node : NodeId()};
    case TaskStatus::kPending: {
      const TaskFit* fit = session.FitOf(task);
      if (fit != nullptr) return {kUnschedulable, fit->Text(session.reasons()), NodeId()};
      const JobFit* hold = session.HoldOf(session.task(task).job);
      return {kUnschedulable, hold != nullptr ? hold->message : std::string(), NodeId()};
    }
    default:
      return {model::StatusName(outcome.status), std::string(), NodeId()};
  }
}

std::string JobMessage(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  std::vector<std::string> histogram;
  for (int s = 0; s < model::kTaskStatuses; ++s) {
    const auto status = static_cast<TaskStatus>(s);
    if (counts.count(status) == 0) continue;
    histogram.push_back(absl::StrCat(counts.count(status), " ", ToAbsl(model::StatusName(status))));
  }
  histogram.push_back(absl::StrCat(session.job(job).min_available, " minAvailable"));
  std::string text =
      absl::StrCat(ReadyByCount(session, job) ? "pod group is ready, " : "pod group is not ready, ",
                   JoinSorted(std::move(histogram)));
  if (counts.count(TaskStatus::kPending) > 0) {
    absl::StrAppend(&text, "; Pending: ", PendingReasons(session, job));
  }
  if (const JobFit* hold = session.HoldOf(job); hold != nullptr && !hold->message.empty()) {
    return absl::StrCat(text, ". Origin reason is: ", hold->message);
  }
  for (TaskId task : *session.job(job).tasks) {
    if (const TaskFit* fit = session.FitOf(task); fit != nullptr) {
      return absl::StrCat(text, ". Origin reason is ", session.task(task).names->name, ": ",
                          fit->Text(session.reasons()));
    }
  }
  return text;
}

JobFit ExplainJob(const Session& session, JobId job) {
  JobFit out{.job = job};
  if (const JobFit* hold = session.HoldOf(job); hold != nullptr) out = *hold;
  std::vector<const TaskFit*> seen;
  int32_t pipelined = 0;
  int32_t planned = 0;
  for (TaskId task : *session.job(job).tasks) {
    const TaskStatus outcome = Outcome(session, task).status;
    pipelined += outcome == TaskStatus::kPipelined;
    planned +=
        outcome == TaskStatus::kAllocated && session.state(task).status == TaskStatus::kPending;
    const TaskFit* fit = session.FitOf(task);
    if (fit == nullptr || std::find(seen.begin(), seen.end(), fit) != seen.end()) continue;
    seen.push_back(fit);
    out.tasks.push_back(*fit);
  }
  if (out.gate != Gate::kNone) return out;
  const model::JobCounts& counts = session.counts(job);
  if (counts.count(TaskStatus::kPending) + counts.count(TaskStatus::kPipelined) == 0) {
    if (counts.count(TaskStatus::kBinding) > 0) out.gate = Gate::kBinding;
  } else if (!out.tasks.empty()) {
    out.gate = planned > 0 ? Gate::kGangMinimum : Gate::kFilters;
  } else if (pipelined > 0) {
    out.gate = Gate::kVictims;
  } else if (session.IsPendingPhase(job)) {
    out.gate = Gate::kNotEnqueued;
  }
  if (out.gate != Gate::kNone) out.message = JobMessage(session, job);
  return out;
}

CycleReport MakeReport(const Session& session) {
  CycleReport report{.snapshot = session.context().snapshot, .session_uid = session.context().uid};
  const model::Snapshot& base = session.base();
  std::vector<JobId> jobs = *base.active_jobs;
  jobs.insert(jobs.end(), session.touched_jobs().begin(), session.touched_jobs().end());
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (JobId job : jobs) {
    const JobRow& row = session.job(job);
    if (row.facts == nullptr || !row.has_pod_group || !row.queue.valid()) continue;
    ReportJob(session, job, &report);
  }
  ReportQueues(session, &report);
  return report;
}

}  // namespace bth::framework
