#include "controllers/job/job_controller.h"

#include <algorithm>
#include <utility>

#include "api/types/duration.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "controllers/core/events.h"
#include "controllers/job/job_defaults.h"
#include "controllers/job/job_events.h"
#include "controllers/job/job_kill.h"
#include "controllers/job/job_reasons.h"
#include "controllers/job/job_sync.h"
#include "controllers/job/keys.h"
#include "controllers/job/phases.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BusAction;
using types::BusEvent;
using types::Pod;
using types::PodGroup;

// Between attempts of what is refused.
constexpr absl::Duration kFailurePauseMax = absl::Seconds(1000);
// A look at a job costs about a microsecond per pod. While thousands of pods come and start, each
// with news of its own, the looks would take most of a processor's time: after each, mere news of
// pods waits a multiple of what it took. Jobs of few pods are looked at at once.
constexpr absl::Duration kPausePerPod = absl::Microseconds(50);
constexpr size_t kPodsAtOnce = 100;
// A queue that is deleted may be made anew at once.
constexpr absl::Duration kQueuePause = absl::Seconds(1);

JobRequest LookAt(const std::string& key) {
  JobRequest look;
  const size_t slash = key.find('/');
  look.ns = key.substr(0, slash);
  look.job = key.substr(slash + 1);
  look.event = BusEvent::kOutOfSync;
  return look;
}

bool HaveSamePlace(const Pod& a, const Pod& b) {
  return a.meta.Annotation(kJobNameKey) == b.meta.Annotation(kJobNameKey) &&
         a.meta.Annotation(kTaskSpecKey) == b.meta.Annotation(kTaskSpecKey) &&
         PlaceOf(a).ok() == PlaceOf(b).ok();
}

// The attempt that failed got as far as the next incarnation; what it left undone is found by a
// look. Another one would cost a further retry.
bool HasBegunAnew(const BatchJob& job, const JobRequest& request) {
  return request.begun_at.has_value() && job.status.retry_count > *request.begun_at &&
         job.status.state.phase != types::JobPhase::kRestarting;
}

void LogRefused(const absl::Status& status, const std::string& what) {
  if (status.ok()) return;
  Log(LogLevel::kDebug, "job_book.refused", {{"object", what}, {"status", status}});
}

}  // namespace

JobController::JobController(const ControllerContext& context, JobPluginTools tools,
                             MakePlugins make_plugins)
    : desk_(context, std::move(tools), std::move(make_plugins)),
      delayed_(context.executor(), [this](JobRequest due) { Ask(due); }),
      evictions_(context.executor(),
                 [this](const std::string& key, const std::string& uid, std::string text) {
                   TellOfEvictions(key, uid, std::move(text));
                 }),
      unreadable_(context),
      lanes_(context.executor(), DefaultLanes(std::max(context.options.worker_threads, 1)),
             {[this](std::string key) { return Work(std::move(key)); }, nullptr}),
      commands_(context, desk_, [this](const JobRequest& request) { Ask(request); }) {
  if (!context.options.gates.volcano_job_support) return;
  desk_.jobs.CompleteWith([names = context.options.scheduler_names](BatchJob& job) {
    FillInDefaults(names.empty() ? std::string_view() : names.front(), &job.spec);
  });
  desk_.jobs.Subscribe(*this);
  desk_.pods.Subscribe(*this);
  desk_.groups.Subscribe(*this);
  desk_.claims.Subscribe(*this);
  desk_.queues.Subscribe(*this);
}

JobController::~JobController() = default;

void JobController::Start() {
  // First, so that no pod is made for a job that was commanded to end.
  commands_.Start();
  for (const PodPointer& pod : desk_.pods.All()) {
    if (const auto request = RequestOfEndedPod(*pod, desk_.book)) Ask(*request);
  }
  lanes_.Start();
}

bool JobController::idle() const {
  return lanes_.idle() && commands_.idle();
}

void JobController::Ask(const JobRequest& request) {
  const std::string key = JobKey(request);
  inbox_.Put(request);
  // Now, because it may wait in its box while the time of such an action comes, and once more in
  // its turn, because the action may be in that box as well.
  if (!request.is_due) delayed_.DropOutdatedBy(request);
  if (!CanWait(request)) {
    lanes_.Add(key);
    return;
  }
  const absl::Duration now = desk_.context.executor().Monotonic();
  lanes_.queue().AddAfter(key, inbox_.PaceOf(key).looks_from - now);
}

