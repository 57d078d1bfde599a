#include "controllers/ttl/ttl_controller.h"

#include <utility>

#include "base/strings.h"
#include "client/typed_client.h"
#include "controllers/core/ownership.h"
#include "controllers/core/writes.h"
#include "controllers/cron_job/due.h"
#include "controllers/job_flow/flow_plan.h"
#include "controllers/manager/selection.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::CronJob;
using types::JobFlow;

// Until the owner tells of a job that has ended: mostly at once.
constexpr absl::Duration kOwnerPause = absl::Seconds(1);

// What TimeLeft says of a job, as a lane's outcome: `expired` tells whether it may go.
LaneHooks::Outcome Judge(const BatchJob& job, absl::Time now, bool* expired) {
  LaneHooks::Outcome outcome;
  const absl::StatusOr<std::optional<absl::Duration>> left = TimeLeft(job, now);
  outcome.status = left.status();
  if (!left.ok() || !left->has_value()) return outcome;
  *expired = **left <= absl::ZeroDuration();
  if (!*expired) outcome.again = **left;
  return outcome;
}

}  // namespace

absl::StatusOr<std::optional<absl::Duration>> TimeLeft(const BatchJob& job, absl::Time now) {
  std::optional<absl::Duration> left;
  if (job.meta.deletion_time.has_value() || !job.spec.ttl_seconds_after_finished.has_value() ||
      !types::IsFinished(job.status.state.phase.value())) {
    return left;
  }
  if (!job.status.state.last_transition_time.has_value()) {
    return absl::FailedPreconditionError(
        StrCat("unable to find the time when the Job ", job.meta.Key(), " finished"));
  }
  left = *job.status.state.last_transition_time +
         absl::Seconds(*job.spec.ttl_seconds_after_finished) - now;
  return left;
}

TtlController::TtlController(const ControllerContext& context)
    : context_(context),
      jobs_(context.watches.Of<BatchJob>()),
      lanes_(context.executor(), DefaultLanes(context.options.worker_threads_for_gc),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}) {
  jobs_.Subscribe(*this);
  if (IsSelected("jobflow-controller", context.options.controllers)) {
    flows_ = &context.watches.Of<JobFlow>();
  }
  // Where nobody works on CronJobs, none would tell of its runs.
  if (context.options.gates.follows_cron_jobs() &&
      IsSelected("cronjob-controller", context.options.controllers)) {
    cron_jobs_ = &context.watches.Of<CronJob>();
  }
}

void TtlController::OnAdd(const BatchJob& job) {
  if (job.meta.deletion_time.has_value() || !job.spec.ttl_seconds_after_finished.has_value() ||
      !types::IsFinished(job.status.state.phase.value())) {
    return;
  }
  lanes_.Add(StoreKey(job.meta.ns, job.meta.name));
}

void TtlController::OnUpdate(const BatchJob& /*before*/, const BatchJob& after) {
  OnAdd(after);
}

// Its time may be years away.
void TtlController::OnDelete(const BatchJob& job) {
  lanes_.Drop(StoreKey(job.meta.ns, job.meta.name));
}

net::Awaitable<LaneHooks::Outcome> TtlController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const ObjectStore<BatchJob>::Pointer job = jobs_.FindKey(key);
  if (job == nullptr) co_return std::move(outcome);
  bool expired = false;
  outcome = Judge(*job, context_.now(), &expired);
  if (!expired) co_return std::move(outcome);
  if (IsAwaitedByFlow(*job) || IsAwaitedByCronJob(*job)) {
    outcome.again = kOwnerPause;
    co_return std::move(outcome);
  }
  co_return co_await Remove(job->meta.ns, job->meta.name);
}

bool TtlController::IsAwaitedByFlow(const BatchJob& job) const {
  if (flows_ == nullptr) return false;
  const auto flow = ControllerAmong(*flows_, job.meta);
  return flow != nullptr && !flow->meta.deletion_time.has_value() && IsUnderWay(*flow) &&
         !TellsOf(*flow, job);
}

bool TtlController::IsAwaitedByCronJob(const BatchJob& job) const {
  if (cron_jobs_ == nullptr) return false;
  const auto cron = ControllerAmong(*cron_jobs_, job.meta);
  return cron != nullptr && !cron->meta.deletion_time.has_value() &&
         !cron->spec.suspend.value_or(false) && !TellsOfRun(*cron, job.meta.name);
}

// Somebody may have raised the limit meanwhile: what is deleted is what was read just now.
net::Awaitable<LaneHooks::Outcome> TtlController::Remove(std::string ns, std::string name) {
  LaneHooks::Outcome outcome;
  absl::StatusOr<BatchJob> fresh = co_await client::GetObject<BatchJob>(context_.api, ns, name);
  if (!fresh.ok()) {
    if (!absl::IsNotFound(fresh.status())) outcome.status = fresh.status();
    co_return std::move(outcome);
  }
  bool expired = false;
  outcome = Judge(*fresh, context_.now(), &expired);
  if (!expired) co_return std::move(outcome);
  std::string propagation = "Foreground";
  outcome.status = co_await DeleteObject(context_.api, *fresh, std::move(propagation));
  co_return std::move(outcome);
}

}  // namespace bth::controllers
