#include "cache/effect_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "base/status.h"
#include "cache/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

EffectWriter::EffectWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, EffectWriterOptions options)
    : api_(api),
      mirror_(mirror),
      events_(events),
      metrics_(metrics),
      options_(options),
      statuses_(api, mirror, events, metrics, [this] { Wake(); }),
      gangs_(mirror, statuses_, events, metrics, options_.gangs),
      volumes_(
          api, mirror,
          [this](const std::string& pod, const absl::Status& status) { VolumesDone(pod, status); }),
      gates_(api, mirror, metrics, options_.gate_removals),
      notices_(events) {
  gangs_.OnRelease([this](const PlacedPod& pod, const std::string& job) { ReleasePod(pod, job); });
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Start(api_.executor(), Lane());
  }
}

void EffectWriter::CountRefusedBatch() {
  if (metrics_ != nullptr) metrics_->LimitReached("binds_under_way");
}

void EffectWriter::Count(EffectKind kind, EffectOutcome outcome) {
  if (metrics_ != nullptr) metrics_->Effect(kind, outcome);
}

bool EffectWriter::Assume(const framework::EffectBatch& batch, std::vector<Urgent>* out) {
  const model::Snapshot& snapshot = *batch.snapshot;
  const auto describe = [&snapshot](model::TaskId task) {
    const model::TaskNames& names = *snapshot.tasks[task].names;
    const model::JobId job = snapshot.tasks[task].job;
    return Urgent{.ns = names.ns,
                  .name = names.name,
                  .uid = names.uid,
                  .job = job.valid() ? snapshot.jobs[job].facts->Key() : "",
                  .created_us = names.created_us};
  };
  const auto give_up = [&](const absl::Status& status) {
    for (const Urgent& done : *out) {
      mirror_.storage().Forget(done.key());
      mirror_.ForgetAssumption(done.key(), done.uid);
    }
    for (const framework::PromiseEffect& promise : batch.promises) {
      const model::TaskNames& names = *snapshot.tasks[promise.task].names;
      mirror_.ForgetNomination(names.Key(), names.uid);
    }
    out->clear();
    Log(LogLevel::kInfo, "effects.batch_outdated", {{"reason", status.message().data()}});
    return false;
  };
  for (const framework::EvictEffect& eviction : batch.evictions) {
    Urgent urgent = describe(eviction.victim);
    urgent.action = eviction.action;
    if (eviction.beneficiary.valid()) {
      urgent.beneficiary = snapshot.tasks[eviction.beneficiary].names->Key();
    }
    const absl::Status status = mirror_.AssumeEviction(urgent.key(), urgent.uid);
    if (!status.ok()) return give_up(status);
    out->push_back(std::move(urgent));
  }
  for (const framework::PromiseEffect& promise : batch.promises) {
    const model::TaskNames& names = *snapshot.tasks[promise.task].names;
    const absl::Status status =
        mirror_.AssumeNomination(names.Key(), names.uid, snapshot.node_facts(promise.node).name);
    if (!status.ok()) return give_up(status);
  }
  for (const framework::BindEffect& bind : batch.binds) {
    Urgent urgent = describe(bind.task);
    urgent.node = snapshot.node_facts(bind.node).name;
    urgent.volumes = bind.volumes;
    if (bind.volumes != nullptr) {
      const absl::Status taken = mirror_.storage().Assume(urgent.key(), *bind.volumes, urgent.node);
      if (!taken.ok()) return give_up(taken);
    }
    const absl::Status status = mirror_.AssumeBinding(urgent.key(), urgent.uid, urgent.node);
    if (!status.ok()) {
      mirror_.storage().Forget(urgent.key());
      return give_up(status);
    }
    out->push_back(std::move(urgent));
  }
  return true;
}

void EffectWriter::Take(framework::EffectBatch batch) {
  std::vector<Urgent> accepted;
  gangs_.LookBack(api_.executor().Now());
  for (const framework::BindEffect& bind : batch.binds) {
    const model::JobId job = batch.snapshot->tasks[bind.task].job;
    if (job.valid()) gangs_.BatchComes(batch.snapshot->jobs[job].facts->Key());
  }
  if (!Assume(batch, &accepted)) {
    gangs_.BatchCame();
    AddUnderWay(-static_cast<int64_t>(batch.binds.size()));
    if (metrics_ != nullptr) {
      metrics_->Effect(EffectKind::kBind, EffectOutcome::kSkipped,
                       static_cast<int64_t>(batch.binds.size()));
    }
    return;
  }
  for (Urgent& urgent : accepted) {
    if (!urgent.node.empty()) gangs_.BindingBegins(urgent.job);
    if (!urgent.node.empty() && metrics_ != nullptr) {
      metrics_->TaskReached(metrics::TaskMoment::kAssumed,
                            api_.executor().Now() - absl::FromUnixMicros(urgent.created_us));
    }
    urgent_.push_back(std::move(urgent));
    Wake();
  }
  if (metrics_ != nullptr) metrics_->SetEffectQueueDepth(static_cast<int64_t>(urgent_.size()));
}