bool JobController::CanWait(const JobRequest& request) const {
  if (request.pod.empty()) return false;
  const JobPointer job = desk_.book.FindJob(JobKey(request));
  if (job == nullptr) return false;
  const PolicyAnswer answer = AnswerTo(*job, request);
  return answer.action == BusAction::kSyncJob && answer.delay == absl::ZeroDuration();
}

void JobController::Wake(const std::string& awaited) {
  for (const std::string& key : desk_.waits.WaitingFor(awaited)) Ask(LookAt(key));
}

void JobController::OnUnreadable(const Unreadable<BatchJob>& job) {
  if (unreadable_.Add(job)) lanes_.Add(StoreKey(job.key.namespace_name, job.key.name));
}

void JobController::OnAdd(const BatchJob& job) {
  unreadable_.Drop(job.meta);
  LogRefused(desk_.book.Add(desk_.jobs.Find(job.meta.ns, job.meta.name)), job.meta.Key());
  Ask(RequestOfNewJob(job));
}

void JobController::OnUpdate(const BatchJob& before, const BatchJob& after) {
  LogRefused(desk_.book.Update(desk_.jobs.Find(after.meta.ns, after.meta.name)), after.meta.Key());
  unreadable_.Drop(after.meta);
  TellOfEdit(before, after);
  if (before.spec.queue != after.spec.queue) {  // Its series are those of its queue.
    desk_.context.metrics.RemoveJob(before.meta.ns, before.meta.name, before.spec.queue);
  }
  if (const auto request = RequestOfJob(before, after)) Ask(*request);
}

void JobController::OnDelete(const BatchJob& job) {
  const std::string key = JobKey(job);
  unreadable_.Drop(job.meta);
  LogRefused(desk_.book.Delete(key), key);
  delayed_.DropJob(key);
  evictions_.DropJob(key);
  inbox_.DropJob(key);
  lanes_.Drop(key);
  commands_.Drop(key);
  desk_.Forget(job);
  desk_.context.metrics.RemoveJob(job.meta.ns, job.meta.name, job.spec.queue);
}

void JobController::OnAdd(const Pod& pod) {
  Wake(AwaitedPod(StoreKey(pod.meta.ns, pod.meta.name)));
  const auto request = RequestOfNewPod(pod);
  if (!request.has_value()) return;
  LogRefused(desk_.book.AddPod(desk_.pods.Find(pod.meta.ns, pod.meta.name)), pod.meta.Key());
  Ask(*request);
}

void JobController::OnUpdate(const Pod& before, const Pod& after) {
  const types::OwnerReference* owner_before = BatchJobOwner(before.meta);
  const types::OwnerReference* owner = BatchJobOwner(after.meta);
  if (owner == nullptr && owner_before == nullptr) return;
  if (owner == nullptr || owner_before == nullptr || owner->uid != owner_before->uid) {
    // It was taken away from its job, or given to one.
    OnDelete(before);
    return OnAdd(after);
  }
  NoteEviction(before, after, *owner);
  if (!HaveSamePlace(before, after)) {
    // Somebody changed its annotations: the book must not keep it where it was.
    desk_.book.DeletePod(before);
    Ask(LookAt(StoreKey(after.meta.ns, owner->name)));
    return OnAdd(after);
  }
  LogRefused(desk_.book.UpdatePod(desk_.pods.Find(after.meta.ns, after.meta.name)),
             after.meta.Key());
  if (const auto request = RequestOfPod(before, after, desk_.book)) Ask(*request);
}

void JobController::OnDelete(const Pod& pod) {
  Wake(AwaitedPod(StoreKey(pod.meta.ns, pod.meta.name)));
  if (BatchJobOwner(pod.meta) == nullptr) return;
  const auto request = RequestOfGonePod(pod, desk_.book.HasPod(pod));
  desk_.book.DeletePod(pod);
  if (request.has_value()) Ask(*request);
}

void JobController::OnAdd(const PodGroup& group) {
  Wake(AwaitedGroup(StoreKey(group.meta.ns, group.meta.name)));
}

void JobController::OnUpdate(const PodGroup& before, const PodGroup& after) {
  const auto request = RequestOfGroup(before, after, desk_.book);
  // Most groups are not those of batch jobs.
  if (request.has_value() && desk_.book.FindJob(JobKey(*request)) != nullptr) Ask(*request);
}

