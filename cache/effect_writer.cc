#include "cache/effect_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
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
    if (!urgent.node.empty()) ++under_way_of_[urgent.job];
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
  client::EventObject object;
  object.kind = "Pod";
  object.namespace_name = bind.ns;
  object.name = bind.name;
  object.uid = bind.uid;
  events_.Record(object, {"Normal", "Scheduled",
                          absl::StrCat("Successfully assigned ", bind.key(), " to ", bind.node)});
  Finish(bind);
}

void EffectWriter::BindingFailed(const Urgent& bind, BindFailure why, const absl::Status& status) {
  Count(EffectKind::kBind, EffectOutcome::kFailed);
  Log(LogLevel::kWarning, "pod.bind_failed",
      {{"pod", bind.key()}, {"node", bind.node}, {"status", status}});
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  Trouble& trouble = troubles_[bind.job];
  trouble.what = why == BindFailure::kGone
                     ? absl::StrCat("pod ", bind.key(), " was deleted before it was bound")
                     : absl::StrCat("pod ", bind.key(), " could not be bound to node ", bind.node,
                                    ": ", std::string(status.message()));
  Hold(bind.job, why, &trouble);
  if (why != BindFailure::kGone) {
    statuses_.WantPodCondition(
        bind.key(), bind.uid, "SchedulerError",
        absl::StrCat("failed to bind to node ", bind.node, ": ", std::string(status.message())),
        true);
  }
  Finish(bind);
}

// One job that the server refuses must not be tried in every cycle. Failures of the same attempt
// count once.
void EffectWriter::Hold(const std::string& job, BindFailure why, Trouble* trouble) {
  if (why == BindFailure::kGone) {
    if (trouble->next_hold == absl::ZeroDuration()) trouble->why = why;
    return;
  }
  const absl::Time now = api_.executor().Now();
  const bool same_attempt = trouble->held_until > now;
  if (same_attempt && why <= trouble->why) return;
  const auto& [initial, longest] = why == BindFailure::kUnreachable ? options_.hold_unreachable
                                   : why == BindFailure::kConflict  ? options_.hold_conflict
                                                                    : options_.hold_refused;
  const absl::Duration hold = std::clamp(trouble->next_hold, initial, longest);
  trouble->why = why;
  trouble->held_until = now + hold;
  trouble->next_hold = std::min(2 * hold, longest);
  mirror_.HoldJob(job, trouble->held_until);
}

void EffectWriter::ReviewGangs() {
  for (auto it = troubles_.begin(); it != troubles_.end();) {
    const bool done = !under_way_of_.contains(it->first) && Review(it->first, &it->second);
    it = done ? troubles_.erase(it) : std::next(it);
  }
  if (metrics_ == nullptr) return;
  metrics_->SetHalfBoundGangs(std::count_if(troubles_.begin(), troubles_.end(),
                                            [](const auto& t) { return t.second.half_bound; }));
}

bool EffectWriter::Review(const std::string& job, Trouble* trouble) {
  const std::optional<Mirror::GangView> gang = mirror_.Gang(job);
  if (!gang) return true;
  const bool half = gang->half_bound();
  if (half || trouble->half_bound) TellHalfBound(job, *gang, trouble);
  trouble->half_bound = half;
  return !half && gang->pending == 0;
}

void EffectWriter::TellHalfBound(const std::string& job, const Mirror::GangView& gang,
                                 Trouble* trouble) {
  ShownCondition condition;
  if (gang.half_bound()) {
    constexpr const char* kReasons[] = {"ServerUnreachable", "BindingConflict", "PodGone",
                                        "BindingRefused"};
    condition.type = kPartiallyBound;
    condition.status = "True";
    condition.reason = kReasons[static_cast<size_t>(trouble->why)];
    condition.message = absl::StrCat(gang.ready, " of the ", gang.min_available,
                                     " pods that the gang needs are bound: ", trouble->what,
                                     trouble->why == BindFailure::kGone
                                         ? "; it is completed when another pod takes its place"
                                         : "; what is missing is tried again with growing pauses");
  } else {
    condition = NoLongerPartiallyBound(gang);
  }
  if (!trouble->half_bound && condition.status == "True") {
    const size_t slash = job.find('/');
    client::EventObject object;
    object.api_version = types::ResourceTraits<types::PodGroup>::type().ApiVersion();
    object.kind = "PodGroup";
    object.namespace_name = job.substr(0, slash);
    object.name = job.substr(slash + 1);
    object.uid = std::string(gang.uid);
    events_.Record(object, {"Warning", condition.type, condition.message});
  }
  statuses_.WantGroupCondition(job, std::move(condition));
}

void EffectWriter::Finish(const Urgent& urgent) {
  if (urgent.node.empty()) return;
  AddUnderWay(-1);
  auto of_job = under_way_of_.find(urgent.job);
  if (of_job == under_way_of_.end() || --of_job->second > 0) return;
  under_way_of_.erase(of_job);
  auto trouble = troubles_.find(urgent.job);
  if (trouble != troubles_.end() && Review(urgent.job, &trouble->second)) troubles_.erase(trouble);
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
