#include "controllers/cron_job/cron_job_controller.h"

#include <utility>

#include "controllers/core/ownership.h"
#include "controllers/core/status_patch.h"
#include "controllers/cron_job/cron_pass.h"
#include "controllers/cron_job/due.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::CronJob;

}  // namespace

CronJobController::CronJobController(const ControllerContext& context)
    : context_(context),
      crons_(context.watches.Of<CronJob>()),
      jobs_(context.watches.Of<BatchJob>()),
      remakes_(context.executor()),
      lanes_(context.executor(), DefaultLanes(context.options.worker_threads_for_cronjob),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}) {
  if (!context.options.gates.follows_cron_jobs()) return;
  crons_.Subscribe(*this);
  jobs_.Subscribe(*this);
}

void CronJobController::OnAdd(const CronJob& cron) {
  lanes_.Add(StoreKey(cron.meta.ns, cron.meta.name));
}

void CronJobController::OnUpdate(const CronJob& before, const CronJob& after) {
  if (before.spec == after.spec && before.meta.deletion_time == after.meta.deletion_time) {
    return;  // A status: ours.
  }
  const bool rescheduled =
      before.spec.schedule != after.spec.schedule || before.spec.time_zone != after.spec.time_zone;
  if (!rescheduled) return OnAdd(after);
  // A changed schedule does not make up for runs that the new one would have had.
  const absl::StatusOr<types::CronSchedule> schedule = ScheduleOf(after);
  if (!schedule.ok()) {
    Warn(context_.events, after, "UnParseableCronJobSchedule",
         WhyUnparseable(after, schedule.status()));
    return;
  }
  lanes_.queue().AddAfter(StoreKey(after.meta.ns, after.meta.name),
                          DelayUntilNext(after, *schedule, context_.now()));
}

// Its next run may be years away.
void CronJobController::OnDelete(const CronJob& cron) {
  lanes_.Drop(StoreKey(cron.meta.ns, cron.meta.name));
}

void CronJobController::OnAdd(const BatchJob& job) {
  const types::OwnerReference* owner = job.meta.Controller();
  if (owner == nullptr || owner->kind != types::ResourceTraits<CronJob>::type().kind ||
      owner->api_version != types::ResourceTraits<CronJob>::type().ApiVersion()) {
    return;
  }
  if (const auto cron = ControllerAmong(crons_, job.meta); cron != nullptr) OnAdd(*cron);
}

void CronJobController::OnUpdate(const BatchJob& before, const BatchJob& after) {
  OnAdd(after);
  if (before.meta.owner_references != after.meta.owner_references) OnAdd(before);
}

void CronJobController::OnDelete(const BatchJob& job) {
  OnAdd(job);
}

net::Awaitable<LaneHooks::Outcome> CronJobController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const auto cron = crons_.FindKey(key);
  if (cron == nullptr || cron->meta.deletion_time.has_value()) co_return std::move(outcome);
  CronPass pass(context_, jobs_, remakes_, *cron);
  outcome = co_await pass.Run();
  // Also after a failure: what was seen and done stays true.
  const Known<CronJob> written = co_await WriteStatus(context_.api, crons_, cron, pass.cron());
  if (outcome.status.ok() && !absl::IsNotFound(written.status())) outcome.status = written.status();
  co_return std::move(outcome);
}

}  // namespace bth::controllers
