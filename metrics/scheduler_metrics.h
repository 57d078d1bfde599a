// Everything the scheduler counts, behind typed functions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "metrics/client_metrics.h"
#include "metrics/device_metrics.h"
#include "metrics/registry.h"
#include "metrics/series.h"

namespace bth::metrics {

// Label values of `volcano_task_scheduling_latency_milliseconds`.
enum class TaskMoment { kWatched, kAssumed, kPreBound, kBound };
// Label values of `volcano_scheduling_stage_duration_milliseconds`.
enum class Stage { kPredicate, kScoring, kPreBind, kBind };
enum class SessionMoment { kOpen, kClose };
// Parts of a cycle: publishing the snapshot, opening the session, all actions together, the hooks
// at its close, making the report and handing it over.
enum class Phase { kSnapshot, kOpen, kAction, kClose, kReport };
enum class EffectKind { kBind, kEvict, kPodGroupStatus, kQueueStatus, kPodCondition, kEvent };
enum class EffectOutcome { kOk, kFailed, kSkipped, kRetried };

std::string_view Name(TaskMoment moment);
std::string_view Name(Stage stage);
std::string_view Name(SessionMoment moment);
std::string_view Name(Phase phase);
std::string_view Name(EffectKind kind);
std::string_view Name(EffectOutcome outcome);

// Names with prefix `volcano_` are those of Volcano, with its labels and buckets; what only this
// program knows has the prefix `batholith_`. Lives as long as its registry, which must outlive it.
// Thread: any. Cost: tens of nanoseconds per update; functions that take a plugin's, action's or
// limit's name do one look-up (a few calls per cycle), queues and jobs have handles instead.
class SchedulerMetrics {
 public:
  // Live handles kept at a time; more jobs or queues than this share an inert handle and
  // LimitReached("metric_jobs") or LimitReached("metric_queues") counts them.
  static constexpr size_t kJobsMax = 200'000;
  static constexpr size_t kQueuesMax = 20'000;
  // Different label values of the name-keyed functions below; beyond it they count as "other".
  static constexpr size_t kNamesMax = 256;

  explicit SchedulerMetrics(Registry& registry);
  ~SchedulerMetrics();
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  ClientMetrics& client() { return client_; }
  // Of shared devices. Thread: scheduling.
  DeviceMetrics& devices() { return devices_; }

  // Cycle.
  void CycleDone(absl::Duration whole);
  void SessionOpened(absl::Duration snapshot_and_hooks);
  void PluginLatency(std::string_view plugin, SessionMoment moment, absl::Duration latency);
  void ActionLatency(std::string_view action, absl::Duration latency);
  void PhaseDone(Phase phase, absl::Duration duration);

  // Tasks. `since_creation` counts from the pod's creation.
  void TaskReached(TaskMoment moment, absl::Duration since_creation);
  void StageDone(Stage stage, absl::Duration duration);
  void ScheduleAttempt(std::string_view result);

  // Preemption and eviction.
  void SetPreemptionVictims(int64_t victims);
  void PreemptionAttempt();
  // A plan of which an eviction succeeded; by preempt, reclaim, gangpreempt or gangreclaim alone.
  void EvictionTransaction(std::string_view action);
  void SetUnscheduledJobs(int64_t jobs);
  // Jobs with work to be done after a cycle: looked at in the next one, or left alone because they
  // would be refused again.
  void SetPendingJobs(int64_t active, int64_t unschedulable);
  // What a gate holds after a cycle: jobs, and tasks of theirs that wait. Gates are those of
  // kGateNames.
  void SetHeldJobs(std::string_view gate, int64_t jobs, int64_t tasks);

  // The handle of a job or queue, made on the first call; never null. Keep it beside the row: this
  // call hashes the name. RemoveJob and RemoveQueue take the series away.
  std::shared_ptr<JobSeries> Job(const JobKey& key);
  // The same for a job that was just read: moves the series to its present queue.
  void JobSeen(const JobKey& key, absl::Time created);
  void RemoveJob(std::string_view job_namespace, std::string_view name);
  std::shared_ptr<QueueSeries> Queue(std::string_view queue);
  void RemoveQueue(std::string_view queue);
  // Removes the series of all jobs and queues: everything is read anew.
  void RemoveRows();
  // Jobs and queues that have a handle.
  size_t jobs() const;
  size_t queues() const;
  // Removes those of which `is_there` says no. Cost: all of them.
  void RetainJobs(absl::FunctionRef<bool(std::string_view ns, std::string_view name)> is_there);
  void RetainQueues(absl::FunctionRef<bool(std::string_view name)> is_there);
  // One task of the job was placed: the job's series, and the latency over all jobs.
  void TaskScheduled(JobSeries& job, absl::Time job_created, absl::Time now);

