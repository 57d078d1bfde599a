// The scheduler daemon's heart: when to run a cycle, on what, and who hears of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/effect_queue.h"
#include "cache/writes/effect_writer.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"
#include "metrics/scheduler_metrics.h"
#include "net/http.h"
#include "scheduler/cycle_pace.h"
#include "scheduler/cycle_thread.h"
#include "scheduler/cycle_worker.h"
#include "scheduler/device_config.h"
#include "scheduler/feed.h"
#include "scheduler/invariant_guard.h"
#include "scheduler/object_notices.h"
#include "scheduler/orphaned_reports.h"
#include "scheduler/outside.h"
#include "scheduler/policy_file.h"
#include "scheduler/set_aside.h"
#include "scheduler/shard_status.h"
#include "scheduler/standing_queues.h"
#include "scheduler/table_watch.h"
#include "scheduler/work_log.h"

namespace bth::scheduler {

struct SchedulerOptions {
  std::vector<std::string> scheduler_names = {"volcano"};
  std::string default_queue = "default";
  // Each pod of ours is a job of its own, with no PodGroup and no queue: these are neither read nor
  // written.
  bool single_pods = false;
  // Told how long each snapshot took. May be empty.
  std::function<void(absl::Duration)> on_snapshot;
  // Labels as (key, value): only nodes with one of them are used; none here: all nodes.
  std::vector<std::pair<std::string, std::string>> node_labels;
  bool priority_classes = true;      // Read them; without, jobs have no priority.
  bool disruption_budgets = true;    // Read them; without, plugin pdb knows none.
  bool workloads = true;             // Read them; without, spread by default knows services only.
  bool numa_reports = true;          // Read Numatopologies where a plugin needs them.
  bool storage_capacity = true;      // Read what CSI drivers tell of it; without, there is enough.
  bool pod_level_resources = true;   // Feature PodLevelResources.
  bool spread_by_own_labels = true;  // Feature MatchLabelKeysInPodTopologySpread.
  bool device_taint_rules = false;   // Feature DRADeviceTaintRules.
  bool extended_devices = true;      // Feature DRAExtendedResource.
  bool scores_volumes = false;       // Feature StorageCapacityScoring.
  // Takes Volcano's own scheduling gate off pods that their queue has room for, so many at once; 0:
  // gates are left to others.
  int gate_removals = 0;
  // Which NodeShard says what nodes to use, and how strictly.
  cache::ShardOptions shard;
  PolicyFileOptions policy;
  absl::Duration sync_timeout = absl::Seconds(60);
  // The longest pause between cycles while jobs wait under a policy that follows the clock.
  absl::Duration period = absl::Seconds(1);
  CyclePaceOptions pace;
  // Changes that only statuses follow may wait so long.
  absl::Duration status_delay = absl::Milliseconds(200);
  // Statuses that would be told in other words only, such as another number of nodes, may wait so
  // long.
  absl::Duration reword_delay = absl::Seconds(2);
  // Cycles; 1 in tests. A checked cycle writes nothing until the check is through: below one in a
  // hundred, so that the slowest percent of bindings does not feel it.
  int check_invariants_every = 128;
  InvariantGuardOptions invariants;
  // Asked before each cycle beside leading(): right after a long pause of the process the lease may
  // be lost though nobody has been told yet. Null: yes.
  std::function<bool()> may_lead;
  uint64_t seed = 1;
};

// What the scheduler stands on; all outlive it. `metrics` may be null.
struct SchedulerContext {
  net::Executor& executor;
  client::ApiClient& api;
  const framework::Registry& registry;
  CycleRunner& runner;
  const Clock& clock;
  metrics::SchedulerMetrics* metrics = nullptr;
  client::TransportFactory transports;  // To servers outside the cluster; null: over the network.
};

// Why a pod of ours that no PodGroup claims waits; `group` is the one it names, or empty.
std::string GrouplessMessage(std::string_view group);

// Thread: I/O. Cycles run on the runner's thread; nothing is shared but snapshots and messages.
class Scheduler {
 public:
  Scheduler(SchedulerContext context, SchedulerOptions options);
  ~Scheduler();

  // Reads the policy. A bad one is an error that names the place and the remedy.
  absl::Status LoadPolicy();
  // Starts the informers; the cache is kept warm from now on, also without leading.
  void StartCache();
  // Decides from now on: sees to the standing queues, and runs cycles once all informers synced.
  void Lead();
  // No new cycle from now on; what is under way ends.
  void StopLeading() {
    leading_ = false;
    standing_queues_.Stop();
    orphaned_reports_.Stop();
    outside_.Interrupt();
  }
  bool ready() const { return feed_->AllSynced(); }
  bool leading() const { return leading_; }
  void ReloadPolicy() { policy_file_.Reload(); }