void JobController::OnDelete(const PodGroup& group) {
  Wake(AwaitedGroup(StoreKey(group.meta.ns, group.meta.name)));
  const JobRequest request = RequestOfGoneGroup(group);
  if (desk_.book.FindJob(JobKey(request)) != nullptr) Ask(request);
}

void JobController::OnAdd(const types::PersistentVolumeClaim& claim) {
  Wake(AwaitedClaim(StoreKey(claim.meta.ns, claim.meta.name)));
}

void JobController::OnAdd(const types::Queue& queue) {
  Wake(AwaitedQueue(queue.meta.name));
}

void JobController::OnDelete(const types::Queue& queue) {
  for (const auto& group : desk_.groups.All()) {
    if (group->spec.queue != queue.meta.name) continue;
    const JobRequest request = RequestOfGoneGroup(*group);
    const std::string key = JobKey(request);
    const JobPointer job = desk_.book.FindJob(key);
    if (job == nullptr || types::IsFinished(job->status.state.phase.value())) continue;
    inbox_.Put(request);
    lanes_.queue().AddAfter(key, kQueuePause);
  }
}

void JobController::TellOfEdit(const BatchJob& before, const BatchJob& after) {
  const types::JobState& state = after.status.state;
  // The server counts changes of the spec; most updates are of the status alone.
  if (before.meta.generation == after.meta.generation) return;
  if (types::IsFinished(state.phase.value())) return;
  if (after.meta.deletion_time.has_value()) return;
  // Before there is a group, all of it has an effect.
  if (desk_.FindGroup(after) == nullptr) return;
  const absl::StatusOr<JobView> view = desk_.book.Get(JobKey(after));
  if (!view.ok()) return;
  std::optional<std::string> text = EditWithoutEffect(before.spec, after.spec, &*view);
  if (!text.has_value()) return;
  Warn(desk_.context.events, after, "EditWithoutEffect", *std::move(text));
}

void JobController::NoteEviction(const Pod& before, const Pod& after,
                                 const types::OwnerReference& job) {
  const bool was_going = DisruptionOf(before) != nullptr;
  const types::Condition* why = DisruptionOf(after);
  if ((why != nullptr) == was_going) return;
  const std::string key = StoreKey(after.meta.ns, job.name);
  if (why != nullptr) {
    evictions_.Note(key, job.uid, after.meta.uid, *why);
  } else {
    evictions_.Withdraw(key, after.meta.uid);
  }
}

void JobController::TellOfEvictions(const std::string& key, const std::string& uid,
                                    std::string text) {
  const JobPointer job = desk_.book.FindJob(key);
  if (job == nullptr || job->meta.uid != uid || job->meta.deletion_time.has_value()) return;
  Warn(desk_.context.events, *job, "Evict", std::move(text));
}

net::Awaitable<LaneHooks::Outcome> JobController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const absl::Duration started = desk_.context.executor().Monotonic();
  const JobInbox::Pace pace = inbox_.PaceOf(key);
  if (started < pace.earliest) {
    outcome.again = pace.earliest - started;
    co_return std::move(outcome);
  }
  if (unreadable_.Has(key)) {
    outcome.status = co_await unreadable_.Tell(key);
    if (outcome.status.ok()) outcome.again = absl::ZeroDuration();
    co_return std::move(outcome);
  }
  std::vector<JobRequest> requests = inbox_.Take(key);
  const std::string command = JobCommands::Among(requests);
  const JobPointer job = desk_.book.FindJob(key);
  if (job == nullptr) co_return std::move(outcome);
  absl::Status status = co_await WorkOff(*job, requests);
  if (IsLastFailure(pace, started, status, requests) && desk_.IsPresent(*job)) {
    inbox_.NoteSuccess(key);
    requests = {GiveUp(*job, requests.front(), status)};
    status = co_await WorkOff(*job, requests);
  }
  // Another one may have its name by now: what that asks for is in the box.
  if (!desk_.IsPresent(*job)) co_return std::move(outcome);
  if (status.ok()) {
    commands_.Finish(key, command, {});
    desk_.aimed.EndPass(key);
    NoteSuccess(key);
    outcome.again = TakeLook(key);
    co_return std::move(outcome);
  }
  Log(LogLevel::kDebug, "job.failed", {{"job", key}, {"status", status}});
  commands_.Finish(key, command, requests);
  if (requests.empty()) co_return std::move(outcome);
  inbox_.PutBack(key, std::move(requests));
  outcome.again = NoteFailure(key, started, status);
  co_return std::move(outcome);
}

