#include "cache/writes/effect_writer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

namespace {

UrgentPod Describe(const model::Snapshot& snapshot, model::TaskId task) {
  const model::TaskNames& names = *snapshot.tasks[task].names;
  const model::JobId job = snapshot.tasks[task].job;
  return {.ns = names.ns,
          .name = names.name,
          .uid = names.uid,
          .job = job.valid() ? snapshot.jobs[job].facts->Key() : "",
          .created_us = names.created_us};
}

// "preempt, for PodGroup ns/g of queue q"
std::string PurposeOf(const model::Snapshot& snapshot, const framework::EvictEffect& wanted) {
  if (!wanted.beneficiary.valid()) return wanted.action;
  const model::TaskRow& task = snapshot.tasks[wanted.beneficiary];
  if (!task.job.valid()) return StrCat(wanted.action, ", for pod ", task.names->Key());
  const model::JobRow& job = snapshot.jobs[task.job];
  if (!job.has_pod_group) return StrCat(wanted.action, ", for pod ", task.names->Key());
  return StrCat(wanted.action, ", for PodGroup ", job.facts->Key(), " of queue ", job.facts->queue);
}

// The share of each job in a batch of evictions.
class JobShares {
 public:
  explicit JobShares(const model::Snapshot& snapshot) : snapshot_(snapshot) {}

  // Null: its job has no PodGroup.
  std::shared_ptr<JobEvictions> Count(model::TaskId victim) {
    const model::JobId job = snapshot_.tasks[victim].job;
    if (!job.valid() || !snapshot_.jobs[job].has_pod_group) return nullptr;
    std::shared_ptr<JobEvictions>& share = shares_[job];
    if (share == nullptr) {
      const model::JobFacts& facts = *snapshot_.jobs[job].facts;
      share = std::make_shared<JobEvictions>(JobEvictions{facts.Key(), facts.uid});
    }
    ++share->open;
    return share;
  }

 private:
  const model::Snapshot& snapshot_;
  std::map<model::JobId, std::shared_ptr<JobEvictions>> shares_;
};

}  // namespace

EffectWriter::EffectWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, EffectWriterOptions options)
    : api_(api),
      mirror_(mirror),
      metrics_(metrics),
      options_(std::move(options)),
      counts_(metrics),
      lanes_(api.executor(), metrics, options_.lanes),
      statuses_(api, mirror, events, metrics, [this] { lanes_.Wake(); }),
      status_work_(*this),
      gangs_(mirror, statuses_, events, metrics, options_.gangs),
      bindings_({api, mirror, events, metrics, lanes_, counts_, options_.attempts}, gangs_,
                statuses_, [this] { Fail(); }),
      evictions_({api, mirror, events, metrics, lanes_, counts_, options_.attempts},
                 {.on_failure = [this] { Fail(); }, .on_eviction = options_.on_eviction}),
      gates_(api, mirror, metrics, options_.gate_removals),
      notices_(events) {
  gates_.OnFailure([this] { Fail(); });
  gangs_.OnRelease([this](const PlacedPod& pod, const std::string& job) { ReleasePod(pod, job); });
  lanes_.OnUrgentDone([&events] { events.Wake(); });
  lanes_.Start({&bindings_, &evictions_}, status_work_);
}

// Lanes end before what they work for.
EffectWriter::~EffectWriter() {
  lanes_.Stop();
}

void EffectWriter::CountRefusedBatch() {
  if (metrics_ != nullptr) metrics_->LimitReached("binds_under_way");
}

// How old jobs are when their tasks get a node.
void EffectWriter::NotePlaced(const framework::EffectBatch& batch) {
  if (metrics_ == nullptr) return;
  const model::Snapshot& snapshot = *batch.snapshot;
  const absl::Time now = api_.executor().Now();
  model::JobId job;
  std::shared_ptr<metrics::JobSeries> series;
  for (const framework::BindEffect& bind : batch.binds) {
    metrics_->TaskReached(metrics::TaskMoment::kAssumed,
                          now - absl::FromUnixMicros(snapshot.tasks[bind.task].names->created_us));
    if (options_.single_pods || !snapshot.tasks[bind.task].job.valid()) continue;
    if (snapshot.tasks[bind.task].job != job) {
      job = snapshot.tasks[bind.task].job;
      const model::JobFacts& facts = *snapshot.jobs[job].facts;
      series = metrics_->Job({facts.ns, facts.name, facts.queue});
    }
    const int64_t created_us = snapshot.jobs[job].facts->created_us;
    metrics_->TaskScheduled(*series, absl::FromUnixMicros(created_us), now);
  }
}

