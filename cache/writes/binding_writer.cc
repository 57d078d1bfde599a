#include "cache/writes/binding_writer.h"

#include <algorithm>
#include <utility>

#include "api/types/codec.h"
#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/cluster/left_claims.h"
#include "cache/intake/compile_numa.h"

namespace bth::cache {

namespace {

ClaimBinder::Order OrderOf(const Binding& bind) {
  return {.pod = bind.key(),
          .name = bind.name,
          .uid = bind.uid,
          .node = bind.node,
          .plan = bind.claims};
}

}  // namespace

BindingWriter::BindingWriter(const UrgentParts& parts, GangFailures& gangs, StatusWriter& statuses,
                             std::function<void()> on_failure)
    : parts_(parts),
      gangs_(gangs),
      statuses_(statuses),
      on_failure_(std::move(on_failure)),
      queue_(parts, [this](Binding bind) { Resume(std::move(bind)); }),
      volumes_(
          parts.api, parts.mirror,
          [this](const std::string& uid, const absl::Status& status) { VolumesDone(uid, status); }),
      claims_(
          parts.api, parts.mirror,
          [this](const std::string& uid, const absl::Status& status) { ClaimsDone(uid, status); },
          [this](const ClaimBinder::Order& order, const std::string& what) {
            TellWaits(order, what);
          },
          [this] { parts_.lanes.Wake(); }),
      locker_(parts.api) {}

net::Awaitable<void> BindingWriter::SendOne() {
  if (!unlocks_.empty()) {
    NodeLocker::Lock lock = std::move(unlocks_.front());
    unlocks_.pop_front();
    const absl::Status status = co_await locker_.GiveBack(lock);
    if (!status.ok()) {
      Log(LogLevel::kWarning, "node.lock_stays",
          {{"node", lock.node},
           {"lock", lock.name},
           {"status", status},
           {"effect", "it runs out after 5 minutes"}});
    }
    co_return;
  }
  if (queue_.empty()) {
    co_await claims_.ReturnOne();
    co_return;
  }
  Binding next = queue_.Take();
  try {
    co_await Send(next);
  } catch (...) {
    parts_.api.executor().barrier().Caught("effects.binding", net::Consequence::kLost);
    if (!next.settled) TellCutOff(next);
    Abandon(next);
  }
}

void BindingWriter::GiveBackLeft(const framework::CycleReport& report) {
  const model::DeviceClaimsView* const claims = report.snapshot->device_claims.get();
  if (claims == nullptr) return;
  for (const framework::PodReport& pod : report.pods) {
    const model::TaskRow& row = report.snapshot->tasks[pod.task];
    std::shared_ptr<const model::ClaimPlan> left = LeftClaims(*claims, row);
    if (left != nullptr) GiveBack({row.names, std::move(left)});
  }
}

void BindingWriter::GiveBackLeftWithoutGroup() {
  for (LeftWithPod& left : parts_.mirror.LeftWithoutGroup()) GiveBack(std::move(left));
}

void BindingWriter::GiveBack(LeftWithPod left) {
  claims_.GiveBack({.pod = left.pod->Key(),
                    .name = left.pod->name,
                    .uid = left.pod->uid,
                    .node = "",
                    .plan = std::move(left.claims)});
}

// The binding is its caller's until the call ends.
net::Awaitable<void> BindingWriter::Send(Binding& bind) {
  if (!bind.doubt.ok()) {
    co_await ReadBack(bind);
  } else if (bind.volumes != nullptr) {
    co_await BindVolumes(bind);
  } else if (bind.claims != nullptr && !bind.claims_are_ready) {
    co_await BindClaims(bind);
  } else {
    co_await LockAndBind(bind);
  }
}

net::Awaitable<void> BindingWriter::LockAndBind(Binding& bind) {
  // GCC 12 miscompiles an awaited condition.
  const bool locked = co_await LockNode(bind);
  if (locked) co_await Bind(bind);
}

// Who finds a lock taken waits for whoever has it: for the device plugin, most often.
net::Awaitable<bool> BindingWriter::LockNode(Binding& bind) {
  if (bind.devices == nullptr) co_return true;
  for (size_t next = bind.locks.size(); next < bind.devices->locks.size(); ++next) {
    NodeLocker::Lock lock{.node = bind.node, .name = bind.devices->locks[next]};
    const absl::Status status = co_await locker_.Take(&lock);
    if (status.ok()) {
      bind.locks.push_back(std::move(lock));
      continue;
    }
    if (!lock.value.empty()) unlocks_.push_back(lock);
    const absl::Duration now = parts_.api.executor().Monotonic();
    const bool taken = absl::IsAlreadyExists(status);
    if (taken && !bind.locks_since) bind.locks_since = now;
    if (taken && now - *bind.locks_since < model::kNodeLockLasts) {
      const absl::Duration left = model::kNodeLockLasts - (now - *bind.locks_since);
      ++wait_for_lock_;
      bind.waits_for_lock = true;
      queue_.Park(bind, std::min(parts_.attempts.Pause(++bind.reads, status), left));
    } else if (absl::IsResourceExhausted(status) || client::OutcomeUnknown(status)) {
      Busy(bind, status);
    } else {
      const bool away = absl::IsUnavailable(status);
      Failed(bind, away ? BindFailure::kUnreachable : BindFailure::kConflict,
             Annotate(status, StrCat("node ", bind.node, " locked for ", bind.name, " ", lock.name,
                                     " lockname")));
    }
    co_return false;
  }
  bind.reads = 0;
  co_return true;
}

// Writes what the volumes of the pod need; the pod is bound when its claims are.
net::Awaitable<void> BindingWriter::BindVolumes(Binding& bind) {
  if (!bind.first_since) bind.first_since = parts_.api.executor().Monotonic();
  VolumeBinder::Order order;
  order.pod = bind.key();
  order.uid = bind.uid;
  order.node = bind.node;
  order.plan = bind.volumes;
  const absl::Status status = co_await volumes_.Write(std::move(order));
  if (status.ok()) {
    waiting_[bind.uid] = std::move(bind);
    bind.settled = true;  // NOLINT(bugprone-use-after-move): VolumesDone goes on.
  } else if (absl::IsResourceExhausted(status) || client::OutcomeUnknown(status)) {
    Busy(bind, status);  // What was written is found written by the next attempt.
  } else {
    FirstFailed(bind, status, "binding volumes");
  }
}

void BindingWriter::VolumesDone(const std::string& uid, const absl::Status& status) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  Binding bind = std::move(known->second);
  waiting_.erase(known);
  if (!status.ok()) {
    FirstFailed(bind, status, "binding volumes");
    return;
  }
  bind.volumes = nullptr;
  if (bind.claims == nullptr) NotePreBound(bind);
  Add(std::move(bind));
}

