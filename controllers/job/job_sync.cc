#include "controllers/job/job_sync.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/events.h"
#include "controllers/core/writes.h"
#include "controllers/job/job_check.h"
#include "controllers/job/keys.h"
#include "controllers/job/plugin_objects.h"
#include "controllers/job/pod_group_builder.h"
#include "controllers/job/pod_group_writer.h"
#include "controllers/job/pods_writer.h"
#include "controllers/job/volumes.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::JobPhase;

constexpr std::string_view kPluginError = "PluginError";
// No watch tells when an object of somebody else is gone that has the name of one of a plugin.
constexpr absl::Duration kForeignPause = absl::Seconds(30);

SyncError PluginError(const absl::Status& status, bool waits) {
  return SyncErrorOf(status, std::string(kPluginError), "Execute plugin when job add failed",
                     waits);
}

}  // namespace

JobSync::JobSync(JobDesk& desk, JobView view, JobStep step)
    : desk_(desk), view_(std::move(view)), step_(step), now_(view_.job), status_(now_->status) {
  status_.version = view_.version;
}

net::Awaitable<absl::Status> JobSync::Run() {
  desk_.waits.Forget(JobKey(job()));
  if (status_.state.phase.empty()) {
    absl::Status entered = co_await EnterPending();
    BTH_CO_RETURN_IF_ERROR(entered);
  }
  SyncError error;
  if (absl::Status fit = CheckJob(job().spec); !fit.ok()) {
    std::string message(fit.message());
    is_invalid_ = true;
    error = MakeSyncError(std::move(fit), kInvalidJob, std::move(message), true);
  } else {
    error = co_await Prepare();
  }
  if (is_invalid_) {
    counts_ = CountAllPods(view_);
  } else {
    error = co_await Reconcile(std::move(error));
  }
  absl::Status status = co_await Finish(std::move(error));
  // Whoever was deleted meanwhile leaves nothing behind.
  if (!desk_.IsAlive(job())) desk_.Forget(job());
  co_return std::move(status);
}

net::Awaitable<absl::Status> JobSync::EnterPending() {
  status_.state.phase = JobPhase::kPending;
  status_.min_available = job().spec.min_available;
  StampStatus(desk_.context.now(), &status_);
  absl::StatusOr<JobPointer> written = co_await WriteJobStatus(desk_, now_, status_);
  if (written.ok()) {
    now_ = *std::move(written);
    co_return absl::OkStatus();
  }
  if (client::IsRefusal(written.status())) {
    Warn(desk_.context.events, job(), "JobStatusError",
         StrCat("Failed to initialize job status, err: ", written.status().message()));
  }
  co_return written.status();
}

net::Awaitable<SyncError> JobSync::Prepare() {
  SyncError error = co_await Forward();
  if (!error.ok()) co_return std::move(error);
  absl::StatusOr<JobPlugins> plugins = desk_.make_plugins(job().spec, desk_.tools);
  if (!plugins.ok()) co_return PluginError(plugins.status(), true);
  plugins_ = *std::move(plugins);
  if (absl::Status able = CheckMakeable(plugins_, job()); !able.ok()) {
    co_return PluginError(able, true);
  }
  const bool begins =
      status_.state.phase == JobPhase::kPending || status_.state.phase == JobPhase::kOther;
  error = co_await EnsurePluginObjects(begins);
  if (!error.ok()) co_return std::move(error);
  if (begins) {
    VolumesOutcome volumes = co_await EnsureVolumes(desk_, now_, &status_.controlled_resources);
    now_ = std::move(volumes.job);
    if (!volumes.error.ok()) co_return std::move(volumes.error);
  }
  error = co_await EnsureGroup(desk_, now_);
  co_return std::move(error);
}

// Jobs of a queue that has other clusters are marked for those who forward them.
net::Awaitable<SyncError> JobSync::Forward() {
  // A group stays in its queue, whatever the job names meanwhile.
  const auto group = desk_.FindGroup(job());
  const bool is_placed = group != nullptr && !group->spec.queue.empty();
  const std::string name = is_placed ? group->spec.queue : job().spec.queue;
  const auto queue = desk_.queues.Find("", name);
  if (queue == nullptr) {
    desk_.waits.Wait(JobKey(job()), AwaitedQueue(name));
    std::string message =
        StrCat("queue ", name, " does not exist: create it, or ",
               is_placed ? "delete the job and create it in another one" : "name another one");
    absl::Status status = absl::NotFoundError(message);
    co_return MakeSyncError(std::move(status), "QueueNotFound", std::move(message), true);
  }
  is_forwarded_ = !queue->spec.extend_clusters.empty();
  if (!is_forwarded_ || job().meta.Annotation(kJobForwardingKey) == "true") co_return SyncError();
  client::MergePatch patch;
  patch.Set({"metadata", "annotations", kJobForwardingKey}, "true");
  patch.RequireResourceVersion(job().meta.resource_version);
  client::Patch body = patch.Build();
  const absl::StatusOr<JobPointer> marked =
      co_await PatchAndLearn(desk_.context.api, desk_.jobs, job(), std::move(body));
  if (!marked.ok()) {
    co_return SyncErrorOf(marked.status(), "ForwardError",
                          "Failed to mark the job for its other clusters", false);
  }
  now_ = *marked;
  co_return SyncError();
}