absl::Status EffectWriter::AssumeEvictions(const framework::EffectBatch& batch,
                                           Accepted* accepted) {
  const model::Snapshot& snapshot = *batch.snapshot;
  const auto counted = std::make_shared<bool>(false);
  JobShares shares(snapshot);
  for (const framework::EvictEffect& wanted : batch.evictions) {
    Eviction eviction{Describe(snapshot, wanted.victim)};
    eviction.action = wanted.action;
    eviction.purpose = PurposeOf(snapshot, wanted);
    eviction.counted = counted;
    if (wanted.beneficiary.valid()) {
      eviction.beneficiary = snapshot.tasks[wanted.beneficiary].names->Key();
    }
    BTH_RETURN_IF_ERROR(mirror_.AssumeEviction(eviction.key(), eviction.uid));
    eviction.of_job = shares.Count(wanted.victim);
    accepted->evictions.push_back(std::move(eviction));
  }
  return absl::OkStatus();
}

absl::Status EffectWriter::AssumeNominations(const framework::EffectBatch& batch) {
  for (const framework::PipelineEffect& pipeline : batch.pipelines) {
    const model::TaskNames& names = *batch.snapshot->tasks[pipeline.task].names;
    BTH_RETURN_IF_ERROR(mirror_.AssumeNomination(names.Key(), names.uid,
                                                 batch.snapshot->node_facts(pipeline.node).name));
  }
  return absl::OkStatus();
}

absl::Status EffectWriter::AssumeBindings(const framework::EffectBatch& batch, Accepted* accepted) {
  const model::Snapshot& snapshot = *batch.snapshot;
  for (const framework::BindEffect& wanted : batch.binds) {
    Binding bind{Describe(snapshot, wanted.task)};
    bind.node = snapshot.node_facts(wanted.node).name;
    bind.volumes = wanted.volumes;
    if (bind.volumes != nullptr) {
      BTH_RETURN_IF_ERROR(mirror_.storage().Assume(bind.uid, *bind.volumes, bind.node));
    }
    bind.claims = wanted.claims;
    bind.devices = wanted.devices;
    absl::Status status;
    if (bind.claims != nullptr) status = mirror_.device_claims().Assume(bind.uid, *bind.claims);
    if (status.ok()) {
      status = mirror_.AssumeBinding(bind.key(), bind.uid, bind.node, bind.devices.get());
      if (!status.ok()) mirror_.device_claims().Forget(bind.uid);
    }
    if (!status.ok()) {
      mirror_.storage().Forget(bind.uid);
      return status;
    }
    if (wanted.cpus != nullptr) {
      mirror_.numa().Assume(bind.uid, bind.key(), bind.node, *wanted.cpus);
      bind.cpu_decision = mirror_.numa().DecisionFor(bind.node, *wanted.cpus);
    }
    accepted->bindings.push_back(std::move(bind));
  }
  return absl::OkStatus();
}

void EffectWriter::GiveUp(const framework::EffectBatch& batch, const Accepted& accepted) {
  if (std::any_of(batch.binds.begin(), batch.binds.end(),
                  [](const framework::BindEffect& bind) { return bind.claims != nullptr; })) {
    mirror_.device_claims().NoteGivenBack();
  }
  for (const Binding& done : accepted.bindings) {
    mirror_.storage().Forget(done.uid);
    mirror_.device_claims().Forget(done.uid);
    mirror_.ForgetAssumption(done.key(), done.uid);
  }
  for (const Eviction& done : accepted.evictions) mirror_.ForgetAssumption(done.key(), done.uid);
  for (const framework::PipelineEffect& pipeline : batch.pipelines) {
    const model::TaskNames& names = *batch.snapshot->tasks[pipeline.task].names;
    mirror_.ForgetNomination(names.Key(), names.uid);
  }
}

