#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "api/types/queue.h"
#include "base/defect.h"
#include "base/log.h"
#include "base/strings.h"
#include "cache/intake/object_key.h"
#include "cache/intake/single_pod.h"
#include "client/event_object.h"
#include "scheduler/cluster_dump.h"

namespace bth::scheduler {
namespace {

// Of news, after which a snapshot is taken that nothing else asks for: without one, the rows of
// what is gone are not used again.
constexpr uint64_t kRestBatches = 256;

void CountEvent(metrics::SchedulerMetrics& metrics, client::EventFate fate) {
  using metrics::EffectOutcome;
  constexpr EffectOutcome kOutcomes[] = {EffectOutcome::kOk, EffectOutcome::kRetried,
                                         EffectOutcome::kFailed, EffectOutcome::kSkipped,
                                         EffectOutcome::kSkipped};
  metrics.Effect(metrics::EffectKind::kEvent, kOutcomes[static_cast<size_t>(fate)]);
  if (fate == client::EventFate::kOverflow) metrics.LimitReached("event_queue");
}

client::EventRecorderOptions RecorderOptions(const SchedulerOptions& options,
                                             metrics::SchedulerMetrics* metrics,
                                             std::function<bool()> gate,
                                             std::function<int64_t()> waiting) {
  client::EventRecorderOptions out;
  out.component = options.scheduler_names.size() == 1 ? options.scheduler_names.front() : "volcano";
  out.gate = std::move(gate);
  if (metrics != nullptr) {
    out.on_fate = [metrics, waiting = std::move(waiting)](client::EventFate fate) {
      CountEvent(*metrics, fate);
      metrics->SetTableEntries("events_waiting", waiting());
    };
  }
  return out;
}

cache::Responsibility ResponsibilityOf(const SchedulerOptions& options) {
  cache::Responsibility out;
  out.single_pods = options.single_pods;
  out.scheduler_names = {options.scheduler_names.begin(), options.scheduler_names.end()};
  out.node_labels = options.node_labels;
  out.priority_classes = options.priority_classes;
  out.disruption_budgets = options.disruption_budgets;
  out.workloads = options.workloads;
  out.storage_capacity = options.storage_capacity;
  out.pod_level_resources = options.pod_level_resources;
  out.spread_by_own_labels = options.spread_by_own_labels;
  out.device_taint_rules = options.device_taint_rules;
  out.extended_devices = options.extended_devices;
  return out;
}

cache::EffectWriterOptions WriterOptions(const SchedulerOptions& options, WorkLog* log) {
  cache::EffectWriterOptions out;
  out.single_pods = options.single_pods;
  out.gate_removals = options.gate_removals;
  out.on_batch = [log](const framework::EffectBatch& batch) { log->Batch(batch); };
  out.on_eviction = [log](const cache::Eviction& eviction) { log->Evicted(eviction); };
  out.on_report = [log](const framework::CycleReport& report) { log->Report(report); };
  return out;
}

std::pair<std::string, absl::Duration> SlowestOf(const framework::CycleStats& stats) {
  std::pair<std::string, absl::Duration> slowest = {"open", stats.open};
  for (const auto& action : stats.actions) {
    if (action.second > slowest.second) slowest = action;
  }
  if (stats.close > slowest.second) slowest = {"close", stats.close};
  return slowest;
}

}  // namespace

Scheduler::Scheduler(SchedulerContext context, SchedulerOptions options)
    : context_(context),
      options_(std::move(options)),
      rng_(options_.seed),
      mirror_(context.clock, {.default_queue = options_.default_queue, .shard = options_.shard}),
      events_(context.api, rng_,
              RecorderOptions(
                  options_, context.metrics, [this] { return writer_.urgent_idle(); },
                  [this] { return static_cast<int64_t>(events_.waiting()); })),
      work_log_(context.executor),
      writer_(context.api, mirror_, events_, context.metrics, WriterOptions(options_, &work_log_)),
      effects_(context.executor, writer_),
      policy_file_(context.executor, context.registry, context.metrics, options_.policy),
      notices_(context.metrics),
      set_aside_(context.metrics),
      outside_({context.executor, context.api, mirror_, context.metrics, context.transports},
               {.loads = [this] { Kick(); },
                .load_error = [this](const absl::Status& status) { NoteLoadError(status); }}),
      worker_(std::make_shared<CycleWorker>(
          CycleWorkerContext{context.clock, context.metrics, outside_.extender(), effects_},
          CycleWorkerOptions{.seed = options_.seed,
                             .check_every = options_.check_invariants_every,
                             .lifts_queue_gates = options_.gate_removals > 0,
                             .scores_volumes = options_.scores_volumes})),
      guard_(options_.invariants),
      device_config_(context_.api,
                     [this] {
                       LookAtNeeds();
                       Kick();
                     }),
      pace_(options_.pace),
      standing_queues_(context_.executor, context_.api, events_, options_.default_queue),
      shard_(context_.api, mirror_, context_.metrics, [this] { TellShard(); }),
      orphaned_reports_(
          context_.executor, context_.api,
          [this](const std::string& node) { return mirror_.NodeNamed(node) != nullptr; },
          context_.metrics) {
  writer_.OnFailure([this] { Kick(); });
  writer_.statuses().SetReword(options_.reword_delay);
  // What was cut off may have left the mirror, or a decision about it, half done.
  escapes_ = context_.executor.barrier().Listen([this](const net::Escape& escape) {
    if (escape.consequence == net::Consequence::kLost) Doubt();
  });
  MakeFeed();
}

Scheduler::~Scheduler() {
  if (timer_ != 0) context_.executor.CancelTimer(timer_);
  if (notice_timer_ != 0) context_.executor.CancelTimer(notice_timer_);
}

absl::Status Scheduler::LoadPolicy() {
  auto policy = policy_file_.Load();
  if (!policy.ok()) return policy.status();
  Adopt(**policy);
  if (feed_is_stale_) MakeFeed();  // It has not begun yet.
  worker_->Install(*std::move(policy));
  const auto install = [this](std::unique_ptr<framework::PolicyInstance> next) {
    Adopt(*next);
    InstallPolicy(std::move(next));
    policy_changed_ = true;
    Kick();
  };
  policy_file_.Watch(install, [this](const absl::Status& status) { TellPolicyRefused(status); });
  return absl::OkStatus();
}

// What the policy needs from elsewhere is on its way when its first cycle begins.
void Scheduler::Adopt(const framework::PolicyInstance& policy) {
  const framework::PluginNeeds needs = policy.needs();
  outside_.Adopt(policy.policy(), needs);
  device_config_.Want(needs.devices);
  needed_.documents = needs.documents;
  needed_.numa_reports = needs.numa_reports && options_.numa_reports;
  LookAtNeeds();
}

// What plugins need may be another than what the feed reads.
void Scheduler::LookAtNeeds() {
  needed_.devices = device_config_.settings();
  feed_is_stale_ = needed_ != fed_;
}

void Scheduler::InstallPolicy(std::unique_ptr<framework::PolicyInstance> next) {
  auto shared = std::make_shared<std::unique_ptr<framework::PolicyInstance>>(std::move(next));
  context_.runner.Run([worker = worker_, shared] { worker->Install(std::move(*shared)); });
}

void Scheduler::MakeFeed() {
  FeedOptions options{ResponsibilityOf(options_), reads_newest_,
                      options_.shard.mode != model::ShardMode::kNone};
  options.responsibility.documents = needed_.documents;
  options.responsibility.numa_reports = needed_.numa_reports;
  options.responsibility.devices = needed_.devices;
  mirror_.CountDevices(needed_.devices);
  if (options_.single_pods) mirror_.PutQueue(cache::SinglePodQueue());
  fed_ = needed_;
  feed_is_stale_ = false;
  feed_ = std::make_unique<Feed>(
      context_.api,
      FeedTargets{
          .mirror = mirror_,
          .notices = notices_,
          .set_aside = set_aside_,
          .on_batch = [this] { OnBatch(); },
          .on_queue_gone = [this](const std::string& name) { standing_queues_.NoteGone(name); },
          .on_report_orphaned = [this](
                                    const std::string& node,
                                    const std::string& uid) { orphaned_reports_.Add(node, uid); },
          .on_defect = [this](bool whole) { NoteMirrorDefect(whole); }},
      std::move(options), context_.metrics, rng_);
}

void Scheduler::StartCache() {
  feed_->Start();
  device_config_.Start();
  sync_.Keep(context_.executor, "first_lists", [this] { return AwaitSync(); });
}

// No decision before every first list is in; who is late is named, again and again.
net::Awaitable<void> Scheduler::AwaitSync() {
  const absl::Duration begin = context_.executor.Monotonic();
  while (!feed_->AllSynced()) {
    const absl::Status status = co_await feed_->WaitForSync(options_.sync_timeout);
    if (!status.ok()) Log(LogLevel::kWarning, "cache.not_synced", {{"status", status}});
  }
  Log(LogLevel::kInfo, "cache.synced", {{"took", context_.executor.Monotonic() - begin}});
  Kick();
}

void Scheduler::Lead() {
  if (leading_) return;
  leading_ = true;
  if (!options_.single_pods) {
    standing_queues_.Start();
    orphaned_reports_.Start();
  }
  Kick();
}

bool Scheduler::idle() const {
  return !running_ && timer_ == 0 && !mirror_.changed() && drained();
}

void Scheduler::Doubt() {
  guard_.Doubt(context_.executor.Monotonic());
  Kick();
}

void Scheduler::OnBatch() {
  ++batches_;
  writer_.Review();
  if (!running_) feed_->DropSeries();
  TellNotices();
  TellShard();
  RestRows();
  Kick();
}

// Who has stood by since its start takes a snapshot now and then, for nobody; one that has decided
// remembers what changed since the last it saw, and has a cycle instead.
void Scheduler::RestRows() {
  if (leading_ || cycles_ > 0 || !feed_->AllSynced() || device_config_.pending()) return;
  if (batches_ >= kRestBatches) Publish();
}

// A running cycle may still use what has left the shard since it began.
void Scheduler::TellShard() {
  if (options_.shard.mode == model::ShardMode::kNone) return;
  if (!running_ && MayLead() && feed_->AllSynced()) shard_.Tell();
}

void Scheduler::Kick() {
  if (!MayLead() || running_ || !feed_->AllSynced() || device_config_.pending()) return;
  const absl::Duration now = context_.executor.Monotonic();
  absl::Duration at = absl::InfiniteDuration();
  if (mirror_.changed() || policy_changed_ || cycles_ == 0) {
    at = pace_.NextStart(now);
  } else if (mirror_.statuses_changed() && (!options_.single_pods || batches_ >= kRestBatches)) {
    at = std::max(now + options_.status_delay, pace_.paid_at());
  }
  const absl::Duration pause = std::min(mirror_.UntilNextDeadline(), writer_.UntilGangRelease());
  at = std::min(at, now + std::max(pause, absl::ZeroDuration()));
  at = std::min({at, not_after_, guard_.rebuild_at()});
  if (at == absl::InfiniteDuration()) return;
  if (timer_ != 0) {
    if (timer_at_ <= at) return;
    context_.executor.CancelTimer(timer_);
  }
  timer_at_ = at;
  timer_ = context_.executor.RunAfter(std::max(at - now, absl::ZeroDuration()), [this] {
    timer_ = 0;
    StartCycle();
  });
}

void Scheduler::StartCycle() {
  if (!MayLead() || running_ || device_config_.pending()) return;
  const absl::Duration now = context_.executor.Monotonic();
  if (guard_.rebuild_at() <= now || feed_is_stale_) {
    ReadAnew();
    return;
  }
  policy_changed_ = false;
  const absl::Duration start = context_.clock.Monotonic();
  std::shared_ptr<const model::Snapshot> snapshot = Publish();
  if (snapshot == nullptr) {
    timer_at_ = guard_.rebuild_at();
    timer_ = context_.executor.RunAfter(std::max(timer_at_ - now, absl::ZeroDuration()), [this] {
      timer_ = 0;
      StartCycle();
    });
    return;
  }
  feed_->TellHyperNodes();
  TellNotices();  // Nothing else may come that would.
  if (options_.on_snapshot) options_.on_snapshot(context_.clock.Monotonic() - start);
  if (context_.metrics != nullptr) {
    context_.metrics->PhaseDone(metrics::Phase::kSnapshot, context_.clock.Monotonic() - start);
    context_.metrics->SnapshotRowsRewritten(mirror_.rows_rewritten() - rows_published_);
    rows_published_ = mirror_.rows_rewritten();
  }
  auto work = [this, worker = worker_, snapshot = std::move(snapshot), stops = guard_.stops(),
               check = guard_.suspicious(now)]() mutable {
    const absl::Duration begin = context_.clock.Monotonic();
    const bool jobs_wait = !snapshot->active_jobs->empty();
    Outcome outcome;
    outcome.of_cycle = worker->Run(std::move(snapshot), std::move(stops), check);
    bool cut_short = false;
    if (outcome.of_cycle.status.ok()) {
      const framework::Session& session = worker->cycle()->session();
      outcome.keeps_gangs = !session.hooks().job_ready.empty();
      cut_short = session.was_cut_short();
      outcome.slowest = SlowestOf(worker->cycle()->stats());
    }
    // Shuffle may name running pods though nobody waits.
    const bool may_act = jobs_wait || worker->policy().policy().HasAction("shuffle");
    outcome.waits_on_time = may_act && (cut_short || worker->policy().follows_clock());
    outcome.took = context_.clock.Monotonic() - begin;
    context_.executor.Post(
        [this, outcome = std::move(outcome)]() mutable { CycleEnded(std::move(outcome)); });
  };
  running_ = true;  // From here on CycleEnded comes, whatever happens.
  context_.runner.Run(std::move(work));
}

// The mirror, and what cycles remember, are not trusted any more: everything comes from the API
// server again. What is under way goes first, so that the new lists show it and nothing is decided
// twice. Jobs that back off are tried again.
void Scheduler::ReadAnew() {
  if (!writer_.urgent_idle()) {
    timer_at_ = context_.executor.Monotonic() + absl::Milliseconds(50);
    timer_ = context_.executor.RunAfter(absl::Milliseconds(50), [this] {
      timer_ = 0;
      StartCycle();
    });
    return;
  }
  if (feed_is_stale_) {
    Log(LogLevel::kInfo, "feed.replaced", {{"reason", "the policy needs objects in another form"}});
  } else {
    Log(LogLevel::kWarning, "mirror.read_anew", {{"times", guard_.rebuilds() + 1}});
    if (context_.metrics != nullptr) context_.metrics->MirrorRebuilt();
  }
  sync_.Stop();
  feed_.reset();
  mirror_.StartOver();
  writer_.StartOver();
  reads_newest_ = true;
  if (context_.metrics != nullptr) context_.metrics->RemoveRows();
  if (!feed_is_stale_) guard_.Rebuilt();
  if (auto policy = policy_file_.Remake(); policy.ok()) InstallPolicy(*std::move(policy));
  MakeFeed();
  StartCache();
}

// Null: the mirror is not fit for it, and will be read anew.
std::shared_ptr<const model::Snapshot> Scheduler::Publish() {
  batches_ = 0;
  try {
    return mirror_.Publish();
  } catch (const std::exception& error) {
    Log(LogLevel::kError, "defect.mirror", {{"what", error.what()}, {"where", WhereOf(error)}});
  }
  if (context_.metrics != nullptr) context_.metrics->DefectContained("mirror");
  NoteMirrorDefect(false);
  return nullptr;
}

void Scheduler::NoteMirrorDefect(bool whole) {
  const absl::Duration now = context_.executor.Monotonic();
  if (whole) return guard_.Doubt(now);
  InvariantRecord record;
  record.at = context_.clock.Now();
  record.invariant = "mirror_whole";
  record.detail = "a defect left the mirror half changed";
  guard_.Note({std::move(record)}, now);
}

// The job that the cycle failed with leaves, and the next one goes on without it. What plugins
// remember of earlier cycles may be half changed, too.
void Scheduler::EndDefect(const CycleDefect& defect) {
  Log(LogLevel::kError, "defect.cycle",
      {{"what", defect.what}, {"where", defect.where}, {"job", defect.job}});
  if (context_.metrics != nullptr) context_.metrics->DefectContained("cycle");
  if (auto policy = policy_file_.Remake(); policy.ok()) InstallPolicy(*std::move(policy));
  const std::optional<cache::GangView> gang = mirror_.Gang(defect.job);
  if (!gang || gang->uid != defect.job_uid) {
    guard_.Doubt(context_.executor.Monotonic());
    return;
  }
  const std::string version = mirror_.ShownOf(defect.job)->resource_version;
  const auto [ns, name] = cache::SplitKey(defect.job);
  if (options_.single_pods) {
    feed_->SetPodAside({ns, name, defect.job_uid}, defect.what);
  } else {
    feed_->SetGroupAside({ns, name, defect.job_uid}, version, defect.what);
  }
  TellNotices();
}

void Scheduler::CycleEnded(Outcome outcome) {
  running_ = false;
  ++cycles_;
  feed_->DropSeries();
  CycleWorker::Result& result = outcome.of_cycle;
  if (!result.status.ok()) Log(LogLevel::kError, "cycle.failed", {{"status", result.status}});
  if (result.defect) EndDefect(*result.defect);
  work_log_.CycleEnded(outcome.took, std::move(outcome.slowest));
  ExplainGroupless();
  TellShard();
  writer_.ReviewGangs(outcome.keeps_gangs);
  const absl::Duration now = context_.executor.Monotonic();
  pace_.Ended(now, outcome.took);
  if (context_.metrics != nullptr) {
    tables_.Look(mirror_, *context_.metrics);
    tables_.LookAtEvents(events_.waiting(), events_.counters(), *context_.metrics);
  }
  TellViolations(result.violations);
  guard_.Note(std::move(result.violations), now);
  not_after_ = outcome.waits_on_time ? std::max(now + options_.period, pace_.paid_at())
                                     : absl::InfiniteDuration();
  Kick();
}

// Pods without a PodGroup are in no job, so no cycle speaks of them.
void Scheduler::ExplainGroupless() {
  const bool pods_changed = mirror_.TakeGrouplessChanged();
  const auto* const claims = mirror_.device_claims().published();
  const uint64_t shown = claims == nullptr ? 0 : claims->generation;
  const bool claims_changed = std::exchange(claims_looked_at_, shown) != shown;
  if (pods_changed || claims_changed) writer_.GiveBackLeftWithoutGroup();
  if (!pods_changed) return;
  constexpr size_t kPodsMax = 10'000;
  for (const cache::GrouplessPod& pod : mirror_.PodsWithoutGroup(kPodsMax)) {
    std::string message = GrouplessMessage(pod.group);
    if (!set_aside_.empty() && !pod.group.empty()) {
      const auto [ns, name] = cache::SplitKey(pod.group);
      if (set_aside_.Knows("PodGroup", {ns, name, ""})) {
        message = StrCat("pod waits: its PodGroup ", pod.group,
                         " is left aside after a defect of the scheduler, see its events");
      }
    }
    writer_.statuses().WantPodCondition(pod.key, pod.uid, "Unschedulable", message, false);
  }
}

std::string GrouplessMessage(std::string_view group) {
  if (group.empty()) {
    return "pod waits for a PodGroup: it has no annotation scheduling.k8s.io/group-name";
  }
  return StrCat("pod waits for a PodGroup: ", group, " does not exist");
}

absl::StatusOr<std::unique_ptr<net::ByteStream>> Scheduler::Dump() {
  if (!dump_.expired()) return absl::ResourceExhaustedError("another dump is under way");
  ClusterDumpOptions options{ResponsibilityOf(options_), options_.default_queue, options_.shard,
                             std::make_shared<char>()};
  options.responsibility.numa_reports = needed_.numa_reports;
  dump_ = options.turn;
  return std::make_unique<ClusterDump>(context_.api, mirror_, std::move(options));
}

void Scheduler::Inspect(ReadCycle read, std::function<void(std::string)> done) {
  context_.runner.Run([this, worker = worker_, read = std::move(read), done = std::move(done)] {
    std::string text;
    try {
      text = read(worker->cycle());
    } catch (...) {
      context_.executor.barrier().Caught("cycle.inspection", net::Consequence::kFailed);
    }
    context_.executor.Post([done, text = std::move(text)]() mutable { done(std::move(text)); });
  });
}

}  // namespace bth::scheduler
