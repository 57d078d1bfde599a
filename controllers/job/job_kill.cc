#include "controllers/job/job_kill.h"

#include <string>
#include <utility>

#include "base/strings.h"
#include "controllers/core/events.h"
#include "controllers/job/job_status.h"
#include "controllers/job/plugin_objects.h"
#include "controllers/job/pod_group_writer.h"
#include "controllers/job/pods_writer.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchJobStatus;

// In status.controlledResources, beside those of plugins and volumes.
constexpr std::string_view kCommandRecord = "command";

net::Awaitable<absl::Status> KillPods(JobDesk& desk, const BatchJob& job, KillPlan& plan) {
  absl::Status marked = co_await MarkPods(desk, plan.leaving);
  BTH_CO_RETURN_IF_ERROR(marked);
  if (plan.victims.empty()) co_return absl::OkStatus();
  const size_t asked = plan.victims.size();
  DeletedPods deleted = co_await DeletePods(desk, plan.victims);
  plan.counts.terminating += deleted.deleted;
  if (deleted.errors.empty()) co_return absl::OkStatus();
  Warn(desk.context.events, job, "FailedDelete",
       StrCat("Error deleting pods: ", ErrorList(deleted.errors)));
  co_return client::WithContext(
      deleted.errors.front(), StrCat("failed to kill ", deleted.errors.size(), " pods of ", asked));
}

// What their OnJobAdd made; `status` forgets it.
net::Awaitable<absl::Status> RemovePluginObjects(JobDesk& desk, JobPointer job,
                                                 BatchJobStatus& status) {
  absl::StatusOr<JobPlugins> made = desk.make_plugins(job->spec, desk.tools);
  // Unknown plugins have made nothing.
  if (!made.ok()) co_return absl::OkStatus();
  desk.refreshed.erase(job->meta.uid);  // From the first one that goes on.
  for (const auto& plugin : made->plugins) {
    const std::string record = PluginRecord(*plugin);
    if (plugin->is_recorded() && !status.controlled_resources.Contains(record)) continue;
    for (ObjectName& name : plugin->OnJobDelete(*job)) {
      absl::Status removed = co_await RemoveObject(desk, job, std::move(name));
      BTH_CO_RETURN_IF_ERROR(removed);
    }
    status.controlled_resources.Erase(record);
  }
  co_return absl::OkStatus();
}

// What a job has achieved stays on record when its pods are cleaned up.
void KeepResults(const BatchJobStatus& before, BatchJobStatus* status) {
  status->succeeded = before.succeeded;
  status->failed = before.failed;
  for (const auto& [task, counts] : before.task_status_count) {
    for (const auto& [phase, count] : counts.phase) {
      if (phase != "Succeeded" && phase != "Failed") continue;
      status->task_status_count[task].phase[phase] = count;
    }
  }
}

// What is said of a job stays until something begins anew, or ends it.
void NoteWhy(JobDesk& desk, const JobView& view, const JobStep& step, KillOrder& order,
             BatchJobStatus* status) {
  JobNote why;
  bool is_told = false;
  if (step.decision == Decision::kRestart) {
    why = EndNote(view, *status, step);
    if (why.reason.empty()) return;
  } else if (step.decision != Decision::kEnter) {
    return;
  } else if (!step.is_retry) {  // A job that begins anew is in good health.
    why = std::move(order.why);
    is_told = order.is_told;
  }
  types::JobState& state = status->state;
  state.reason = std::move(why.reason);
  state.message = std::move(why.message);
  if (state.reason.empty() || is_told) return;
  Warn(desk.context.events, *view.job, state.reason, state.message);
}

void EnterPhase(JobDesk& desk, const JobView& view, const JobStep& step, KillOrder& order,
                BatchJobStatus* status) {
  if (Decide(step, view.job->spec, status)) StampStatus(desk.context.now(), status);
  SetRunningDuration(*view.job, status);
  NoteWhy(desk, view, step, order, status);
}

}  // namespace

bool WasCarriedOut(const BatchJob& job, const std::string& command) {
  const std::string* latest = job.status.controlled_resources.Find(kCommandRecord);
  return latest != nullptr && !command.empty() && *latest == command;
}

net::Awaitable<absl::Status> KillJob(JobDesk& desk, JobView view, JobStep step, KillOrder order) {
  JobPointer job = view.job;
  const std::string key = JobKey(*job);
  const bool is_whole = order.target.kind == KillTarget::Kind::kJob;
  desk.waits.Forget(key);
  BatchJobStatus status = job->status;
  status.version = view.version;
  KillPlan plan = PlanKill(view, order.target, is_whole && SparesFinished(*job, step));
  if (plan.is_void) co_return absl::OkStatus();
  if (!is_whole) desk.aimed.Note(key, plan);
  // Before anything is sent: what is said of pods of this incarnation is outdated from now on.
  const bool enters = step.decision == Decision::kEnter;
  if (is_whole && (plan.is_present || (enters && plan.victims.empty()))) {
    desk.book.RaiseVersion(key);
    status.version = desk.book.VersionOf(key);
  }
  // A Command stays until it was carried out. What a policy wants is nowhere but in its event, so
  // that the phase tells of it before the first pod or object goes.
  const bool removes = !plan.victims.empty() || HasPluginRecords(status);
  const bool tells_first = is_whole && enters && order.command.empty() && removes;
  if (tells_first) {
    EnterPhase(desk, view, step, order, &status);
    const absl::StatusOr<JobPointer> told = co_await WriteJobStatus(desk, job, status);
    BTH_CO_RETURN_IF_ERROR(told);
    job = *told;
  }
  absl::Status killed = co_await KillPods(desk, *job, plan);
  BTH_CO_RETURN_IF_ERROR(killed);
  plan.counts.WriteTo(&status);
  if (step.is_retry && !order.command.empty()) {
    status.controlled_resources.Set(kCommandRecord, std::move(order.command));
  }
  if (types::IsFinished(status.state.phase.value())) KeepResults(job->status, &status);
  if (!tells_first) EnterPhase(desk, view, step, order, &status);
  if (is_whole) {
    absl::Status removed = co_await RemovePluginObjects(desk, job, status);
    BTH_CO_RETURN_IF_ERROR(removed);
  }
  // Before the status says that the next incarnation has begun, which gets a group of its own.
  const bool begins_anew = is_whole && step.decision == Decision::kRestart;
  if (begins_anew) {
    absl::Status deleted = co_await DeleteGroup(desk, job);
    BTH_CO_RETURN_IF_ERROR(deleted);
  }
  if (!PutOff(desk, *job, status)) {
    const absl::StatusOr<JobPointer> written =
        co_await WriteJobStatus(desk, job, std::move(status));
    BTH_CO_RETURN_IF_ERROR(written);
  }
  if (!is_whole || begins_anew) co_return absl::OkStatus();
  absl::Status deleted = co_await DeleteGroup(desk, job);
  co_return std::move(deleted);
}

}  // namespace bth::controllers