  // True when no cycle runs or is due and every effect is through. For tests and orderly stops.
  bool idle() const;
  // True when no cycle runs and every effect is through, whatever waits for the next cycle.
  bool drained() const { return !running_ && writer_.idle() && events_.idle() && shard_.idle(); }
  uint64_t cycles() const { return cycles_; }
  cache::Mirror& mirror() { return mirror_; }
  // Kinds whose first list is not complete yet.
  std::vector<std::string> unsynced() const { return feed_->Unsynced(); }
  // Definitions without which there is nothing to schedule.
  std::vector<std::string> missing_definitions() const { return feed_->MissingDefinitions(); }
  const InvariantGuard& invariants() const { return guard_; }

  // The cluster as manifests; see cluster_dump.h. kResourceExhausted while another one is read.
  // Lives shorter than the scheduler.
  absl::StatusOr<std::unique_ptr<net::ByteStream>> Dump();

  // Calls `read` on the scheduling thread with the last closed cycle (null before the first), then
  // `done` on the executor.
  using ReadCycle = std::function<std::string(const framework::Cycle*)>;
  void Inspect(ReadCycle read, std::function<void(std::string)> done);

 private:
  void OnBatch();
  void Kick();
  void RestRows();
  // What is known of the cluster may not be so: it is read anew, ever more rarely.
  void Doubt();
  void StartCycle();
  struct Outcome {
    CycleWorker::Result of_cycle;
    absl::Duration took;
    std::pair<std::string, absl::Duration> slowest;  // Part of it.
    bool keeps_gangs = true;                         // The policy does.
    bool waits_on_time = false;  // Time alone may change what the next cycle decides.
  };
  void CycleEnded(Outcome outcome);
  void EndDefect(const CycleDefect& defect);
  void NoteMirrorDefect(bool whole);
  std::shared_ptr<const model::Snapshot> Publish();
  void MakeFeed();
  void InstallPolicy(std::unique_ptr<framework::PolicyInstance> next);
  void Adopt(const framework::PolicyInstance& policy);
  void ReadAnew();
  void LookAtNeeds();
  void TellViolations(const std::vector<InvariantRecord>& violations);
  void ExplainGroupless();
  void TellShard();
  void TellPolicyRefused(const absl::Status& status);
  // Tells what is wrong with objects a moment after it came up.
  void TellNotices();
  void NoteLoadError(const absl::Status& status);
  bool MayLead() const { return leading_ && (!options_.may_lead || options_.may_lead()); }
  net::Awaitable<void> AwaitSync();

  SchedulerContext context_;
  const SchedulerOptions options_;
  Rng rng_;
  cache::Mirror mirror_;
  client::EventRecorder events_;
  WorkLog work_log_;
  cache::EffectWriter writer_;
  cache::EffectQueue effects_;
  PolicyFile policy_file_;
  ObjectNotices notices_;
  SetAside set_aside_;
  net::Executor::TimerId notice_timer_ = 0;
  Outside outside_;
  std::shared_ptr<CycleWorker> worker_;
  InvariantGuard guard_;
  TableWatch tables_;
  bool leading_ = false;
  bool running_ = false;
  DeviceConfigSource device_config_;
  FeedForm needed_;              // By the plugins.
  FeedForm fed_;                 // As the feed was made.
  bool reads_newest_ = false;    // What was bound is forgotten, so lists must show it.
  bool feed_is_stale_ = false;   // It reads objects in another form than plugins need.
  bool policy_changed_ = false;  // Since the last cycle began: what waits may fit now.
  net::Executor::TimerId timer_ = 0;
  absl::Duration timer_at_;
  CyclePace pace_;
  absl::Duration not_after_ = absl::InfiniteDuration();
  uint64_t cycles_ = 0;
  uint64_t claims_looked_at_ =
      0;                        // Generation: what is left with pods without a PodGroup is known.
  uint64_t batches_ = 0;        // Of news, since the last snapshot.
  int64_t rows_published_ = 0;  // Of the mirror's count.
  std::weak_ptr<void> dump_;    // The turn of the one that is read.
  StandingQueues standing_queues_;
  ShardStatus shard_;
  OrphanedReports orphaned_reports_;
  std::shared_ptr<void> escapes_;
  std::unique_ptr<Feed> feed_;  // Near the end: its callbacks use the rest.
  client::Background sync_;
};

}  // namespace bth::scheduler
