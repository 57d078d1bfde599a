#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/gang_rules.h"
#include "algo/gang_surplus.h"
#include "base/strings.h"
#include "framework/report/condition_texts.h"
#include "framework/session/session.h"
#include "framework/unschedulable/unschedulable_jobs.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using algo::JobView;
using framework::HookRegistrar;
using framework::JobValidity;
using framework::Session;
using framework::Verdict;
using framework::Vote;
using model::JobId;
using model::SubJobId;
using model::TaskId;

JobView ViewOf(const Session& session, JobId id) {
  return {.base = session.base(), .usage = session.usage(), .id = id};
}

JobValidity Validate(const JobView& job) {
  if (!algo::RolesValid(job)) {
    return {.valid = false,
            .reason = "NotEnoughPodsOfTask",
            .message = "Not enough valid pods of each task for gang-scheduling"};
  }
  if (!algo::SubJobsValid(job)) {
    return {.valid = false,
            .reason = "NotEnoughPodsOfTask",
            .message = "Not enough valid subGroups of each task for gang-scheduling"};
  }
  const int32_t valid = algo::ValidTasks(job.counts());
  const int32_t minimum = job.row().min_available;
  if (valid >= minimum) return {};
  return {.valid = false,
          .reason = "NotEnoughTasks",
          .message = StrCat("Not enough valid tasks for gang-scheduling, valid: ", valid,
                            ", min: ", minimum)};
}

bool Ready(const JobView& job) {
  return algo::IsReady(job.row().min_available, job.counts()) && algo::RolesReady(job) &&
         algo::SubJobsReady(job);
}

bool Pipelined(const JobView& job) {
  return algo::IsPipelined(job.row().min_available, job.counts()) && algo::RolesPipelined(job) &&
         algo::SubJobsPipelined(job);
}

Vote VoteFor(bool claim) {
  return claim ? Vote::kPermit : Vote::kReject;
}

// The one that is ready comes later.
int UnreadyFirst(bool left_ready, bool right_ready) {
  return static_cast<int>(left_ready) - static_cast<int>(right_ready);
}

// Each job gives up what it has beyond its minimums, of roles and sub-jobs too, in the order of the
// candidates.
Verdict Surplus(const Session& session, absl::Span<const TaskId> candidates) {
  Verdict verdict{.vote = Vote::kPermit, .victims = {}};
  absl::flat_hash_map<JobId, algo::GangSurplus> left;
  for (TaskId candidate : candidates) {
    const JobId job = session.task(candidate).job;
    if (!job.valid() || !algo::TakesPart(session.job(job))) continue;
    const auto known = left.find(job);
    algo::GangSurplus& surplus = known != left.end()
                                     ? known->second
                                     : left.try_emplace(job, ViewOf(session, job)).first->second;
    if (surplus.Take(candidate)) verdict.victims.push_back(candidate);
  }
  return verdict;
}

void PublishUnscheduled(const Session& session, JobId job, int32_t unready, bool retried) {
  metrics::SchedulerMetrics* metrics = session.context().metrics;
  if (metrics == nullptr) return;
  const model::JobFacts& facts = *session.job(job).facts;
  const auto series = metrics->Job({.job_namespace = facts.ns,
                                    .name = facts.name,
                                    .queue = *session.queue(session.job(job).queue).name});
  if (retried) series->IncrementRetries();
  series->SetUnscheduledTasks(unready);
}

// Says on the PodGroup whether the gang stands. True when it counts as unschedulable.
bool ConcludeJob(Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  const model::JobCounts& counts = session.counts(job);
  if (algo::IsReady(row.min_available, counts)) {
    session.notes().SetCondition(job, {.type = "Scheduled",
                                       .status = "True",
                                       .reason = "tasks in gang are ready to be scheduled",
                                       .message = ""});
    PublishUnscheduled(session, job, 0, false);
    return false;
  }
  if (algo::WaitsForReplacements(row.min_available, counts)) return false;
  const int32_t unready = framework::TasksMissing(session, job);
  session.notes().SetCondition(
      job, {.type = "Unschedulable",
            .status = "True",
            .reason = "NotEnoughResources",
            .message = framework::GangMessage(session, job, framework::JobMessage(session, job))});
  PublishUnscheduled(session, job, unready, true);
  return true;
}