// Writes what the claims of the pod are given. Most devices are ready at once.
net::Awaitable<void> BindingWriter::BindClaims(Binding& bind) {
  if (!bind.first_since) bind.first_since = parts_.api.executor().Monotonic();
  ClaimBinder::Order order = OrderOf(bind);
  const absl::StatusOr<bool> ready = co_await claims_.Write(std::move(order));
  if (ready.ok() && *ready) {
    bind.claims_are_ready = true;
    NotePreBound(bind);
    co_await LockAndBind(bind);
  } else if (ready.ok()) {
    waiting_[bind.uid] = std::move(bind);
    bind.settled = true;  // NOLINT(bugprone-use-after-move): ClaimsDone goes on.
  } else if (absl::IsResourceExhausted(ready.status()) || client::OutcomeUnknown(ready.status())) {
    Busy(bind, ready.status());  // What was written is found written by the next attempt.
  } else if (absl::IsAlreadyExists(ready.status())) {
    bind.doubt = ready.status();
    co_await ReadBack(bind);
  } else {
    FirstFailed(bind, ready.status(), "allocating devices");
  }
}

void BindingWriter::TellWaits(const ClaimBinder::Order& order, const std::string& what) {
  statuses_.WantBindingCondition(order.pod, order.uid, "WaitingForDevices",
                                 StrCat("is to be bound to node ", order.node, ": ", what));
}

