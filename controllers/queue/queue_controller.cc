#include "controllers/queue/queue_controller.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/events.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

using types::BusAction;
using types::Queue;

constexpr std::string_view kRoot = "root";
constexpr const char* kFieldManager = "queue-controller";

std::string_view StateOf(const Queue& queue) {
  return queue.status.state.empty() ? kQueueOpen : std::string_view(queue.status.state);
}

metrics::PodGroupCounts CountsIn(const types::QueueStatus& status) {
  metrics::PodGroupCounts counts;
  counts.pending = status.pending;
  counts.inqueue = status.inqueue;
  counts.running = status.running;
  counts.unknown = status.unknown;
  counts.completed = status.completed;
  return counts;
}

}  // namespace

QueueController::QueueController(const ControllerContext& context)
    : context_(context),
      queues_(context.watches.Of<Queue>()),
      lanes_(
          context.executor(),
          DefaultLanes(context.options.worker_threads_for_queue, context.options.max_requeue_num),
          {.work = [this](std::string key) { return Work(std::move(key)); },
           .give_up =
               [this](std::string key, absl::Status status) {
                 return GiveUp(std::move(key), std::move(status));
               }}) {
  queues_.Subscribe(*this);
  context.watches.Of<types::PodGroup>().Subscribe(*this);
  if (!context.options.gates.queue_command_sync) return;
  const types::ResourceType& type = types::ResourceTraits<Queue>::type();
  commands_ = std::make_unique<CommandTaker>(
      context, type, DefaultLanes(context.options.worker_threads_for_queue),
      [this](const types::Command& command) { return BeginCommand(command); });
}

void QueueController::Start() {
  // First, so that no queue is looked at before what was commanded is known.
  if (commands_ != nullptr) commands_->Start();
  lanes_.Start();
}

bool QueueController::idle() const {
  return lanes_.idle() && (commands_ == nullptr || commands_->idle());
}

// --- What happens -------------------------------------------------------------------------------

void QueueController::OnAdd(const Queue& queue) {
  if (!queue.spec.parent.empty()) keeps_parents_ = true;
  Ask(queue.meta.name, BusAction::kSyncQueue);
}

void QueueController::OnUpdate(const Queue& before, const Queue& after) {
  if (!after.spec.parent.empty()) keeps_parents_ = true;
  if (before.spec.parent != after.spec.parent) Ask(after.meta.name, BusAction::kSyncQueue);
  // Somebody else's are put right.
  const metrics::PodGroupCounts told = CountsIn(after.status);
  if (told != CountsIn(before.status) && told != groups_.Of(after.meta.name)) {
    lanes_.Add(after.meta.name);
  }
}

void QueueController::OnDelete(const Queue& queue) {
  asked_.erase(queue.meta.name);
  counts_due_.erase(queue.meta.name);
  lanes_.Drop(queue.meta.name);
  if (commands_ != nullptr) commands_->Drop(StoreKey("", queue.meta.name));
  context_.metrics.RemoveQueue(queue.meta.name);
}

void QueueController::OnAdd(const types::PodGroup& group) {
  groups_.Add(group);
  Ask(group.spec.queue, BusAction::kSyncQueue);
}

void QueueController::OnUpdate(const types::PodGroup& before, const types::PodGroup& after) {
  groups_.Remove(before);
  groups_.Add(after);
  const bool moved = before.spec.queue != after.spec.queue;
  if (moved) Ask(before.spec.queue, BusAction::kSyncQueue);
  if (moved || before.status.phase != after.status.phase) {
    Ask(after.spec.queue, BusAction::kSyncQueue);
  }
}

void QueueController::OnDelete(const types::PodGroup& group) {
  groups_.Remove(group);
  Ask(group.spec.queue, BusAction::kSyncQueue);
}

CommandTurn QueueController::BeginCommand(const types::Command& command) {
  const std::string& queue = command.target->name;
  const QueuePtr object = queues_.Find("", queue);
  if (object == nullptr || !IsFor(command, object->meta.uid)) return CommandTurn::kUnknown;
  const BusAction action = command.action.value();
  if (action != BusAction::kOpenQueue && action != BusAction::kCloseQueue &&
      action != BusAction::kSyncQueue) {
    Warn(context_.events, *object, "UnknownAction",
         StrCat("queues have no action \"", command.action.text(),
                "\"; there are OpenQueue and CloseQueue"));
    return CommandTurn::kOver;
  }
  Ask(queue, command.action, command.meta.uid);
  return CommandTurn::kBegun;
}