void EffectWriter::Take(framework::CycleReport report) {
  gates_.Take(report);
  notices_.Take(report);
  statuses_.Take(std::move(report));
}

void EffectWriter::Wake() {
  if (sleeping_.empty()) return;
  const net::Promised<bool> lane = std::move(sleeping_.back());
  sleeping_.pop_back();
  lane.Set(true);
}

net::Awaitable<void> EffectWriter::Lane() {
  for (;;) {
    if (!urgent_.empty()) {
      Urgent next = std::move(urgent_.front());
      urgent_.pop_front();
      ++urgent_in_flight_;
      ++in_flight_;
      const bool binds = !next.node.empty();
      if (next.volumes != nullptr) {
        co_await BindVolumes(std::move(next));
      } else if (binds) {
        co_await Bind(std::move(next));
      } else {
        co_await Evict(std::move(next));
      }
      --urgent_in_flight_;
      --in_flight_;
      if (urgent_idle()) {
        events_.Wake();
        if (statuses_.HasWork()) Wake();
      }
      continue;
    }
    if (urgent_idle() && statuses_.HasWork()) {
      ++in_flight_;
      Wake();  // More statuses may be sent side by side.
      co_await statuses_.SendOne();
      --in_flight_;
      continue;
    }
    net::Promised<bool> work(api_.executor());
    sleeping_.push_back(work);
    co_await work.Wait();
  }
}

// Writes what the volumes of the pod need; the pod is bound when its claims are.
net::Awaitable<void> EffectWriter::BindVolumes(Urgent bind) {
  const std::string pod = bind.key();
  VolumeBinder::Order order;
  order.pod = pod;
  order.uid = bind.uid;
  order.node = bind.node;
  order.plan = bind.volumes;
  waiting_[pod] = std::move(bind);
  absl::Status status = co_await volumes_.Write(std::move(order));
  if (status.ok()) co_return;
  if (client::OutcomeUnknown(status)) status = absl::UnavailableError(status.message());
  VolumesDone(pod, status);
}

void EffectWriter::VolumesDone(const std::string& pod, const absl::Status& status) {
  const auto known = waiting_.find(pod);
  if (known == waiting_.end()) return;
  Urgent bind = std::move(known->second);
  waiting_.erase(known);
  if (status.ok()) {
    bind.volumes = nullptr;
    urgent_.push_back(std::move(bind));
    Wake();
    return;
  }
  const bool changed = absl::IsAborted(status) || absl::IsNotFound(status) ||
                       absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
  BindFailure why = BindFailure::kRefused;
  if (absl::IsCancelled(status)) why = BindFailure::kGone;
  if (changed) why = BindFailure::kConflict;
  if (absl::IsUnavailable(status)) why = BindFailure::kUnreachable;
  BindingFailed(bind, why, Annotate(status, "binding volumes"));
}

net::Awaitable<void> EffectWriter::Bind(Urgent bind) {
  const absl::Duration start = api_.executor().Monotonic();
  client::BindRequest request;
  request.namespace_name = bind.ns;
  request.pod = bind.name;
  request.uid = bind.uid;
  request.node = bind.node;
  const absl::Status status = co_await api_.Bind(std::move(request));
  if (status.ok()) {
    BindingDone(bind, api_.executor().Monotonic() - start);
    co_return;
  }
  if (absl::IsResourceExhausted(status)) {
    // Nothing happened; the server wants us to slow down.
    Count(EffectKind::kBind, EffectOutcome::kRetried);
    const absl::Duration delay = client::RetryAfter(status).value_or(absl::Seconds(1));
    co_await net::Sleep(api_.executor(), delay);
    urgent_.push_back(std::move(bind));
    co_return;
  }
  if (client::OutcomeUnknown(status) || absl::IsAborted(status) || absl::IsNotFound(status) ||
      absl::IsAlreadyExists(status)) {
    co_await Resolve(std::move(bind), status);
    co_return;
  }
  BindingFailed(bind,
                absl::IsUnavailable(status) ? BindFailure::kUnreachable : BindFailure::kRefused,
                status);
}

net::Awaitable<void> EffectWriter::Resolve(Urgent bind, absl::Status failure) {
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(bind.ns, bind.name)};
  for (;;) {
    const absl::StatusOr<std::string> text = co_await api_.Get(path);
    if (absl::IsNotFound(text.status())) {
      BindingFailed(bind, BindFailure::kGone, text.status());
      co_return;
    }
    if (text.ok()) {
      const absl::StatusOr<types::Pod> pod = types::Decode<types::Pod>(std::string_view(*text));
      if (!pod.ok() || pod->meta.uid != bind.uid || pod->meta.deletion_time) {
        BindingFailed(bind, BindFailure::kGone, failure);
      } else if (pod->spec.node_name == bind.node) {
        BindingDone(bind, absl::ZeroDuration());
      } else if (!pod->spec.node_name.empty()) {
        // Placed by somebody else: the watch tells the rest.
        Count(EffectKind::kBind, EffectOutcome::kSkipped);
        mirror_.ForgetAssumption(bind.key(), bind.uid);
        Finish(bind);
      } else {
        BindingFailed(
            bind,
            client::OutcomeUnknown(failure) ? BindFailure::kUnreachable : BindFailure::kConflict,
            failure);
      }
      co_return;
    }
    co_await net::Sleep(api_.executor(), options_.resolve_retry);
  }
}

