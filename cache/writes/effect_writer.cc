#include "cache/writes/effect_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "base/status.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

namespace {

// The turn of one piece of work; ends with it, however that ends.
class Turn {
 public:
  explicit Turn(int* counter) : counter_(counter) { ++*counter_; }
  Turn(const Turn&) = delete;
  ~Turn() { --*counter_; }

 private:
  int* const counter_;
};

}  // namespace

EffectWriter::EffectWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, EffectWriterOptions options)
    : api_(api),
      mirror_(mirror),
      events_(events),
      metrics_(metrics),
      options_(std::move(options)),
      parked_(api.executor(), [this](Urgent urgent) { Unpark(std::move(urgent)); }),
      statuses_(api, mirror, events, metrics, [this] { Wake(); }),
      gangs_(mirror, statuses_, events, metrics, options_.gangs),
      volumes_(
          api, mirror,
          [this](const std::string& uid, const absl::Status& status) { VolumesDone(uid, status); }),
      gates_(api, mirror, metrics, options_.gate_removals),
      notices_(events) {
  gates_.OnFailure([this] {
    if (on_failure_) on_failure_();
  });
  gangs_.OnRelease([this](const PlacedPod& pod, const std::string& job) { ReleasePod(pod, job); });
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Keep(api_.executor(), "effects.lane", [this] { return Lane(); });
  }
}

EffectWriter::~EffectWriter() {
  api_.executor().CancelTimer(pause_);
}

void EffectWriter::CountRefusedBatch() {
  if (metrics_ != nullptr) metrics_->LimitReached("binds_under_way");
}

void EffectWriter::Count(EffectKind kind, EffectOutcome outcome) {
  if (metrics_ != nullptr) metrics_->Effect(kind, outcome);
}

void EffectWriter::NoteDepth() {
  if (metrics_ != nullptr) metrics_->SetEffectQueueDepth(static_cast<int64_t>(urgent_.size()));
}

// How old jobs are when their tasks get a node.
void EffectWriter::NotePlaced(const framework::EffectBatch& batch) {
  if (metrics_ == nullptr) return;
  const model::Snapshot& snapshot = *batch.snapshot;
  const absl::Time now = api_.executor().Now();
  model::JobId job;
  std::shared_ptr<metrics::JobSeries> series;
  for (const framework::BindEffect& bind : batch.binds) {
    if (!snapshot.tasks[bind.task].job.valid()) continue;
    if (snapshot.tasks[bind.task].job != job) {
      job = snapshot.tasks[bind.task].job;
      const model::JobFacts& facts = *snapshot.jobs[job].facts;
      series = metrics_->Job({facts.ns, facts.name, facts.queue});
    }
    const int64_t created_us = snapshot.jobs[job].facts->created_us;
    metrics_->TaskScheduled(*series, absl::FromUnixMicros(created_us), now);
  }
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
      mirror_.storage().Forget(done.uid);
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
  std::shared_ptr<bool> counted;
  if (!batch.evictions.empty()) counted = std::make_shared<bool>(false);
  for (const framework::EvictEffect& eviction : batch.evictions) {
    Urgent urgent = describe(eviction.victim);
    urgent.action = eviction.action;
    urgent.counted = counted;
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
      const absl::Status taken = mirror_.storage().Assume(urgent.uid, *bind.volumes, urgent.node);
      if (!taken.ok()) return give_up(taken);
    }
    const absl::Status status = mirror_.AssumeBinding(urgent.key(), urgent.uid, urgent.node);
    if (!status.ok()) {
      mirror_.storage().Forget(urgent.uid);
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
  if (options_.on_batch) options_.on_batch(batch);
  for (Urgent& urgent : accepted) {
    if (!urgent.node.empty()) gangs_.BindingBegins(urgent.job);
    if (!urgent.node.empty() && metrics_ != nullptr) {
      metrics_->TaskReached(metrics::TaskMoment::kAssumed,
                            api_.executor().Now() - absl::FromUnixMicros(urgent.created_us));
    }
    urgent_.push_back(std::move(urgent));
    Wake();
  }
  NotePlaced(batch);
  NoteDepth();
}

void EffectWriter::Take(framework::CycleReport report) {
  if (options_.on_report) options_.on_report(report);
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
    const bool paused = pause_ != 0;
    const bool statuses_may_go = urgent_idle() && statuses_in_flight_ < options_.status_lanes;
    if (!paused && !urgent_.empty()) {
      co_await SendUrgent();
    } else if (!paused && statuses_may_go && statuses_.HasWork()) {
      co_await SendStatus();
    } else {
      net::Promised<bool> work(api_.executor());
      sleeping_.push_back(work);
      co_await work.Wait();
    }
  }
}

net::Awaitable<void> EffectWriter::SendUrgent() {
  Urgent next = std::move(urgent_.front());
  urgent_.pop_front();
  NoteDepth();
  {
    const Turn urgent_turn(&urgent_in_flight_);
    const Turn turn(&in_flight_);
    try {
      co_await Send(next);
    } catch (...) {
      api_.executor().barrier().Caught("effects.urgent", net::Consequence::kLost);
      Abandon(next);
    }
  }
  if (!urgent_idle()) co_return;
  events_.Wake();
  if (statuses_.HasWork()) Wake();
}

net::Awaitable<void> EffectWriter::SendStatus() {
  const Turn status_turn(&statuses_in_flight_);
  const Turn turn(&in_flight_);
  Wake();  // More statuses may be sent side by side.
  std::string object;
  const absl::Status status = co_await statuses_.SendOne(&object);
  if (absl::IsResourceExhausted(status)) {
    NoteBusy(object, client::RetryAfter(status).value_or(options_.retry.first));
  } else if (status.ok()) {
    busy_object_.clear();
  }
}

void EffectWriter::ReleasePod(const PlacedPod& pod, const std::string& job) {
  Urgent urgent{.ns = pod.ns, .name = pod.name, .uid = pod.uid, .job = job};
  urgent.action = "a gang that cannot be completed";
  if (!mirror_.AssumeEviction(urgent.key(), urgent.uid).ok()) return;
  urgent_.push_back(std::move(urgent));
  Wake();
}

}  // namespace bth::cache