// A restart of all has removed them; one that was cut short, some of those that are recorded.
bool JobSync::MakesAllAnew() const {
  return step_.decision == Decision::kRestart && !desk_.refreshed.contains(job().meta.uid);
}

net::Awaitable<SyncError> JobSync::EnsurePluginObjects(bool begins) {
  if (MakesAllAnew()) co_return SyncError();
  const auto known = desk_.refreshed.find(job().meta.uid);
  const bool is_fresh = known != desk_.refreshed.end() && known->second == job().meta.generation;
  const bool has_failed = job().status.state.reason == kPluginError;
  bool is_first = false;
  for (const auto& plugin : plugins_.plugins) {
    const std::string record = PluginRecord(*plugin);
    const bool is_recorded = status_.controlled_resources.Contains(record);
    const bool is_new = begins && !is_recorded;
    if (is_fresh && !is_new) continue;
    absl::StatusOr<std::vector<WantedObject>> wanted =
        is_new ? plugin->OnJobAdd(job()) : plugin->OnJobUpdate(job());
    if (!wanted.ok()) co_return PluginError(wanted.status(), false);
    for (WantedObject& object : *wanted) {
      absl::Status status =
          co_await EnsureObject(desk_, now_, std::move(object), is_recorded || has_failed);
      if (absl::IsAlreadyExists(status)) {
        desk_.LookAgain(job(), kForeignPause);
        co_return PluginError(status, true);
      }
      if (!status.ok()) co_return PluginError(status, false);
    }
    if (!is_new || !plugin->is_recorded()) continue;
    is_first = true;
    status_.controlled_resources.Set(record, std::string(plugin->name()));
  }
  if (is_first) {
    for (const std::string& complaint : plugins_.complaints) {
      Log(LogLevel::kError, "job.plugin_argument",
          {{"job", JobKey(job())}, {"complaint", complaint}});
    }
  }
  desk_.refreshed[job().meta.uid] = job().meta.generation;
  co_return SyncError();
}

bool JobSync::MayHavePods() const {
  const auto group = desk_.FindGroup(job());
  if (group == nullptr) return false;
  ReportGroup(*group);
  return !group->status.phase.empty() && group->status.phase != "Pending";
}

// The latest true condition of the group, if it is not a good one. Times are whole seconds: of two
// of the same one that which is no good counts.
void JobSync::ReportGroup(const types::PodGroup& group) const {
  const types::Condition* latest = nullptr;
  for (const types::Condition& condition : group.status.conditions) {
    if (condition.status != "True") continue;
    const auto time = condition.last_transition_time.value_or(absl::InfinitePast());
    const auto known = latest == nullptr
                           ? absl::InfinitePast()
                           : latest->last_transition_time.value_or(absl::InfinitePast());
    if (latest == nullptr || time > known || (time == known && latest->type == "Scheduled")) {
      latest = &condition;
    }
  }
  if (latest == nullptr) return;
  if (latest->type == "Scheduled") {
    desk_.said_of_group.erase(job().meta.uid);  // What is said next is news, whatever it is.
    return;
  }
  std::string type = latest->type;
  absl::AsciiStrToLower(&type);
  std::string message = StrCat("PodGroup ", job().meta.ns, ":", job().meta.name, " ", type,
                               ", reason: ", latest->message);
  std::string& said = desk_.said_of_group[job().meta.uid];
  if (said == message) return;
  said = message;
  Warn(desk_.context.events, job(), "PodGroupPending", std::move(message));
}

net::Awaitable<SyncError> JobSync::Reconcile(SyncError error) {
  // Pods of the next incarnation come when the last one is gone: one that failed before would have
  // the job killed again, without a retry to its account.
  const bool creates = error.ok() && step_.decision != Decision::kRestart && MayHavePods();
  absl::StatusOr<JobView> view = desk_.book.Get(JobKey(job()));
  if (view.ok() && view->job->meta.uid == job().meta.uid) view_ = *std::move(view);
  view_.job = now_;
  const SyncPlan plan = PlanSync(view_);
  counts_ = plan.counts;
  if (creates) {
    error = co_await Create(plan);
    status_.running_duration.reset();
    // Without a pause; but where no pod could be made, the next pass would make none either.
    if (plan.is_partial && !(counts_ == plan.counts)) desk_.LookAgain(job(), absl::ZeroDuration());
  }
  // Lest those that are scaled away hold the room that their gang waits for.
  SyncError more = co_await Delete(plan);
  if (error.ok() || (error.waits && !more.ok())) co_return std::move(more);
  co_return std::move(error);
}