void JobController::NoteSuccess(const std::string& key) {
  const size_t pods = desk_.book.FindJob(key) == nullptr ? 0 : desk_.book.PodsOf(key);
  absl::Duration looks_from;
  if (pods > kPodsAtOnce) {
    looks_from = desk_.context.executor().Monotonic() + static_cast<int64_t>(pods) * kPausePerPod;
  }
  inbox_.NoteSuccess(key, looks_from);
}

std::optional<absl::Duration> JobController::TakeLook(const std::string& key) {
  const auto look = desk_.look_after.extract(key);
  if (look.empty()) return std::nullopt;
  inbox_.Put(LookAt(key));
  return look.mapped();
}

absl::Duration JobController::NoteFailure(const std::string& key, absl::Duration started,
                                          const absl::Status& status) {
  JobInbox::Failure failure;
  failure.started = started;
  failure.now = desk_.context.executor().Monotonic();
  failure.at_least = client::RetryAfter(status).value_or(absl::ZeroDuration());
  failure.pause_max = client::IsRefusal(status) ? kFailurePauseMax : kOutagePauseMax;
  inbox_.NoteFailure(key, failure);
  const JobInbox::Pace pace = inbox_.PaceOf(key);
  return std::max(pace.retry_at, pace.earliest) - failure.now;
}

PolicyAnswer JobController::AnswerTo(const BatchJob& job, const JobRequest& request) const {
  return EvaluatePolicies(job, desk_.book.VersionOf(JobKey(job)), request);
}

// A pod that was pending for too long is so no more; or the job has begun anew since the time of
// the action began, be it by another one that was due at the same moment.
bool JobController::IsPointless(const JobRequest& request) const {
  if (!request.is_due) return false;
  const bool is_begun = request.begun_at.has_value();
  if (!is_begun && !request.pod.empty() &&
      request.job_version < desk_.book.VersionOf(JobKey(request))) {
    return true;
  }
  if (request.event != BusEvent::kPodPending) return false;
  const PodPointer pod = desk_.pods.Find(request.ns, request.pod);
  const bool is_there = pod != nullptr && pod->meta.uid == request.pod_uid;
  // What was begun has deleted it, most likely.
  if (is_begun && (!is_there || pod->meta.deletion_time.has_value())) return false;
  return !is_there || (!pod->status.phase.empty() && pod->status.phase != "Pending");
}

// Pods that run make a group unknown: where the job has none that is not left from before, the
// scheduler had not heard of their end when it wrote that to a group that was just made.
bool JobController::IsOfTheLastIncarnation(const JobRequest& request) const {
  return request.event == BusEvent::kJobUnknown && !request.begun_at.has_value() &&
         !desk_.book.HasCurrentPods(JobKey(request));
}

void JobController::TellOfAction(const BatchJob& job, const PolicyAnswer& answer,
                                 JobRequest* request) {
  const PodPointer pod = desk_.pods.Find(request->ns, request->pod);
  const bool is_same = pod != nullptr && pod->meta.uid == request->pod_uid;
  request->because = BecauseText(job, *request, answer, is_same ? pod.get() : nullptr);
  const std::string action(answer.action.text());
  const bool waits = answer.delay > absl::ZeroDuration();
  Tell(desk_.context.events, job, "ExecuteAction",
       waits ? StrCat("Execute action ", action, " after ", types::DurationText(answer.delay),
                      request->because.empty() ? "" : " ", request->because)
             : StrCat("Start to execute action ", action, " ", request->because));
}

bool JobController::Delay(const BatchJob& job, JobRequest& request, const PolicyAnswer& answer) {
  if (answer.delay == absl::ZeroDuration()) return false;
  TellOfAction(job, answer, &request);
  delayed_.Add(request, answer.action, answer.delay);
  return true;
}