void QueueController::Ask(const std::string& queue, types::Word<BusAction> action,
                          const std::string& command) {
  const QueuePtr object = queues_.Find("", queue);
  if (object == nullptr) return;  // Its own addition asks for a sync.
  Box& box = asked_[queue];
  box.uid = object->meta.uid;
  // One that is being carried out may have read what is old by now; those behind it have not.
  for (size_t i = 1; i < box.requests.size(); ++i) {
    if (box.requests[i].action != action) continue;
    if (!command.empty()) box.requests[i].command = command;
    return;
  }
  box.requests.push_back({std::move(action), command});
  lanes_.Add(queue);
}

// --- What is done -------------------------------------------------------------------------------

QueueController::Box* QueueController::FindBox(const std::string& queue, const std::string& uid) {
  const auto found = asked_.find(queue);
  return found == asked_.end() || found->second.uid != uid ? nullptr : &found->second;
}

void QueueController::Finish(const std::string& queue, Box& box) {
  const std::string command = std::move(box.requests.front().command);
  box.requests.pop_front();
  if (box.requests.empty()) {
    asked_.erase(queue);
  } else {
    lanes_.Add(queue);
  }
  if (!command.empty()) commands_->Done(StoreKey("", queue), command);
}

bool QueueController::IsThere(const Queue& queue) const {
  const QueuePtr now = queues_.Find("", queue.meta.name);
  return now != nullptr && now->meta.uid == queue.meta.uid;
}