absl::Status EffectWriter::Assume(const framework::EffectBatch& batch, Accepted* accepted) {
  absl::Status status = AssumeEvictions(batch, accepted);
  if (status.ok()) status = AssumeNominations(batch);
  if (status.ok()) status = AssumeBindings(batch, accepted);
  if (!status.ok()) GiveUp(batch, *accepted);
  return status;
}

void EffectWriter::TellWithoutDevices(const framework::EffectBatch& batch) {
  const model::Snapshot& snapshot = *batch.snapshot;
  const std::string reason(framework::kReasonUnschedulable);
  std::map<std::string, std::string> whys;  // By job.
  std::vector<UrgentPod> others;
  for (const framework::BindEffect& bind : batch.binds) {
    UrgentPod pod = Describe(snapshot, bind.task);
    if (!bind.lacks_devices()) {
      others.push_back(std::move(pod));
      continue;
    }
    const std::string what = StrCat("cannot be bound to node ", snapshot.node_facts(bind.node).name,
                                    ": ", bind.claims->why_not);
    const auto [first, fresh] = whys.try_emplace(pod.job, StrCat("pod ", pod.key(), " ", what));
    gangs_.BindingFailed(pod.job, BindFailure::kRefused, first->second,
                         api_.executor().Monotonic());
    statuses_.WantPodCondition(pod.key(), pod.uid, reason, what, false);
  }
  for (const UrgentPod& pod : others) {
    const auto why = whys.find(pod.job);
    if (pod.job.empty() || why == whys.end()) continue;
    statuses_.WantPodCondition(pod.key(), pod.uid, reason,
                               StrCat("was to be bound with others of its job: ", why->second),
                               false);
  }
}

void EffectWriter::Take(framework::EffectBatch batch) {
  gangs_.LookBack(api_.executor().Monotonic());
  for (const framework::BindEffect& bind : batch.binds) {
    const model::JobId job = batch.snapshot->tasks[bind.task].job;
    if (job.valid()) gangs_.BatchComes(batch.snapshot->jobs[job].facts->Key());
  }
  Accepted accepted;
  if (const absl::Status status = Assume(batch, &accepted); !status.ok()) {
    Log(LogLevel::kInfo, "effects.batch_outdated", {{"reason", status.message().data()}});
    TellWithoutDevices(batch);
    gangs_.BatchCame();
    AddUnderWay(-static_cast<int64_t>(batch.binds.size()));
    if (metrics_ != nullptr) {
      metrics_->Effect(EffectKind::kBind, EffectOutcome::kSkipped,
                       static_cast<int64_t>(batch.binds.size()));
    }
    return;
  }
  if (options_.on_batch) options_.on_batch(batch);
  for (Binding& bind : accepted.bindings) {
    gangs_.BindingBegins(bind.job);
    bindings_.Add(std::move(bind));
  }
  for (Eviction& eviction : accepted.evictions) evictions_.Add(std::move(eviction));
  NotePlaced(batch);
}

void EffectWriter::Take(framework::CycleReport report) {
  if (options_.on_report) options_.on_report(report);
  if (options_.single_pods) {
    report.pod_groups.clear();
    report.backoff_pod_groups.clear();
    report.queues.clear();
    report.queue_notices.clear();
  }
  gates_.Take(report);
  bindings_.GiveBackLeft(report);
  notices_.Take(report);
  statuses_.Take(std::move(report));
}

net::Awaitable<void> EffectWriter::Statuses::SendOne() {
  std::string object;
  const absl::Status status = co_await writer_.statuses_.SendOne(&object);
  if (absl::IsResourceExhausted(status)) {
    writer_.lanes_.NoteBusy(
        object, client::RetryAfter(status).value_or(writer_.options_.attempts.retry.first));
  } else if (status.ok()) {
    writer_.lanes_.NoteAnswer();
  }
}

void EffectWriter::ReleasePod(const PlacedPod& pod, const std::string& job) {
  Eviction eviction{{.ns = pod.ns, .name = pod.name, .uid = pod.uid, .job = job}};
  eviction.action = "a gang that cannot be completed";
  eviction.purpose = eviction.action;
  if (!mirror_.AssumeEviction(eviction.key(), eviction.uid).ok()) return;
  evictions_.Add(std::move(eviction));
}

}  // namespace bth::cache