net::Awaitable<absl::Status> JobController::WorkOff(const BatchJob& known,
                                                    std::vector<JobRequest>& requests) {
  const std::string key = JobKey(known);
  bool look = false;
  for (size_t done = 0; done < requests.size(); ++done) {
    JobRequest& request = requests[done];
    if (!request.is_due) delayed_.DropOutdatedBy(request);
    const JobPointer job = desk_.book.FindJob(key);
    if (!desk_.IsAlive(known)) break;
    if (IsPointless(request)) continue;
    const PolicyAnswer answer = AnswerTo(*job, request);
    if (HasBegunAnew(*job, request) || IsOfTheLastIncarnation(request) ||
        desk_.aimed.Answer(key, request, answer.action.value()) ||
        (!request.is_due && WasCarriedOut(*job, request.command))) {
      look = true;
      continue;
    }
    if (std::string why = WhyNoAction(answer.action); !why.empty()) {
      Warn(desk_.context.events, *job, "UnknownAction", std::move(why));
      look = true;
      continue;
    }
    if (std::string why = WhyNoEffect(*job, answer.action);
        !request.command.empty() && !why.empty()) {
      Warn(desk_.context.events, *job, "CommandWithoutEffect", std::move(why));
      continue;
    }
    if (Delay(*job, request, answer)) continue;
    if (answer.action == BusAction::kSyncJob) {
      look = true;
      continue;
    }
    if (!request.is_due) TellOfAction(*job, answer, &request);
    const JobStep step = StepFor(job->status.state.phase.value(), answer.action.value());
    const absl::Status status = co_await Do(key, request, answer.action.value());
    if (!status.ok()) {
      // What was begun is gone on with, although its event is of an earlier incarnation by now.
      request.action = answer.action;
      request.is_due = true;
      if (!request.begun_at.has_value()) request.begun_at = job->status.retry_count;
      requests.erase(requests.begin(), requests.begin() + static_cast<ptrdiff_t>(done));
      if (look) requests.push_back(LookAt(key));
      co_return status;
    }
    // Where nothing was stopped that could be resumed, what waits is as due as before.
    if (step.operation == JobStep::Operation::kSync) continue;
    delayed_.DropSiblingsOf(request, answer.action.value());
  }
  requests.clear();
  if (!look || !desk_.IsAlive(known)) co_return absl::OkStatus();
  requests.push_back(LookAt(key));
  absl::Status status = co_await Do(key, requests.front(), BusAction::kSyncJob);
  co_return std::move(status);
}

net::Awaitable<absl::Status> JobController::Do(std::string key, const JobRequest& request,
                                               BusAction action) {
  absl::StatusOr<JobView> view = desk_.book.Get(key);
  if (!view.ok() || view->job->meta.deletion_time.has_value()) co_return absl::OkStatus();
  const JobStep step = StepOf(*view, action);
  if (step.operation == JobStep::Operation::kSync) {
    JobSync sync(desk_, *std::move(view), step);
    absl::Status status = co_await sync.Run();
    co_return std::move(status);
  }
  KillOrder order;
  JobNote why;
  if (request.given_up_after.has_value()) {
    why = GivenUpNote(desk_.context.options.max_requeue_num + 1, *request.given_up_after);
  }
  if (step.operation == JobStep::Operation::kKillTarget) order.target = TargetOf(request, action);
  order.command = request.command;
  order.is_told = why.reason.empty();
  if (order.is_told && !request.because.empty()) {
    why.reason = std::string(types::WordText(request.event));
    why.message = StrCat(types::WordText(action), " ", request.because);
  }
  order.why = std::move(why);
  absl::Status status = co_await KillJob(desk_, *std::move(view), step, std::move(order));
  co_return std::move(status);
}

bool JobController::IsLastFailure(const JobInbox::Pace& pace, absl::Duration started,
                                  const absl::Status& status,
                                  const std::vector<JobRequest>& requests) const {
  if (!client::IsRefusal(status) || requests.empty() ||
      requests.front().given_up_after.has_value()) {
    return false;
  }
  const int failures_max = desk_.context.options.max_requeue_num;
  return failures_max >= 0 && pace.failures >= failures_max && started >= pace.retry_at;
}

JobRequest JobController::GiveUp(const BatchJob& job, const JobRequest& request,
                                 const absl::Status& failure) {
  Tell(desk_.context.events, job, "ExecuteAction",
       StrCat("Job failed on action ", AnswerTo(job, request).action.text(),
              " for retry limit reached"));
  JobRequest out = LookAt(JobKey(job));
  out.event = BusEvent::kNone;
  out.action = BusAction::kTerminateJob;
  out.is_due = true;
  out.given_up_after = ToStd(failure.message());
  return out;
}

}  // namespace bth::controllers
