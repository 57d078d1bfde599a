// The requests of EffectWriter: bindings, with their volumes first, evictions, and reads of what
// became of a binding.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/status.h"
#include "cache/writes/effect_writer.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

net::Awaitable<void> EffectWriter::Send(Urgent& urgent) {
  if (urgent.node.empty()) {
    co_await Evict(urgent);
  } else if (!urgent.doubt.ok()) {
    co_await ReadBack(urgent);
  } else if (urgent.volumes != nullptr) {
    co_await BindVolumes(urgent);
  } else {
    co_await Bind(urgent);
  }
}

// Writes what the volumes of the pod need; the pod is bound when its claims are.
net::Awaitable<void> EffectWriter::BindVolumes(Urgent& bind) {
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

void EffectWriter::VolumesDone(const std::string& uid, const absl::Status& status) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  Urgent bind = std::move(known->second);
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
  urgent_.push_back(std::move(bind));
  Wake();
}

void EffectWriter::VolumesFailed(Urgent& bind, const absl::Status& status) {
  const bool changed = absl::IsAborted(status) || absl::IsNotFound(status) ||
                       absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
  BindFailure why = BindFailure::kRefused;
  if (absl::IsCancelled(status)) why = BindFailure::kGone;
  if (changed) why = BindFailure::kConflict;
  if (absl::IsUnavailable(status)) why = BindFailure::kUnreachable;
  BindingFailed(bind, why, Annotate(status, "binding volumes"));
}

net::Awaitable<void> EffectWriter::Bind(Urgent& bind) {
  const absl::Duration start = api_.executor().Monotonic();
  client::BindRequest request;
  request.namespace_name = bind.ns;
  request.pod = bind.name;
  request.uid = bind.uid;
  request.node = bind.node;
  const absl::Status status = co_await api_.Bind(std::move(request));
  if (status.ok()) {
    busy_object_.clear();
    BindingDone(bind, api_.executor().Monotonic() - start);
  } else if (absl::IsResourceExhausted(status)) {
    Busy(bind, status);
  } else if (client::OutcomeUnknown(status) || absl::IsAborted(status) ||
             absl::IsNotFound(status) || absl::IsAlreadyExists(status)) {
    bind.doubt = status;
    co_await ReadBack(bind);
  } else {
    const bool away = absl::IsUnavailable(status);
    BindingFailed(bind, away ? BindFailure::kUnreachable : BindFailure::kRefused, status);
  }
}

// One read. Without an answer the binding is parked, and the watch may tell before the next one.
net::Awaitable<void> EffectWriter::ReadBack(Urgent& bind) {
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(bind.ns, bind.name)};
  const absl::StatusOr<std::string> text = co_await api_.Get(path);
  if (absl::IsNotFound(text.status())) {
    BindingFailed(bind, BindFailure::kGone, text.status());
    co_return;
  }
  if (!text.ok()) {
    if (ToldByWatch(bind)) co_return;
    if (++bind.reads < options_.reads_max) {
      Park(bind, Pause(bind.reads, text.status()));
      co_return;
    }
    if (metrics_ != nullptr) metrics_->LimitReached("binding_reads");
    BindingFailed(bind, BindFailure::kUnreachable,
                  absl::UnavailableError(absl::StrCat(
                      bind.doubt.message(), "; whether it happened could not be read in ",
                      bind.reads, " attempts: ", text.status().message())));
    co_return;
  }
  const absl::StatusOr<types::Pod> pod = types::Decode<types::Pod>(std::string_view(*text));
  if (!pod.ok() || pod->meta.uid != bind.uid || pod->meta.deletion_time) {
    BindingFailed(bind, BindFailure::kGone, bind.doubt);
  } else if (pod->spec.node_name == bind.node) {
    BindingDone(bind, absl::ZeroDuration());
  } else if (!pod->spec.node_name.empty()) {
    PlacedByOthers(bind);
  } else {
    const bool unknown = client::OutcomeUnknown(bind.doubt);
    BindingFailed(bind, unknown ? BindFailure::kUnreachable : BindFailure::kConflict, bind.doubt);
  }
}

net::Awaitable<void> EffectWriter::Evict(Urgent& eviction) {
  client::DeleteOptions options;
  options.uid = eviction.uid;
  const absl::Status status = co_await api_.Evict(eviction.ns, eviction.name, options);
  if (status.ok() || absl::IsNotFound(status)) {
    busy_object_.clear();
    Count(EffectKind::kEvict, EffectOutcome::kOk);
    if (metrics_ != nullptr && eviction.counted != nullptr &&
        !std::exchange(*eviction.counted, true)) {
      metrics_->EvictionTransaction(eviction.action);
    }
    std::string message = absl::StrCat("Pod is evicted, because of ", eviction.action);
    if (!eviction.beneficiary.empty()) absl::StrAppend(&message, ", for ", eviction.beneficiary);
    events_.Record(PodObject(eviction.key(), eviction.uid),
                   {"Warning", "Evict", std::move(message)});
    co_return;
  }
  // The server says 429 when it is busy, and when a budget forbids the eviction.
  const bool busy = absl::IsResourceExhausted(status) &&
                    status.message().find("disruption budget") == absl::string_view::npos;
  if (busy) {
    Busy(eviction, status);
  } else {
    EvictionFailed(eviction, status);
  }
}

}  // namespace bth::cache