void EffectWriter::BindingDone(const Urgent& bind, absl::Duration took) {
  Count(EffectKind::kBind, EffectOutcome::kOk);
  if (metrics_ != nullptr) {
    metrics_->StageDone(metrics::Stage::kBind, took);
    metrics_->TaskReached(metrics::TaskMoment::kBound,
                          api_.executor().Now() - absl::FromUnixMicros(bind.created_us));
  }
  events_.Record(PodObject(bind.key(), bind.uid),
                 {"Normal", "Scheduled",
                  absl::StrCat("Successfully assigned ", bind.key(), " to ", bind.node)});
  Finish(bind);
}

void EffectWriter::BindingFailed(const Urgent& bind, BindFailure why, const absl::Status& status) {
  Count(EffectKind::kBind, EffectOutcome::kFailed);
  Log(LogLevel::kWarning, "pod.bind_failed",
      {{"pod", bind.key()}, {"node", bind.node}, {"status", status}});
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  gangs_.BindingFailed(bind.job, why,
                       why == BindFailure::kGone
                           ? absl::StrCat("pod ", bind.key(), " was deleted before it was bound")
                           : absl::StrCat("pod ", bind.key(), " could not be bound to node ",
                                          bind.node, ": ", std::string(status.message())),
                       api_.executor().Now());
  if (why != BindFailure::kGone) {
    statuses_.WantPodCondition(
        bind.key(), bind.uid, "SchedulerError",
        absl::StrCat("failed to bind to node ", bind.node, ": ", std::string(status.message())),
        true);
  }
  Finish(bind);
}

void EffectWriter::Finish(const Urgent& urgent) {
  if (urgent.node.empty()) return;
  mirror_.storage().Forget(urgent.key());
  AddUnderWay(-1);
  gangs_.BindingEnds(urgent.job, api_.executor().Now());
}

net::Awaitable<void> EffectWriter::Evict(Urgent eviction) {
  client::DeleteOptions options;
  options.uid = eviction.uid;
  const absl::Status status = co_await api_.Evict(eviction.ns, eviction.name, options);
  if (status.ok() || absl::IsNotFound(status)) {
    Count(EffectKind::kEvict, EffectOutcome::kOk);
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
    Count(EffectKind::kEvict, EffectOutcome::kRetried);
    const absl::Duration delay = client::RetryAfter(status).value_or(absl::Seconds(1));
    co_await net::Sleep(api_.executor(), delay);
    urgent_.push_back(std::move(eviction));
    co_return;
  }
  Count(EffectKind::kEvict, EffectOutcome::kFailed);
  mirror_.ForgetAssumption(eviction.key(), eviction.uid);
  if (absl::IsUnavailable(status) || client::OutcomeUnknown(status)) {
    // The pod stays, or the watch tells that it went; the next cycle decides anew.
    Log(LogLevel::kWarning, "pod.eviction_failed", {{"pod", eviction.key()}, {"status", status}});
    co_return;
  }
  EvictionRefused(eviction, status);
}

// The next cycle decides anew, about others than this one for a while.
void EffectWriter::EvictionRefused(const Urgent& eviction, const absl::Status& status) {
  const absl::Duration pause = mirror_.SparePod(eviction.key(), eviction.uid);
  Log(LogLevel::kWarning, "pod.eviction_refused",
      {{"pod", eviction.key()}, {"status", status}, {"pause", absl::FormatDuration(pause)}});
  const auto tell = [&](const std::string& pod, std::string text) {
    const std::optional<PodView> view = mirror_.Pod(pod);
    if (!view) return;
    events_.Record(PodObject(pod, view->uid), {"Warning", "EvictionRefused", std::move(text)});
  };
  const std::string why = absl::StrCat(std::string(status.message()),
                                       "; it is not tried again for ", absl::FormatDuration(pause));
  tell(eviction.key(), absl::StrCat("the pod may not be evicted (", eviction.action, "): ", why));
  if (eviction.beneficiary.empty()) return;
  tell(eviction.beneficiary,
       absl::StrCat("pod ", eviction.key(), " may not be evicted for this one: ", why));
}

void EffectWriter::ReleasePod(const PlacedPod& pod, const std::string& job) {
  Urgent urgent{.ns = pod.ns, .name = pod.name, .uid = pod.uid, .job = job};
  urgent.action = "a gang that cannot be completed";
  if (!mirror_.AssumeEviction(urgent.key(), urgent.uid).ok()) return;
  urgent_.push_back(std::move(urgent));
  Wake();
}

}  // namespace bth::cache
