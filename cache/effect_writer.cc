#include "cache/effect_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/log.h"

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
      statuses_(api, mirror, events, metrics, [this] { Wake(); }) {
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
    for (const Urgent& done : *out) mirror_.ForgetAssumption(done.key(), done.uid);
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
  for (const framework::BindEffect& bind : batch.binds) {
    Urgent urgent = describe(bind.task);
    urgent.node = snapshot.node_facts(bind.node).name;
    const absl::Status status = mirror_.AssumeBinding(urgent.key(), urgent.uid, urgent.node);
    if (!status.ok()) return give_up(status);
    out->push_back(std::move(urgent));
  }
  return true;
}

void EffectWriter::Take(framework::EffectBatch batch) {
  std::vector<Urgent> accepted;
  if (!Assume(batch, &accepted)) {
    AddUnderWay(-static_cast<int64_t>(batch.binds.size()));
    if (metrics_ != nullptr) {
      metrics_->Effect(EffectKind::kBind, EffectOutcome::kSkipped,
                       static_cast<int64_t>(batch.binds.size()));
    }
    return;
  }
  for (Urgent& urgent : accepted) {
    if (!urgent.node.empty() && metrics_ != nullptr) {
      metrics_->TaskReached(metrics::TaskMoment::kAssumed,
                            api_.executor().Now() - absl::FromUnixMicros(urgent.created_us));
    }
    urgent_.push_back(std::move(urgent));
    Wake();
  }
  if (metrics_ != nullptr) metrics_->SetEffectQueueDepth(static_cast<int64_t>(urgent_.size()));
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
      if (binds) {
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
    co_await Resolve(std::move(bind));
    co_return;
  }
  BindingRefused(bind, status);
}

net::Awaitable<void> EffectWriter::Resolve(Urgent bind) {
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(bind.ns, bind.name)};
  for (;;) {
    const absl::StatusOr<std::string> text = co_await api_.Get(path);
    if (text.ok()) {
      const absl::StatusOr<types::Pod> pod = types::Decode<types::Pod>(std::string_view(*text));
      const bool same = pod.ok() && pod->meta.uid == bind.uid;
      if (same && pod->spec.node_name == bind.node) {
        BindingDone(bind, absl::ZeroDuration());
      } else {
        // Not bound by us: the watch tells the rest.
        Count(EffectKind::kBind, EffectOutcome::kFailed);
        mirror_.ForgetAssumption(bind.key(), bind.uid);
        Finish(bind);
      }
      co_return;
    }
    if (absl::IsNotFound(text.status())) {
      Count(EffectKind::kBind, EffectOutcome::kSkipped);
      mirror_.ForgetAssumption(bind.key(), bind.uid);
      Finish(bind);
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
  client::EventObject object;
  object.kind = "Pod";
  object.namespace_name = bind.ns;
  object.name = bind.name;
  object.uid = bind.uid;
  events_.Record(object, {"Normal", "Scheduled",
                          absl::StrCat("Successfully assigned ", bind.key(), " to ", bind.node)});
  holds_.erase(bind.job);
  Finish(bind);
}

void EffectWriter::BindingRefused(const Urgent& bind, const absl::Status& status) {
  Count(EffectKind::kBind, EffectOutcome::kFailed);
  Log(LogLevel::kWarning, "pod.bind_refused",
      {{"pod", bind.key()}, {"node", bind.node}, {"status", status}});
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  // One job that the server refuses must not be tried in every cycle.
  absl::Duration& hold = holds_.try_emplace(bind.job, options_.hold_initial).first->second;
  mirror_.HoldJob(bind.job, api_.executor().Now() + hold);
  hold = std::min(2 * hold, options_.hold_max);
  statuses_.WantPodCondition(
      bind.key(), bind.uid, "SchedulerError",
      absl::StrCat("failed to bind to node ", bind.node, ": ", status.message()), true);
  Finish(bind);
}

void EffectWriter::Finish(const Urgent& urgent) {
  if (!urgent.node.empty()) AddUnderWay(-1);
}

net::Awaitable<void> EffectWriter::Evict(Urgent eviction) {
  client::DeleteOptions options;
  options.uid = eviction.uid;
  const absl::Status status = co_await api_.Evict(eviction.ns, eviction.name, options);
  if (status.ok() || absl::IsNotFound(status)) {
    Count(EffectKind::kEvict, EffectOutcome::kOk);
    client::EventObject object;
    object.kind = "Pod";
    object.namespace_name = eviction.ns;
    object.name = eviction.name;
    object.uid = eviction.uid;
    std::string message = absl::StrCat("Pod is evicted, because of ", eviction.action);
    if (!eviction.beneficiary.empty()) absl::StrAppend(&message, ", for ", eviction.beneficiary);
    events_.Record(object, {"Warning", "Evict", std::move(message)});
    co_return;
  }
  // A budget forbids it, or the call failed: the pod stays, and the next cycle decides anew.
  Count(EffectKind::kEvict, EffectOutcome::kFailed);
  Log(LogLevel::kWarning, "pod.eviction_refused", {{"pod", eviction.key()}, {"status", status}});
  mirror_.ForgetAssumption(eviction.key(), eviction.uid);
}

}  // namespace bth::cache