  // Effects on the API server.
  void Effect(EffectKind kind, EffectOutcome outcome, int64_t count = 1);
  void SetEffectQueueDepth(int64_t depth);
  // Bindings and evictions that wait for their next attempt.
  void SetEffectsParked(int64_t parked);

  // A limit named by the code was reached, such as "effect_queue".
  void LimitReached(std::string_view limit);
  void InvariantViolated(std::string_view invariant);
  // A defect of ours ended the work on one object ("object"), a cycle ("cycle") or a snapshot
  // ("mirror"), not the process.
  void DefectContained(std::string_view where);
  // The cluster was read anew because an invariant did not hold or a defect was found.
  void MirrorRebuilt();
  // Gangs of which a binding was refused and that lack members to reach their minimum.
  void SetHalfBoundGangs(int64_t gangs);
  // Nodes of the scheduler's shard; `missing`: there is no NodeShard that says so.
  void SetShard(int64_t nodes, bool missing);
  void ConfReloaded(bool accepted);
  void MalformedObject(std::string_view resource) { client_.MalformedObject(resource); }
  void InformerRelisted(std::string_view resource) { client_.InformerRelisted(resource); }
  void WatchRestarted(std::string_view resource) { client_.WatchRestarted(resource); }

  // Snapshot and placement work of one cycle.
  void SnapshotRowsRewritten(int64_t rows);
  // Entries of a table that outside objects fill, such as "symbols".
  void SetTableEntries(std::string_view table, int64_t entries);
  // Questions for a node that an index answered, and those for which all nodes were asked.
  void IndexLookups(int64_t hits, int64_t misses);

 private:
  // One counter per label value; those that are not published before, when first counted.
  struct NamedCounters {
    CounterFamily family;
    std::string label;
    absl::flat_hash_map<std::string, Counter> series;
  };
  struct NamedHistograms {
    HistogramFamily family;
    absl::flat_hash_map<std::string, Histogram> series;
  };
  // A series that comes into being with its first observation.
  struct LazyHistogram {
    std::once_flag made;
    Histogram histogram;
  };
  static void Publish(NamedCounters& counters, absl::Span<const char* const> values);
  void Count(NamedCounters& counters, std::string_view value);
  // The first label tells the series apart.
  void Observe(NamedHistograms& histograms, LabelSet labels, double value);
  static void ObserveLazily(LazyHistogram& lazy, const HistogramFamily& family, const char* stage,
                            double value);
  void AddVolcanoFamilies(Registry& registry);
  void AddJobFamilies(Registry& registry);
  void AddQueueFamilies(Registry& registry);
  void AddOwnFamilies(Registry& registry);

  ClientMetrics client_;
  DeviceMetrics devices_;

  Histogram cycle_latency_, session_open_latency_, job_latency_;
  Gauge preemption_victims_, unscheduled_jobs_;
  Counter preemption_attempts_;
  HistogramFamily task_latency_, stage_duration_;
  std::array<LazyHistogram, 4> task_moments_, stages_;
  std::array<Histogram, 5> phases_;
  std::array<std::array<Counter, 4>, 6> effects_;
  Gauge effect_queue_depth_, effects_parked_, half_bound_gangs_;
  Gauge active_jobs_, unschedulable_jobs_, shard_nodes_, shard_missing_;
  Counter snapshot_rows_, index_hits_, index_misses_, mirror_rebuilds_;
  std::array<Counter, 2> conf_reloads_;

  std::mutex names_mutex_;                         // Guards the maps below.
  std::array<NamedHistograms, 2> plugin_latency_;  // By SessionMoment.
  NamedHistograms action_latency_;
  struct NamedGauges {
    GaugeFamily family;
    std::string label;
    absl::flat_hash_map<std::string, Gauge> series;
  };
  static void Set(NamedGauges& gauges, std::string_view value, int64_t amount);
  NamedGauges tables_, held_jobs_, held_tasks_;
  NamedCounters attempts_, evictions_, limits_, violations_, defects_;

  std::unique_ptr<QueueFamilies> queue_families_;
  std::unique_ptr<JobFamilies> job_families_;
  mutable std::mutex rows_mutex_;  // Guards the maps below.
  absl::flat_hash_map<std::string, std::shared_ptr<QueueSeries>> queues_;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::shared_ptr<JobSeries>> jobs_;
  absl::flat_hash_map<std::string, std::weak_ptr<JobNameSeries>> job_names_;
  std::shared_ptr<QueueSeries> inert_queue_;
  std::shared_ptr<JobSeries> inert_job_;
};

}  // namespace bth::metrics