// Only active jobs and those that this session touched: the conditions of the others stand as they
// are. Cost: linear in those jobs' tasks.
void Conclude(Session& session) {
  std::vector<JobId> jobs = session.active_jobs();
  const absl::flat_hash_set<JobId> active(jobs.begin(), jobs.end());
  for (JobId job : session.touched_jobs()) {
    if (!active.contains(job)) jobs.push_back(job);
  }
  const framework::UnschedulableJobs* left_alone = session.context().unschedulable;
  int64_t unschedulable = left_alone == nullptr ? 0 : left_alone->unschedulable();
  for (JobId job : jobs) {
    if (!algo::TakesPart(session.job(job)) || session.counts(job).total() == 0) continue;
    unschedulable += static_cast<int64_t>(ConcludeJob(session, job));
  }
  if (session.context().metrics != nullptr) {
    session.context().metrics->SetUnscheduledJobs(unschedulable);
  }
}

// Stateless; its hooks read the session. Thread: scheduling.
class Gang final : public framework::Plugin {
 public:
  std::string_view name() const override { return "gang"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    AddJobHooks(session, hooks);
    AddSubJobHooks(session, hooks);
    AddVictimHooks(session, hooks);
    hooks.OnClose([&session] { Conclude(session); });
    return absl::OkStatus();
  }

 private:
  static void AddJobHooks(const Session& session, HookRegistrar& hooks) {
    hooks.JobValid([&session](JobId job) { return Validate(ViewOf(session, job)); });
    hooks.JobOrder([&session](JobId left, JobId right) {
      const auto looks_ready = [&session](JobId job) {
        return algo::LooksReady(session.job(job).min_available, session.counts(job));
      };
      return UnreadyFirst(looks_ready(left), looks_ready(right));
    });
    hooks.JobReady([&session](JobId job) { return Ready(ViewOf(session, job)); });
    hooks.JobPipelined([&session](JobId job) { return VoteFor(Pipelined(ViewOf(session, job))); });
    // Minimums per role do not make a job starve.
    hooks.JobStarving([&session](JobId job) {
      return algo::IsStarving(session.job(job).min_available, session.counts(job));
    });
  }

  static void AddSubJobHooks(const Session& session, HookRegistrar& hooks) {
    hooks.SubJobOrder([&session](SubJobId left, SubJobId right) {
      const auto looks_ready = [&session](SubJobId id) {
        return algo::LooksReady(session.base().sub_jobs[id], session.usage().sub_jobs[id]);
      };
      return UnreadyFirst(looks_ready(left), looks_ready(right));
    });
    hooks.SubJobReady([&session](SubJobId id) {
      return algo::IsReady(session.base().sub_jobs[id], session.usage().sub_jobs[id]);
    });
    hooks.SubJobPipelined([&session](SubJobId id) {
      return VoteFor(algo::IsPipelined(session.base().sub_jobs[id], session.usage().sub_jobs[id]));
    });
  }

  static void AddVictimHooks(const Session& session, HookRegistrar& hooks) {
    const auto surplus = [&session](TaskId, absl::Span<const TaskId> candidates) {
      return Surplus(session, candidates);
    };
    const framework::GrantBounds bounds{.job = [&session](framework::VictimKind, JobId job) {
      return session.counts(job).ready() > session.job(job).min_available;
    }};
    hooks.Preemptable({surplus, bounds});
    hooks.Reclaimable({surplus, bounds});
    // The gang actions take whole bundles and look after minimums themselves.
    hooks.UnifiedEvictable(
        [](const framework::EvictionContext&, absl::Span<const TaskId> candidates) {
          return Verdict{.vote = Vote::kPermit, .victims = {candidates.begin(), candidates.end()}};
        });
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateGang(const conf::Arguments&) {
  return std::make_unique<Gang>();
}

}  // namespace bth::plugins