void BindingWriter::ClaimsDone(const std::string& uid, const absl::Status& status) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  Binding bind = std::move(known->second);
  waiting_.erase(known);
  if (!status.ok()) {
    FirstFailed(bind, status, "allocating devices");
    return;
  }
  bind.claims_are_ready = true;
  NotePreBound(bind);
  Add(std::move(bind));
}

void BindingWriter::NotePreBound(const Binding& bind) {
  if (parts_.metrics == nullptr) return;
  parts_.metrics->StageDone(metrics::Stage::kPreBind,
                            parts_.api.executor().Monotonic() - *bind.first_since);
  parts_.metrics->TaskReached(metrics::TaskMoment::kPreBound,
                              parts_.api.executor().Now() - absl::FromUnixMicros(bind.created_us));
}

void BindingWriter::FirstFailed(Binding& bind, const absl::Status& status, std::string_view what) {
  const bool changed = absl::IsAborted(status) || absl::IsNotFound(status) ||
                       absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
  BindFailure why = BindFailure::kRefused;
  if (absl::IsCancelled(status)) why = BindFailure::kGone;
  if (changed) why = BindFailure::kConflict;
  if (absl::IsUnavailable(status)) why = BindFailure::kUnreachable;
  Failed(bind, why, Annotate(status, what));
}

net::Awaitable<void> BindingWriter::Bind(Binding& bind) {
  const absl::Duration start = parts_.api.executor().Monotonic();
  client::BindRequest request;
  request.namespace_name = bind.ns;
  request.pod = bind.name;
  request.uid = bind.uid;
  request.node = bind.node;
  // The server writes them with the node, or neither.
  if (bind.devices != nullptr) request.annotations = bind.devices->annotations;
  if (!bind.cpu_decision.empty()) {
    request.annotations.emplace_back(kNumaDecision, bind.cpu_decision);
  }
  const absl::Status status = co_await parts_.api.Bind(std::move(request));
  if (status.ok()) {
    parts_.lanes.NoteAnswer();
    Done(bind, parts_.api.executor().Monotonic() - start);
  } else if (absl::IsResourceExhausted(status)) {
    Busy(bind, status);
  } else if (client::OutcomeUnknown(status) || absl::IsAborted(status) ||
             absl::IsNotFound(status) || absl::IsAlreadyExists(status)) {
    bind.doubt = status;
    co_await ReadBack(bind);
  } else {
    const bool away = absl::IsUnavailable(status);
    Failed(bind, away ? BindFailure::kUnreachable : BindFailure::kRefused, status);
  }
}

// One read. Without an answer the binding is parked, and the watch may tell before the next one.
net::Awaitable<void> BindingWriter::ReadBack(Binding& bind) {
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(bind.ns, bind.name)};
  const absl::StatusOr<std::string> text = co_await parts_.api.Get(path);
  if (absl::IsNotFound(text.status())) {
    Failed(bind, BindFailure::kGone, text.status());
    co_return;
  }
  if (!text.ok()) {
    if (ToldByWatch(bind)) co_return;
    if (++bind.reads < parts_.attempts.reads_max) {
      queue_.Park(bind, parts_.attempts.Pause(bind.reads, text.status()));
      ++in_doubt_;
      co_return;
    }
    if (parts_.metrics != nullptr) parts_.metrics->LimitReached("binding_reads");
    Failed(bind, BindFailure::kUnreachable,
           absl::UnavailableError(StrCat(bind.doubt.message(),
                                         "; whether it happened could not be read in ", bind.reads,
                                         " attempts: ", text.status().message())));
    co_return;
  }
  const absl::StatusOr<types::Pod> pod = types::Decode<types::Pod>(std::string_view(*text));
  if (!pod.ok() || pod->meta.uid != bind.uid || pod->meta.deletion_time) {
    Failed(bind, BindFailure::kGone, bind.doubt);
  } else if (pod->spec.node_name == bind.node) {
    Done(bind, absl::ZeroDuration());
  } else if (!pod->spec.node_name.empty()) {
    PlacedByOthers(bind);
  } else {
    const bool unknown = client::OutcomeUnknown(bind.doubt);
    Failed(bind, unknown ? BindFailure::kUnreachable : BindFailure::kConflict, bind.doubt);
  }
}

}  // namespace bth::cache
