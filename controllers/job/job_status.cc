#include "controllers/job/job_status.h"

#include <utility>

#include "controllers/core/status_patch.h"
#include "controllers/job/job_notes.h"

namespace bth::controllers {

using types::BatchJob;
using types::BatchJobStatus;
using types::JobPhase;

namespace {

// How long a difference in nothing but counters may stay unwritten: most pods get from pending to
// running in less, and then the change of phase tells of both.
constexpr absl::Duration kCountsPause = absl::Seconds(1);

// What counters and times are made of is taken away; what is left tells the states apart.
BatchJobStatus WithoutCounts(BatchJobStatus status) {
  status.task_status_count = {};
  status.pending = status.running = status.succeeded = status.failed = 0;
  status.terminating = status.unknown = 0;
  status.running_duration.reset();
  status.state.last_transition_time.reset();
  status.conditions.clear();
  if (status.state.reason == kPodsWaiting) {  // It counts as well.
    status.state.reason.clear();
    status.state.message.clear();
  }
  return status;
}

bool OnlyCountsDiffer(const BatchJobStatus& a, const BatchJobStatus& b) {
  return !(a == b) && WithoutCounts(a) == WithoutCounts(b);
}

}  // namespace

void UpsertCondition(JobPhase phase, absl::Time time, BatchJobStatus* status) {
  std::erase_if(status->conditions,
                [phase](const types::BatchJobCondition& c) { return c.status == phase; });
  types::BatchJobCondition condition;
  condition.status = phase;
  condition.last_transition_time = time;
  status->conditions.push_back(std::move(condition));
}

void StampStatus(absl::Time now, BatchJobStatus* status) {
  // As the server keeps it: a fraction would make the status differ from its own answer.
  const absl::Time second = absl::FromUnixSeconds(absl::ToUnixSeconds(now));
  status->state.last_transition_time = second;
  UpsertCondition(status->state.phase.value(), second, status);
}

void SetRunningDuration(const BatchJob& job, BatchJobStatus* status) {
  if (!status->state.last_transition_time.has_value()) return;
  status->running_duration = *status->state.last_transition_time - job.meta.creation_time;
}

bool PutOff(JobDesk& desk, const BatchJob& before, const BatchJobStatus& status) {
  if (!OnlyCountsDiffer(before.status, status)) return false;
  if (!desk.IsAlive(before)) return true;  // Nobody reads any more how its pods go.
  const absl::Duration now = desk.context.executor().Monotonic();
  const auto [since, is_new] = desk.counts_differ_since.try_emplace(before.meta.uid, now);
  const absl::Duration left = since->second + kCountsPause - now;
  if (left <= absl::ZeroDuration()) return false;
  desk.LookAgain(before, left);
  return true;
}

net::Awaitable<absl::StatusOr<JobPointer>> WriteJobStatus(JobDesk& desk, JobPointer before,
                                                          BatchJobStatus status) {
  if (status == before->status) {
    desk.counts_differ_since.erase(before->meta.uid);
    co_return std::move(before);
  }
  const JobPhase old_phase = before->status.state.phase.value();
  const JobPhase phase = status.state.phase.value();
  BatchJob after = *before;
  after.status = std::move(status);
  absl::StatusOr<JobPointer> now =
      co_await WriteStatus(desk.context.api, desk.jobs, before, std::move(after));
  if (absl::IsNotFound(now.status())) co_return std::move(before);
  BTH_CO_RETURN_IF_ERROR(now);
  const types::ObjectMeta& meta = before->meta;
  if (!desk.IsPresent(*before)) co_return std::move(now);  // Its series are gone with it.
  if (phase != old_phase && phase == JobPhase::kCompleted) {
    desk.context.metrics.JobCompleted(meta.ns, meta.name, before->spec.queue);
  } else if (phase != old_phase && phase == JobPhase::kFailed) {
    desk.context.metrics.JobFailed(meta.ns, meta.name, before->spec.queue);
  }
  desk.counts_differ_since.erase(meta.uid);
  co_return std::move(now);
}

}  // namespace bth::controllers
