#include "cache/writes/binding_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/codec.h"
#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/status.h"

namespace bth::cache {

BindingWriter::BindingWriter(const Parts& parts, AttemptOptions options,
                             std::function<void()> on_failure)
    : api_(parts.api),
      mirror_(parts.mirror),
      events_(parts.events),
      metrics_(parts.metrics),
      lanes_(parts.lanes),
      counts_(parts.counts),
      gangs_(parts.gangs),
      statuses_(parts.statuses),
      options_(options),
      on_failure_(std::move(on_failure)),
      parked_(api_.executor(), [this](Binding bind) { Unpark(std::move(bind)); }),
      volumes_(api_, mirror_, [this](const std::string& uid, const absl::Status& status) {
        VolumesDone(uid, status);
      }) {}

void BindingWriter::Add(Binding bind) {
  queue_.push_back(std::move(bind));
  counts_.Queued(+1);
  lanes_.Wake();
}

net::Awaitable<void> BindingWriter::SendOne() {
  Binding next = std::move(queue_.front());
  queue_.pop_front();
  counts_.Queued(-1);
  try {
    co_await Send(next);
  } catch (...) {
    api_.executor().barrier().Caught("effects.binding", net::Consequence::kLost);
    Abandon(next);
  }
}

// The binding is its caller's until the call ends.
net::Awaitable<void> BindingWriter::Send(Binding& bind) {
  if (!bind.doubt.ok()) {
    co_await ReadBack(bind);
  } else if (bind.volumes != nullptr) {
    co_await BindVolumes(bind);
  } else {
    co_await Bind(bind);
  }
}

// Writes what the volumes of the pod need; the pod is bound when its claims are.
net::Awaitable<void> BindingWriter::BindVolumes(Binding& bind) {
  if (!bind.volumes_since) bind.volumes_since = api_.executor().Monotonic();
  VolumeBinder::Order order;
  order.pod = bind.key();
  order.uid = bind.uid;
  order.node = bind.node;
  order.plan = bind.volumes;
  const absl::Status status = co_await volumes_.Write(std::move(order));
  if (status.ok()) {
    waiting_[bind.uid] = std::move(bind);
    bind.settled = true;  // VolumesDone goes on.
  } else if (absl::IsResourceExhausted(status) || client::OutcomeUnknown(status)) {
    Busy(bind, status);  // What was written is found written by the next attempt.
  } else {
    VolumesFailed(bind, status);
  }
}

void BindingWriter::VolumesDone(const std::string& uid, const absl::Status& status) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  Binding bind = std::move(known->second);
  waiting_.erase(known);
  if (!status.ok()) {
    VolumesFailed(bind, status);
    return;
  }
  if (metrics_ != nullptr) {
    metrics_->StageDone(metrics::Stage::kPreBind,
                        api_.executor().Monotonic() - *bind.volumes_since);
    metrics_->TaskReached(metrics::TaskMoment::kPreBound,
                          api_.executor().Now() - absl::FromUnixMicros(bind.created_us));
  }
  bind.volumes = nullptr;
  Add(std::move(bind));
}

void BindingWriter::VolumesFailed(Binding& bind, const absl::Status& status) {
  const bool changed = absl::IsAborted(status) || absl::IsNotFound(status) ||
                       absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
  BindFailure why = BindFailure::kRefused;
  if (absl::IsCancelled(status)) why = BindFailure::kGone;
  if (changed) why = BindFailure::kConflict;
  if (absl::IsUnavailable(status)) why = BindFailure::kUnreachable;
  Failed(bind, why, Annotate(status, "binding volumes"));
}

net::Awaitable<void> BindingWriter::Bind(Binding& bind) {
  const absl::Duration start = api_.executor().Monotonic();
  client::BindRequest request;
  request.namespace_name = bind.ns;
  request.pod = bind.name;
  request.uid = bind.uid;
  request.node = bind.node;
  const absl::Status status = co_await api_.Bind(std::move(request));
  if (status.ok()) {
    lanes_.NoteAnswer();
    Done(bind, api_.executor().Monotonic() - start);
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
  const absl::StatusOr<std::string> text = co_await api_.Get(path);
  if (absl::IsNotFound(text.status())) {
    Failed(bind, BindFailure::kGone, text.status());
    co_return;
  }
  if (!text.ok()) {
    if (ToldByWatch(bind)) co_return;
    if (++bind.reads < options_.reads_max) {
      Park(bind, options_.Pause(bind.reads, text.status()));
      co_return;
    }
    if (metrics_ != nullptr) metrics_->LimitReached("binding_reads");
    Failed(bind, BindFailure::kUnreachable,
           absl::UnavailableError(
               absl::StrCat(bind.doubt.message(), "; whether it happened could not be read in ",
                            bind.reads, " attempts: ", text.status().message())));
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
