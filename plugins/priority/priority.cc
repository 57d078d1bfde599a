#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/job_queue.h"

namespace bth::plugins {
namespace {

using framework::EvictionContext;
using framework::HookRegistrar;
using framework::Session;
using framework::Verdict;
using framework::Vote;
using model::JobId;
using model::SubJobId;
using model::TaskId;

int HigherFirst(int32_t left, int32_t right) {
  return static_cast<int>(left < right) - static_cast<int>(left > right);
}

// Tasks of jobs with a lower priority, and of the evictor's own job those with a lower priority
// than the evictor.
Verdict Lower(const Session& session, TaskId evictor, absl::Span<const TaskId> candidates) {
  Verdict verdict{.vote = Vote::kPermit, .victims = {}};
  const JobId own = session.task(evictor).job;
  if (!TakesPart(session, own)) return verdict;
  for (TaskId candidate : candidates) {
    const model::TaskRow& task = session.task(candidate);
    if (!TakesPart(session, task.job)) continue;
    const bool lower = task.job == own ? task.priority < session.task(evictor).priority
                                       : session.job(task.job).priority < session.job(own).priority;
    if (lower) verdict.victims.push_back(candidate);
  }
  return verdict;
}

Verdict LowerJobs(const Session& session, const EvictionContext& context,
                  absl::Span<const TaskId> candidates) {
  Verdict verdict{.vote = Vote::kPermit, .victims = {}};
  if (context.kind == EvictionContext::Kind::kGangReclaim) {
    verdict.victims.assign(candidates.begin(), candidates.end());
    return verdict;
  }
  for (TaskId candidate : candidates) {
    const JobId job = session.task(candidate).job;
    if (!TakesPart(session, job)) continue;
    if (session.job(job).priority < session.job(context.job).priority) {
      verdict.victims.push_back(candidate);
    }
  }
  return verdict;
}

// Stateless; its hooks read the session. It does not limit reclaim. Thread: scheduling.
class Priority final : public framework::Plugin {
 public:
  std::string_view name() const override { return "priority"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    hooks.TaskOrder([&session](TaskId left, TaskId right) {
      return HigherFirst(session.task(left).priority, session.task(right).priority);
    });
    hooks.JobOrder([&session](JobId left, JobId right) {
      return HigherFirst(session.job(left).priority, session.job(right).priority);
    });
    hooks.SubJobOrder([&session](SubJobId left, SubJobId right) {
      return HigherFirst(session.base().sub_jobs[left].priority,
                         session.base().sub_jobs[right].priority);
    });
    const auto lower = [&session](TaskId evictor, absl::Span<const TaskId> candidates) {
      return Lower(session, evictor, candidates);
    };
    hooks.Preemptable({lower, {.only_lower = true}});
    hooks.UnifiedEvictable(
        [&session](const EvictionContext& context, absl::Span<const TaskId> candidates) {
          return LowerJobs(session, context, candidates);
        });
    hooks.JobStarving([&session](JobId job) {
      const model::JobCounts& counts = session.counts(job);
      return counts.ready() + counts.waiting() < counts.total();
    });
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePriority(const conf::Arguments&) {
  return std::make_unique<Priority>();
}

}  // namespace bth::plugins
