#include "framework/report/condition_texts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "framework/session/effects.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::NodeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

// "3 Pending, 6 minAvailable": counts as text, sorted as text.
std::string JoinSorted(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  return absl::StrJoin(parts, ", ");
}

// Of the PodScheduled condition.
std::string_view ReasonFor(TaskStatus outcome) {
  switch (outcome) {
    case TaskStatus::kAllocated:
      return kReasonSchedulable;
    case TaskStatus::kPipelined:
    case TaskStatus::kPending:
      return kReasonUnschedulable;
    default:
      return model::StatusName(outcome);
  }
}

std::string PossiblyAssigned(const Session& session, TaskId task, NodeId node,
                             std::string_view once) {
  const model::TaskNames& names = *session.task(task).names;
  return StrCat("Pod ", names.ns, "/", names.name, " can possibly be assigned to ",
                session.node(node).name, ", once ", once);
}

// Why nobody was evicted, after what the nodes say.
void AppendVictimSearches(const Session& session, JobId job, std::string* text) {
  for (const VictimSearch& search : session.notes().VictimSearchesOf(job)) {
    if (!text->empty()) StrAppend(text, text->back() == '.' ? " " : "; ");
    StrAppend(text, search.Text());
  }
}

std::string PendingReasons(const Session& session, JobId job) {
  std::map<std::string_view, int> counts;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    ++counts[ReasonFor(OutcomeOf(session, task).status)];
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) {
    parts.push_back(StrCat(count, " ", reason));
  }
  return JoinSorted(std::move(parts));
}

}  // namespace

const TaskState& OutcomeOf(const Session& session, TaskId task) {
  const TaskState* plan = session.notes().PlanOf(task);
  return plan != nullptr ? *plan : session.state(task);
}

const JobFit* HoldOfJob(const Session& session, JobId job) {
  const JobFit* hold = session.notes().HoldOf(job);
  if (hold == nullptr || hold->gate != Gate::kQuota) return hold;
  return session.notes().HasFit(job) ? nullptr : hold;
}

bool ReadyByCount(const Session& session, JobId job) {
  return session.counts(job).ready() >= session.job(job).min_available;
}

std::vector<std::string> CountsByStatus(const model::JobCounts& counts) {
  std::vector<std::string> texts;
  for (int s = 0; s < model::kTaskStatuses; ++s) {
    const auto status = static_cast<TaskStatus>(s);
    if (counts.count(status) == 0) continue;
    texts.push_back(StrCat(counts.count(status), " ", model::StatusName(status)));
  }
  return texts;
}

std::string JobMessage(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  std::vector<std::string> histogram = CountsByStatus(counts);
  histogram.push_back(StrCat(session.job(job).min_available, " minAvailable"));
  std::string text =
      StrCat(ReadyByCount(session, job) ? "pod group is ready, " : "pod group is not ready, ",
             JoinSorted(std::move(histogram)));
  if (counts.count(TaskStatus::kPending) > 0) {
    StrAppend(&text, "; Pending: ", PendingReasons(session, job));
  }
  if (const JobFit* hold = HoldOfJob(session, job); hold != nullptr && !hold->message.empty()) {
    StrAppend(&text, ". Origin reason is: ", hold->message);
    AppendVictimSearches(session, job, &text);
    return text;
  }
  for (TaskId task : *session.job(job).tasks) {
    if (const TaskFit* fit = session.notes().FitOf(task); fit != nullptr) {
      StrAppend(&text, ". Origin reason is ", session.task(task).names->name, ": ", fit->Text());
      break;
    }
  }
  AppendVictimSearches(session, job, &text);
  return text;
}

int32_t TasksMissing(const Session& session, JobId job) {
  int32_t placed = 0;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    const TaskState* plan = session.notes().PlanOf(task);
    if (plan != nullptr && model::InGroup(plan->status, model::kAllocatedGroup)) ++placed;
  }
  return session.job(job).min_available - session.counts(job).ready() - placed;
}

std::string GangMessage(const Session& session, JobId job, const std::string& job_message) {
  const model::JobCounts& counts = session.counts(job);
  const int32_t missing = TasksMissing(session, job);
  const int32_t shown = missing > 0 ? missing : counts.count(TaskStatus::kPending);
  return StrCat(std::min(shown, counts.total()), "/", counts.total(),
                " tasks in gang unschedulable: ", job_message);
}

TaskWord DescribeTask(const Session& session, TaskId task) {
  const TaskState& outcome = OutcomeOf(session, task);
  const std::string_view reason = ReasonFor(outcome.status);
  switch (outcome.status) {
    case TaskStatus::kAllocated:
      return {reason, PossiblyAssigned(session, task, outcome.node, "minAvailable is satisfied"),
              NodeId()};
    case TaskStatus::kPipelined:
      return {reason,
              PossiblyAssigned(session, task, outcome.node,
                               "resource is released and minAvailable is satisfied"),
              outcome.evicts ? outcome.node : NodeId()};
    case TaskStatus::kPending: {
      if (const TaskFit* fit = session.notes().FitOf(task); fit != nullptr) {
        std::string text = fit->Text();
        AppendVictimSearches(session, session.task(task).job, &text);
        return {reason, std::move(text), NodeId()};
      }
      const JobFit* hold = session.notes().HoldOf(session.task(task).job);
      return {reason, hold != nullptr ? hold->message : std::string(), NodeId()};
    }
    default:
      return {reason, std::string(), NodeId()};
  }
}

}  // namespace bth::framework