net::Awaitable<LaneHooks::Outcome> QueueController::Work(std::string queue) {
  LaneHooks::Outcome outcome;
  outcome.status = co_await WorkOnRequest(queue);
  // On the same lane as the state, because both are applied together.
  outcome.again = co_await TellCounts(queue);
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> QueueController::WorkOnRequest(std::string queue) {
  const auto asked = asked_.find(queue);
  if (asked == asked_.end()) co_return absl::OkStatus();
  const std::string uid = asked->second.uid;
  Request request = asked->second.requests.front();
  const absl::Status status = co_await Do(queue, std::move(request));
  // It may be gone by now, or another one have its name: what that asked for waits for its turn.
  Box* const box = FindBox(queue, uid);
  if (box == nullptr) co_return absl::OkStatus();
  if (status.ok()) Finish(queue, *box);
  co_return status;
}

net::Awaitable<void> QueueController::GiveUp(std::string queue, absl::Status status) {
  const auto asked = asked_.find(queue);
  if (asked == asked_.end()) co_return;
  const std::string action(asked->second.requests.front().action.text());
  if (const QueuePtr object = queues_.Find("", queue)) {
    Warn(context_.events, *object, action,
         StrCat(action, " queue failed for ", ToStd(status.message())));
  }
  Finish(queue, asked->second);
}

net::Awaitable<std::optional<absl::Duration>> QueueController::TellCounts(std::string queue) {
  const QueuePtr object = queues_.Find("", queue);
  if (object == nullptr || CountsIn(object->status) == groups_.Of(queue)) {
    counts_due_.erase(queue);
    co_return std::nullopt;
  }
  const absl::Duration now = context_.executor().Monotonic();
  const absl::Duration due = counts_due_.try_emplace(queue, now + kCountsPause).first->second;
  if (now < due) co_return due - now;
  const absl::StatusOr<QueuePtr> written =
      co_await SetStatus(object, std::string_view(object->status.state));
  counts_due_.erase(queue);
  if (written.ok()) co_return std::nullopt;
  // Not a failure of what was asked of the queue: it counts for no retry of that.
  Log(LogLevel::kDebug, "queue.counts_not_written",
      {{"queue", queue}, {"status", written.status()}});
  co_return std::optional<absl::Duration>(kCountsPause);
}

net::Awaitable<absl::Status> QueueController::Do(std::string queue, Request request) {
  const QueuePtr object = queues_.Find("", queue);
  if (object == nullptr) co_return absl::OkStatus();
  const size_t groups = static_cast<size_t>(groups_.Total(queue));
  const std::optional<QueueStep> step =
      NextQueueStep(object->status.state, request.action.value(), groups);
  if (!step.has_value()) {
    co_return absl::InvalidArgumentError(
        StrCat("queue ", queue, " state ", object->status.state, " is invalid"));
  }
  if (step->what == QueueStep::What::kOpen) co_return co_await Open(object, step->state);
  if (step->what == QueueStep::What::kClose)
    co_return co_await Close(object, step->state, !request.command.empty());
  if (request.action == BusAction::kOpenQueue && !request.command.empty()) {
    co_return co_await SyncOpened(object, step->state);
  }
  co_return co_await Sync(object, step->state);
}

net::Awaitable<absl::Status> QueueController::SyncOpened(QueuePtr queue, std::string_view state) {
  absl::Status synced = co_await Sync(queue, state);
  BTH_CO_RETURN_IF_ERROR(synced);
  const QueuePtr parent = queues_.Find("", queue->spec.parent);
  if (parent == nullptr || IsShut(parent->status.state)) co_return absl::OkStatus();
  co_return co_await MarkClosedByParent(queue, false);
}

net::Awaitable<absl::Status> QueueController::Sync(QueuePtr queue, std::string_view state) {
  const bool is_root = queue->meta.name == kRoot;
  if (!is_root && queue->spec.parent.empty() && keeps_parents_) {
    absl::StatusOr<QueuePtr> patched = co_await SetRootParent(queue);
    if (!patched.ok()) co_return patched.status();
    queue = *patched;
  }
  if (!IsThere(*queue)) co_return absl::OkStatus();  // Its series are gone with it.
  context_.metrics.SetQueuePodGroups(queue->meta.name, groups_.Of(queue->meta.name));
  if (queue->status.state != state) {
    absl::StatusOr<QueuePtr> written = co_await SetStatus(queue, state);
    if (!written.ok()) co_return written.status();
    queue = *written;
  }
  if (is_root) co_return absl::OkStatus();
  co_return co_await FollowParent(queue, state);
}

net::Awaitable<absl::Status> QueueController::FollowParent(QueuePtr queue, std::string_view state) {
  // A definition of queues without the field: they are all children of root, which never closes.
  if (queue->spec.parent.empty()) co_return absl::OkStatus();
  const QueuePtr parent = queues_.Find("", queue->spec.parent);
  if (parent == nullptr) {
    co_return absl::NotFoundError(StrCat("parent queue ", queue->spec.parent, " of queue ",
                                         queue->meta.name, " does not exist"));
  }
  if (IsShut(parent->status.state)) {
    if (IsShut(state)) co_return absl::OkStatus();
    const absl::Status marked = co_await MarkClosedByParent(queue, true);
    if (marked.ok()) Ask(queue->meta.name, BusAction::kCloseQueue);
    co_return marked;
  }
  if (StateOf(*parent) == kQueueOpen && IsShut(state) &&
      queue->meta.Annotation(kClosedByParent) == "true") {
    Ask(queue->meta.name, BusAction::kOpenQueue);
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> QueueController::Open(QueuePtr queue, std::string_view state) {
  const std::string& name = queue->meta.name;
  const std::string& parent_name = queue->spec.parent;
  if (!parent_name.empty() && parent_name != kRoot) {
    const QueuePtr parent = queues_.Find("", parent_name);
    if (parent == nullptr) {
      co_return absl::FailedPreconditionError(StrCat("Failed to get parent queue ", parent_name,
                                                     " of queue ", name, ": it does not exist"));
    }
    if (IsShut(parent->status.state)) {
      co_return absl::FailedPreconditionError(
          StrCat("Failed to open queue ", name, " because its parent queue ", parent_name,
                 " is closing or closed. Open the parent queue first."));
    }
  }
  const std::string before = queue->status.state;
  absl::StatusOr<QueuePtr> written = co_await SetStatus(queue, state);
  if (!written.ok()) {
    Warn(context_.events, *queue, "OpenQueue",
         StrCat("Update queue status from ", before, " to ", state, " failed for ",
                written.status().message()));
    co_return written.status();
  }
  // Only now: a child asks whether its parent is open.
  for (const QueuePtr& child : ChildrenOf(name)) {
    if (child->meta.Annotation(kClosedByParent) == "true") {
      Ask(child->meta.name, BusAction::kOpenQueue);
    }
  }
  co_return co_await MarkClosedByParent(*written, false);
}

net::Awaitable<absl::Status> QueueController::Close(QueuePtr queue, std::string_view state,
                                                    bool by_hand) {
  const std::string& name = queue->meta.name;
  if (name == kRoot) co_return absl::OkStatus();
  if (by_hand && queue->meta.Annotation(kClosedByParent) == "true") {
    // Whoever opened it with its parent may have died before this; now it must stay closed.
    absl::Status forgotten = co_await MarkClosedByParent(queue, false);
    BTH_CO_RETURN_IF_ERROR(forgotten);
  }
  for (const QueuePtr& child : ChildrenOf(name)) {
    if (IsShut(child->status.state)) continue;
    const absl::Status marked = co_await MarkClosedByParent(child, true);
    if (!marked.ok()) {
      co_return client::WithContext(
          marked, StrCat("Failed to update annotations of queue ", child->meta.name));
    }
    Ask(child->meta.name, BusAction::kCloseQueue);
  }
  absl::StatusOr<QueuePtr> written = co_await SetStatus(queue, state);
  if (!written.ok()) {
    Warn(context_.events, *queue, "CloseQueue",
         StrCat("Close queue failed for ", written.status().message()));
    co_return written.status();
  }
  Tell(context_.events, *queue, "CloseQueue", "Close queue succeed");
  co_return absl::OkStatus();
}

// --- Writes -------------------------------------------------------------------------------------

net::Awaitable<absl::StatusOr<QueueController::QueuePtr>> QueueController::SetStatus(
    QueuePtr queue, std::string_view state) {
  const types::ResourceType& type = types::ResourceTraits<Queue>::type();
  types::Json body = types::Json::MakeObject();
  body.Set("apiVersion", type.ApiVersion());
  body.Set("kind", type.kind);
  body.MutableAt({"metadata", "name"}) = queue->meta.name;
  body.MutableAt({"metadata", "uid"}) = queue->meta.uid;  // Not of another one of that name,
  // and not when it comes so late that the state is another one by now.
  body.MutableAt({"metadata", "resourceVersion"}) = queue->meta.resource_version;
  // All of them each time: what an applied status leaves out is taken away.
  types::Json& status = body.MutableAt({"status"});
  status = types::Json::MakeObject();
  if (!state.empty()) status.Set("state", state);
  const metrics::PodGroupCounts counts = groups_.Of(queue->meta.name);
  status.Set("pending", counts.pending);
  status.Set("inqueue", counts.inqueue);
  status.Set("running", counts.running);
  status.Set("unknown", counts.unknown);
  status.Set("completed", counts.completed);
  client::Patch patch;
  patch.kind = client::PatchKind::kApply;
  patch.body = body.Dump();
  patch.field_manager = kFieldManager;
  patch.force = true;  // Whoever else wrote the state, it is ours to tell.
  absl::StatusOr<QueuePtr> now =
      co_await PatchAndLearn(context_.api, queues_, *queue, std::move(patch), "status");
  co_return std::move(now);
}

net::Awaitable<absl::StatusOr<QueueController::QueuePtr>> QueueController::SetRootParent(
    QueuePtr queue) {
  client::MergePatch patch;
  patch.Set({"spec", "parent"}, types::Json(kRoot));
  patch.RequireResourceVersion(queue->meta.resource_version);
  client::Patch built = patch.Build();
  absl::StatusOr<QueuePtr> now =
      co_await PatchAndLearn(context_.api, queues_, *queue, std::move(built));
  if (now.ok() && (*now)->spec.parent.empty() && keeps_parents_) {
    keeps_parents_ = false;
    Log(LogLevel::kWarning, "queue.parent_not_kept",
        {{"queue", queue->meta.name},
         {"why", "the definition of queues has no spec.parent: every queue is a child of root"},
         {"remedy", "kubectl apply -f deploy/crds, if queues are to have parents"}});
  }
  co_return std::move(now);
}

net::Awaitable<absl::Status> QueueController::MarkClosedByParent(QueuePtr queue, bool closed) {
  const std::string_view value = closed ? "true" : "false";
  if (queue->meta.Annotation(kClosedByParent) == value) co_return absl::OkStatus();
  client::MergePatch patch;
  patch.Set({"metadata", "annotations", kClosedByParent}, types::Json(value));
  patch.RequireResourceVersion(queue->meta.resource_version);
  client::Patch built = patch.Build();
  const absl::StatusOr<QueuePtr> written =
      co_await PatchAndLearn(context_.api, queues_, *queue, std::move(built));
  co_return written.status();
}

std::vector<QueueController::QueuePtr> QueueController::ChildrenOf(const std::string& queue) const {
  std::vector<QueuePtr> children;
  for (const QueuePtr& other : queues_.All()) {
    if (other->spec.parent == queue) children.push_back(other);
  }
  return children;
}

}  // namespace bth::controllers