net::Awaitable<SyncError> JobSync::Create(const SyncPlan& plan) {
  BatchJob job = *now_;
  job.status = status_;
  PodOrder order;
  order.job = std::make_shared<const BatchJob>(std::move(job));
  order.pods = &plan.creates;
  order.plugins = &plugins_;
  order.is_forwarded = is_forwarded_;
  if (plan.creates.empty()) co_return SyncError();
  CreatedPods created = co_await CreatePods(desk_, order);
  counts_.Merge(created.counts);
  if (!created.plugin_error.ok()) co_return PluginError(created.plugin_error, false);
  if (!created.errors.empty()) {
    absl::Status status = client::WithContext(
        created.errors.front(),
        StrCat("failed to create ", created.errors.size(), " pods of ", plan.creates.size()));
    co_return MakeSyncError(std::move(status), "FailedCreate",
                            StrCat("Error creating pods: ", ErrorList(created.errors)), false);
  }
  if (!created.occupied.empty()) {
    std::string message = StrCat("pod ", created.occupied.front(),
                                 " exists and does not belong to the job: delete it to let "
                                 "the job run");
    absl::Status status = absl::AlreadyExistsError(message);
    co_return MakeSyncError(std::move(status), "FailedCreate",
                            StrCat("Error creating pods: [", message, "]"), true);
  }
  co_return SyncError();
}

net::Awaitable<SyncError> JobSync::Delete(const SyncPlan& plan) {
  if (plan.deletes.empty()) co_return SyncError();
  DeletedPods deleted = co_await DeletePods(desk_, plan.deletes);
  counts_.terminating += deleted.deleted;
  if (deleted.errors.empty()) co_return SyncError();
  absl::Status status = client::WithContext(
      deleted.errors.front(),
      StrCat("failed to delete ", deleted.errors.size(), " pods of ", plan.deletes.size()));
  co_return MakeSyncError(std::move(status), "FailedDelete",
                          StrCat("Error deleting pods: ", ErrorList(deleted.errors)), false);
}

void JobSync::DecidePhase() {
  const bool looks_at_work =
      step_.decision == Decision::kStart || step_.decision == Decision::kProgress;
  if (!is_invalid_ || !looks_at_work) {
    Decide(step_, job().spec, &status_);
    if (status_.state.phase == JobPhase::kPending && MakesAllAnew()) DropPluginRecords(&status_);
    return;
  }
  // Its numbers mean nothing. What runs is left alone.
  if (status_.running == 0) status_.state.phase = JobPhase::kPending;
}

JobNote JobSync::CurrentNote() const {
  const auto group = desk_.FindGroup(job());
  const std::string_view queue =
      group == nullptr ? std::string_view() : KeptQueue(*group, job().spec);
  return NoteOf(job().spec, status_.state.phase.value(),
                {queue,
                 desk_.context.options.scheduler_names,
                 plugins_.complaints,
                 {&view_, group.get(), desk_.context.now(), now_->status.state.message}});
}

JobNote JobSync::SayWhy(const SyncError& error) {
  const types::JobState& before = now_->status.state;
  types::JobState& state = status_.state;
  state.reason.clear();
  state.message.clear();
  std::string said = error.message;
  const bool is_over = types::IsFinished(state.phase.value());
  if (is_over || error.ok()) {
    JobNote note = is_over ? EndNote(view_, status_, step_) : CurrentNote();
    if (note.look_again.has_value()) desk_.LookAgain(job(), *note.look_again);
    state.reason = std::move(note.reason);
    state.message = std::move(note.message);
    said = state.message;
  } else if (error.waits || client::IsRefusal(error.status)) {
    state.reason = error.reason;
    state.message = std::string(error.status.message());
  }
  const bool is_news = state.reason != before.reason || state.message != before.message;
  if (said.empty() || (!is_news && !state.reason.empty())) return {};
  // While some wait, how many and why is for the state alone: it may change often.
  if (state.reason == kPodsWaiting && before.reason == kPodsWaiting) return {};
  return {state.reason.empty() ? error.reason : state.reason, std::move(said)};
}

net::Awaitable<absl::Status> JobSync::Finish(SyncError error) {
  const types::BatchJobStatus& before = now_->status;
  counts_.WriteTo(&status_);
  status_.min_available = job().spec.min_available;
  DecidePhase();
  JobNote news = SayWhy(error);
  // Since when the job is in its phase, whatever becomes of its counts meanwhile.
  if (status_.state.phase != before.state.phase ||
      !status_.state.last_transition_time.has_value()) {
    StampStatus(desk_.context.now(), &status_);
  }
  if (types::IsFinished(status_.state.phase.value())) SetRunningDuration(job(), &status_);
  absl::StatusOr<JobPointer> written = now_;
  const bool has_failed = !error.ok() && !error.waits;
  // After a failure it may take long until the job is looked at again.
  const bool is_put_off = !has_failed && PutOff(desk_, job(), status_);
  if (!is_put_off) {
    if (!news.reason.empty()) {
      Warn(desk_.context.events, job(), std::move(news.reason), std::move(news.message));
    }
    written = co_await WriteJobStatus(desk_, now_, status_);
  }
  if (has_failed) co_return error.status;
  co_return written.status();
}

}  // namespace bth::controllers
