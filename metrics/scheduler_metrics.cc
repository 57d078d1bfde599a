#include "metrics/scheduler_metrics.h"

#include <utility>

#include "base/strings.h"
#include "metrics/known_names.h"
#include "metrics/series_families.h"

namespace bth::metrics {
namespace {

constexpr std::array<const char*, 4> kTaskMoments = {"Watched", "Assumed", "PreBound", "Bound"};
constexpr std::array<const char*, 4> kStages = {"Predicate", "Scoring", "PreBind", "Bind"};
constexpr std::array<const char*, 2> kSessionMoments = {"OnSessionOpen", "OnSessionClose"};
constexpr std::array<const char*, 5> kPhases = {"snapshot", "open", "action", "close", "report"};
constexpr std::array<const char*, 6> kEffects = {"bind",         "evict",         "podgroup_status",
                                                 "queue_status", "pod_condition", "event"};
constexpr std::array<const char*, 4> kOutcomes = {"ok", "failed", "skipped", "retried"};
constexpr std::array<const char*, kQueueAmounts> kAmounts = {
    "allocated", "request", "deserved", "capacity", "real_capacity", "inqueue"};

// Seconds: three per decade, in round numbers.
Buckets PhaseBuckets() {
  return {0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
          0.05,   0.1,    0.2,    0.5,   1,     2,     5,    10};
}

template <typename Enum>
size_t Index(Enum value) {
  return static_cast<size_t>(value);
}

}  // namespace

std::string_view Name(TaskMoment moment) {
  return kTaskMoments[Index(moment)];
}
std::string_view Name(Stage stage) {
  return kStages[Index(stage)];
}
std::string_view Name(SessionMoment moment) {
  return kSessionMoments[Index(moment)];
}
std::string_view Name(Phase phase) {
  return kPhases[Index(phase)];
}
std::string_view Name(EffectKind kind) {
  return kEffects[Index(kind)];
}
std::string_view Name(EffectOutcome outcome) {
  return kOutcomes[Index(outcome)];
}

SchedulerMetrics::SchedulerMetrics(Registry& registry)
    : client_(registry),
      devices_(registry),
      queue_families_(std::make_unique<QueueFamilies>()),
      job_families_(std::make_unique<JobFamilies>()) {
  AddVolcanoFamilies(registry);
  AddJobFamilies(registry);
  AddQueueFamilies(registry);
  AddOwnFamilies(registry);
  inert_queue_ = std::make_shared<QueueSeries>(*queue_families_, "");
  inert_queue_->Retire();
  inert_job_ = std::make_shared<JobSeries>(*job_families_, JobKey{}, nullptr);
}

// Handles that outlive this object are made to do nothing.
SchedulerMetrics::~SchedulerMetrics() {
  RemoveRows();
}

void SchedulerMetrics::AddVolcanoFamilies(Registry& registry) {
  cycle_latency_ = registry
                       .AddHistogram("volcano_e2e_scheduling_latency_milliseconds",
                                     "Duration of a whole cycle.", GeometricBuckets(1, 5000, 20))
                       .With();
  session_open_latency_ = registry
                              .AddHistogram("volcano_open_session_duration_milliseconds",
                                            "Taking the snapshot and opening all plugins.",
                                            GeometricBuckets(1, 5000, 20))
                              .With();
  job_latency_ = registry
                     .AddHistogram("volcano_e2e_job_scheduling_latency_milliseconds",
                                   "From the creation of a job to the placement of its tasks.",
                                   GeometricBuckets(100, 120000, 30))
                     .With();
  const HistogramFamily plugins = registry.AddHistogram(
      "volcano_plugin_scheduling_latency_milliseconds",
      "A plugin's work at session open and close.", GeometricBuckets(0.1, 100, 15));
  for (NamedHistograms& at_moment : plugin_latency_) at_moment.family = plugins;
  action_latency_.family =
      registry.AddHistogram("volcano_action_scheduling_latency_milliseconds",
                            "Duration of an action.", GeometricBuckets(1, 2000, 20));
  task_latency_ = registry.AddHistogram("volcano_task_scheduling_latency_milliseconds",
                                        "From the creation of a pod to a stage of its way.",
                                        GeometricBuckets(50, 60000, 30));
  stage_duration_ = registry.AddHistogram("volcano_scheduling_stage_duration_milliseconds",
                                          "Duration of one step on the way of a task.",
                                          GeometricBuckets(0.1, 500, 20));
  attempts_ = {registry.AddCounter("volcano_schedule_attempts_total",
                                   "Attempts to schedule a pod, by result."),
               "result",
               {}};
  preemption_victims_ =
      registry
          .AddGauge("volcano_pod_preemption_victims", "Victims offered for the node examined last.")
          .With();
  preemption_attempts_ =
      registry.AddCounter("volcano_total_preemption_attempts", "Nodes tried with valid victims.")
          .With();
  evictions_ = {registry.AddCounter("volcano_eviction_transactions_total",
                                    "Committed statements with at least one eviction."),
                "action",
                {}};
  unscheduled_jobs_ =
      registry.AddGauge("volcano_unschedule_job_count", "Jobs that are not ready.").With();
}

void SchedulerMetrics::AddJobFamilies(Registry& registry) {
  JobFamilies& jobs = *job_families_;
  jobs.duration = registry.AddGauge("volcano_e2e_job_scheduling_duration",
                                    "Milliseconds from the job's creation to its last placement.");
  jobs.start_time = registry.AddGauge("volcano_e2e_job_scheduling_start_time",
                                      "When the job was created, in Unix seconds.");
  jobs.last_time = registry.AddGauge("volcano_e2e_job_scheduling_last_time",
                                     "When a task of the job was placed last, in Unix seconds.");
  jobs.share = registry.AddGauge("volcano_job_share", "Dominant share of the job.");
  jobs.unscheduled_tasks = registry.AddGauge("volcano_unschedule_task_count",
                                             "Tasks the job lacks to reach its minimum.");
  jobs.retries =
      registry.AddCounter("volcano_job_retry_counts", "Cycles that ended without the job ready.");
}

void SchedulerMetrics::AddQueueFamilies(Registry& registry) {
  QueueFamilies& queues = *queue_families_;
  for (size_t k = 0; k < kQueueAmounts; ++k) {
    const std::string kind = kAmounts[k];
    const std::string prefix = "volcano_queue_" + kind;
    queues.milli_cpu[k] =
        registry.AddGauge(prefix + "_milli_cpu", "Millicores of the queue: " + kind + ".");
    queues.memory_bytes[k] =
        registry.AddGauge(prefix + "_memory_bytes", "Memory of the queue: " + kind + ".");
    queues.scalars[k] = registry.AddGauge(
        prefix + "_scalar_resources",
        "Other resources of the queue in thousandths (pods: a count): " + kind + ".");
  }
  queues.share = registry.AddGauge("volcano_queue_share", "Share of the queue.");
  queues.weight = registry.AddGauge("volcano_queue_weight", "Weight of the queue.");
  queues.overused =
      registry.AddGauge("volcano_queue_overused", "1 when the queue uses more than it deserves.");
}

void SchedulerMetrics::AddOwnFamilies(Registry& registry) {
  const HistogramFamily phases =
      registry.AddHistogram("batholith_cycle_phase_duration_seconds",
                            "Duration of the phases of a cycle.", PhaseBuckets());
  for (size_t i = 0; i < kPhases.size(); ++i) phases_[i] = phases.With({{"phase", kPhases[i]}});
  const CounterFamily effects = registry.AddCounter(
      "batholith_effects_total", "Writes to the API server by kind and outcome.");
  for (size_t i = 0; i < kEffects.size(); ++i) {
    for (size_t j = 0; j < kOutcomes.size(); ++j) {
      effects_[i][j] = effects.With({{"kind", kEffects[i]}, {"outcome", kOutcomes[j]}});
    }
  }
  effect_queue_depth_ =
      registry.AddGauge("batholith_effect_queue_depth", "Effects that wait to be sent.").With();
  effects_parked_ = registry
                        .AddGauge("batholith_effects_parked",
                                  "Bindings and evictions that wait for their next attempt.")
                        .With();
  limits_ = {registry.AddCounter("batholith_limit_reached_total",
                                 "Times a built-in limit cut something off."),
             "limit",
             {}};
  Publish(limits_, kLimitNames);
  queue_families_->limits = limits_.family;
  violations_ = {registry.AddCounter("batholith_invariant_violations_total",
                                     "Checks of the program's own state that failed."),
                 "invariant",
                 {}};
  Publish(violations_, kInvariantNames);
  defects_ = {registry.AddCounter("batholith_defects_total",
                                  "Defects of the program that ended the work on one object."),
              "where",
              {}};
  Publish(defects_, kDefectPlaces);
  mirror_rebuilds_ = registry
                         .AddCounter("batholith_mirror_rebuilds_total",
                                     "Times the cluster was read anew after such a check failed.")
                         .With();
  const GaugeFamily pending_jobs =
      registry.AddGauge("batholith_pending_jobs",
                        "Jobs with work to be done: active (looked at in the next cycle) or "
                        "unschedulable (left alone "
                        "until something may help them).");
  active_jobs_ = pending_jobs.With({{"queue", "active"}});
  unschedulable_jobs_ = pending_jobs.With({{"queue", "unschedulable"}});
  half_bound_gangs_ = registry
                          .AddGauge("batholith_half_bound_gangs",
                                    "Gangs below their minimum because a binding was refused.")
                          .With();
  shard_nodes_ =
      registry
          .AddGauge("batholith_shard_nodes", "Nodes of the scheduler's shard; 0 without shards.")
          .With();
  shard_missing_ =
      registry.AddGauge("batholith_shard_missing", "1: the scheduler's NodeShard does not exist.")
          .With();
  const CounterFamily reloads =
      registry.AddCounter("batholith_conf_reloads_total", "Readings of scheduler.conf by result.");
  conf_reloads_ = {reloads.With({{"result", "refused"}}), reloads.With({{"result", "ok"}})};
  snapshot_rows_ = registry
                       .AddCounter("batholith_snapshot_rows_rewritten_total",
                                   "Rows written anew to publish snapshots.")
                       .With();
  tables_ = {
      registry.AddGauge("batholith_table_entries", "Entries of tables that outside objects fill."),
      "table",
      {}};
  held_jobs_ = {registry.AddGauge("batholith_held_jobs",
                                  "Jobs that wait, by the first rule that holds them back."),
                "gate",
                {}};
  held_tasks_ = {registry.AddGauge("batholith_held_tasks",
                                   "Tasks that wait, by the first rule that holds their job back."),
                 "gate",
                 {}};
  for (const char* gate : kGateNames) {
    Set(held_jobs_, gate, 0);
    Set(held_tasks_, gate, 0);
  }
  const CounterFamily lookups =
      registry.AddCounter("batholith_index_lookups_total",
                          "Questions for a node: answered by an index, or by all nodes.");
  index_hits_ = lookups.With({{"result", "hit"}});
  index_misses_ = lookups.With({{"result", "miss"}});
}

void SchedulerMetrics::CycleDone(absl::Duration whole) {
  cycle_latency_.Observe(ToMilliseconds(whole));
}

void SchedulerMetrics::SessionOpened(absl::Duration snapshot_and_hooks) {
  session_open_latency_.Observe(ToMilliseconds(snapshot_and_hooks));
}

void SchedulerMetrics::PluginLatency(std::string_view plugin, SessionMoment moment,
                                     absl::Duration latency) {
  Observe(plugin_latency_[Index(moment)],
          {{"plugin", std::string(plugin)}, {"OnSession", kSessionMoments[Index(moment)]}},
          ToMilliseconds(latency));
}

void SchedulerMetrics::ActionLatency(std::string_view action, absl::Duration latency) {
  Observe(action_latency_, {{"action", std::string(action)}}, ToMilliseconds(latency));
}

void SchedulerMetrics::Observe(NamedHistograms& histograms, LabelSet labels, double value) {
  const std::lock_guard lock(names_mutex_);
  const std::string& name = labels.front().second;
  auto found = histograms.series.find(name);
  if (found == histograms.series.end()) {
    if (histograms.series.size() >= kNamesMax) {
      labels.front().second = "other";
      return histograms.family.With(labels).Observe(value);
    }
    found = histograms.series.emplace(name, histograms.family.With(labels)).first;
  }
  found->second.Observe(value);
}

void SchedulerMetrics::PhaseDone(Phase phase, absl::Duration duration) {
  phases_[Index(phase)].Observe(ToSeconds(duration));
}

void SchedulerMetrics::TaskReached(TaskMoment moment, absl::Duration since_creation) {
  ObserveLazily(task_moments_[Index(moment)], task_latency_, kTaskMoments[Index(moment)],
                ToMilliseconds(since_creation));
}

void SchedulerMetrics::StageDone(Stage stage, absl::Duration duration) {
  ObserveLazily(stages_[Index(stage)], stage_duration_, kStages[Index(stage)],
                ToMilliseconds(duration));
}

void SchedulerMetrics::ObserveLazily(LazyHistogram& lazy, const HistogramFamily& family,
                                     const char* stage, double value) {
  std::call_once(lazy.made, [&] { lazy.histogram = family.With({{"stage", stage}}); });
  lazy.histogram.Observe(value);
}

void SchedulerMetrics::ScheduleAttempt(std::string_view result) {
  Count(attempts_, result);
}

void SchedulerMetrics::SetPreemptionVictims(int64_t victims) {
  preemption_victims_.Set(static_cast<double>(victims));
}

void SchedulerMetrics::PreemptionAttempt() {
  preemption_attempts_.Increment();
}

void SchedulerMetrics::EvictionTransaction(std::string_view action) {
  for (std::string_view counted : {"preempt", "reclaim", "gangpreempt", "gangreclaim"}) {
    if (action == counted) Count(evictions_, action);
  }
}

void SchedulerMetrics::SetPendingJobs(int64_t active, int64_t unschedulable) {
  active_jobs_.Set(static_cast<double>(active));
  unschedulable_jobs_.Set(static_cast<double>(unschedulable));
}

void SchedulerMetrics::SetUnscheduledJobs(int64_t jobs) {
  unscheduled_jobs_.Set(static_cast<double>(jobs));
}

void SchedulerMetrics::Effect(EffectKind kind, EffectOutcome outcome, int64_t count) {
  effects_[Index(kind)][Index(outcome)].Increment(static_cast<double>(count));
}

void SchedulerMetrics::SetEffectQueueDepth(int64_t depth) {
  effect_queue_depth_.Set(static_cast<double>(depth));
}

void SchedulerMetrics::SetEffectsParked(int64_t parked) {
  effects_parked_.Set(static_cast<double>(parked));
}

void SchedulerMetrics::LimitReached(std::string_view limit) {
  Count(limits_, limit);
}

void SchedulerMetrics::InvariantViolated(std::string_view invariant) {
  Count(violations_, invariant);
}

void SchedulerMetrics::DefectContained(std::string_view where) {
  Count(defects_, where);
}

void SchedulerMetrics::SetShard(int64_t nodes, bool missing) {
  shard_nodes_.Set(static_cast<double>(nodes));
  shard_missing_.Set(missing ? 1 : 0);
}

void SchedulerMetrics::MirrorRebuilt() {
  mirror_rebuilds_.Increment();
}

void SchedulerMetrics::SetHalfBoundGangs(int64_t gangs) {
  half_bound_gangs_.Set(static_cast<double>(gangs));
}

void SchedulerMetrics::ConfReloaded(bool accepted) {
  conf_reloads_[accepted ? 1 : 0].Increment();
}

void SchedulerMetrics::SnapshotRowsRewritten(int64_t rows) {
  snapshot_rows_.Increment(static_cast<double>(rows));
}

void SchedulerMetrics::SetTableEntries(std::string_view table, int64_t entries) {
  const std::lock_guard lock(names_mutex_);
  Set(tables_, table, entries);
}

void SchedulerMetrics::SetHeldJobs(std::string_view gate, int64_t jobs, int64_t tasks) {
  const std::lock_guard lock(names_mutex_);
  Set(held_jobs_, gate, jobs);
  Set(held_tasks_, gate, tasks);
}

void SchedulerMetrics::Set(NamedGauges& gauges, std::string_view value, int64_t amount) {
  auto found = gauges.series.find(ToAbsl(value));
  if (found == gauges.series.end()) {
    if (gauges.series.size() >= kNamesMax) return;
    const std::string name(value);
    found = gauges.series.emplace(name, gauges.family.With({{gauges.label, name}})).first;
  }
  found->second.Set(static_cast<double>(amount));
}

void SchedulerMetrics::IndexLookups(int64_t hits, int64_t misses) {
  index_hits_.Increment(static_cast<double>(hits));
  index_misses_.Increment(static_cast<double>(misses));
}

void SchedulerMetrics::Publish(NamedCounters& counters, absl::Span<const char* const> values) {
  for (const char* value : values) {
    counters.series.emplace(value, counters.family.With({{counters.label, value}}));
  }
}

void SchedulerMetrics::Count(NamedCounters& counters, std::string_view value) {
  const std::lock_guard lock(names_mutex_);
  auto found = counters.series.find(ToAbsl(value));
  if (found == counters.series.end()) {
    if (counters.series.size() >= kNamesMax) {
      return counters.family.With({{counters.label, "other"}}).Increment();
    }
    const std::string name(value);
    found = counters.series.emplace(name, counters.family.With({{counters.label, name}})).first;
  }
  found->second.Increment();
}

}  // namespace bth::metrics
