// One cycle's view of the cluster: a snapshot, the columns this cycle changes, and the hooks.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/snapshot.h"
#include "framework/hooks/hooks.h"
#include "framework/nodes/shard_rule.h"
#include "framework/report/fit_report.h"
#include "framework/report/reasons.h"
#include "framework/session/culprit.h"
#include "framework/session/notes.h"
#include "framework/session/placements.h"
#include "framework/session/session_context.h"
#include "framework/session/touched_jobs.h"
#include "framework/session/votes.h"

namespace bth::framework {

class NodePicker;
class Topology;

// Where a task is to go.
struct NodeChoice {
  model::NodeId node;           // Invalid: none, and `FitOf` tells why.
  bool on_future_room = false;  // Only fits when releasing pods have left.
};

// Thread: scheduling.
class Session {
 public:
  explicit Session(SessionContext context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The picture at open; never changes.
  const model::Snapshot& base() const { return *context_.snapshot; }
  const SessionContext& context() const { return context_; }
  const model::DimensionTable& dims() const { return *base().dims; }

  const model::TaskRow& task(model::TaskId id) const { return base().tasks[id]; }
  const model::ResourceVec& request(model::TaskId id) const {
    return base().shapes[base().tasks[id].shape].request;
  }
  const model::ShapeRow& shape(model::ShapeId id) const { return base().shapes[id]; }
  const model::JobRow& job(model::JobId id) const { return base().jobs[id]; }
  const model::QueueRow& queue(model::QueueId id) const { return base().queues[id]; }
  const model::NodeFacts& node(model::NodeId id) const { return *base().nodes[id].facts; }

  // Where the tasks are now; changed by statements only.
  Placements& placements() { return placements_; }
  const Placements& placements() const { return placements_; }
  const model::Usage& usage() const { return placements_.usage(); }
  const model::TaskState& state(model::TaskId id) const { return usage().tasks[id]; }
  const model::JobCounts& counts(model::JobId id) const { return usage().jobs[id]; }
  // Pending or empty phase.
  bool IsPendingPhase(model::JobId id) const;

  // What plugins say when they are asked.
  Votes& votes() { return votes_; }
  const Votes& votes() const { return votes_; }
  // What was found out, and is told at close.
  SessionNotes& notes() { return notes_; }
  const SessionNotes& notes() const { return notes_; }

  HookTable& hooks() { return hooks_; }
  const HookTable& hooks() const { return hooks_; }
  // Plugins register their reasons while the session opens.
  ReasonTable& reasons() { return *context_.reasons; }
  const ReasonTable& reasons() const { return *context_.reasons; }
  // Makes what a plugin keeps for this session; it lives as long as the session.
  template <typename T, typename... Args>
  T& Keep(Args&&... args) {
    auto made = std::make_shared<T>(std::forward<Args>(args)...);
    kept_.push_back(made);
    return *made;
  }
  // True when `name` is among the configured actions.
  bool HasAction(std::string_view name) const;
  NodePicker& picker() { return *picker_; }
  // What the scheduler's shard says of nodes.
  const ShardRule& shard() const { return shard_; }
  // Freezes hooks and reasons; called once, after every plugin's open.
  void Freeze();

  // The jobs that actions look at, by (creation, UID): of those with work to be done, all but the
  // ones that were refused before and would be again (UnschedulableJobs).
  const std::vector<model::JobId>& active_jobs() const { return active_jobs_; }
  // The same of the jobs whose queue does not exist.
  const std::vector<model::JobId>& jobs_without_queue() const { return jobs_without_queue_; }
  void SetActiveJobs(std::vector<model::JobId> active, std::vector<model::JobId> without_queue) {
    active_jobs_ = std::move(active);
    jobs_without_queue_ = std::move(without_queue);
  }
  // Jobs whose counts, phase, conditions or events this session changed, in order of change.
  const std::vector<model::JobId>& touched_jobs() const { return touched_.jobs(); }

  // A search of this session ended with a bound on its work, and the next session, though nothing
  // changes, gets further or begins with somebody else. Not for a search that would only be
  // repeated.
  void NoteCutShort() { was_cut_short_ = true; }
  bool was_cut_short() const { return was_cut_short_; }

  // Calls `work`, which is about that job and no other: a defect in it is the job's.
  template <typename Work>
  decltype(auto) WorkOn(model::JobId id, const Work& work) const {
    return culprit_.WorkOn(id, work);
  }
  // The job that a defect was found in; invalid: none was, or nobody knows.
  model::JobId culprit() const { return culprit_.job(); }

  // Who could be evicted for whom at all.
  VictimProspects& prospects() const { return *prospects_; }
  // Who stands beside whom: counts by topology domain, in step with this session.
  TermCounters& term_counters() const { return *term_counters_; }
  // What jobs ask of the network, and where they are in it.
  const Topology& topology() const { return *topology_; }

 private:
  SessionContext context_;
  TouchedJobs touched_;
  mutable Culprit culprit_;
  std::vector<std::shared_ptr<void>> kept_;  // Of plugins; outlives the hooks.
  HookTable hooks_;
  Placements placements_;
  SessionNotes notes_;
  Votes votes_;
  std::unique_ptr<Topology> topology_;
  ShardRule shard_;
  std::unique_ptr<NodePicker> picker_;
  std::unique_ptr<TermCounters> own_term_counters_;
  TermCounters* term_counters_ = nullptr;
  std::unique_ptr<VictimProspects> own_prospects_;
  VictimProspects* prospects_ = nullptr;
  std::vector<model::JobId> active_jobs_;
  std::vector<model::JobId> jobs_without_queue_;
  bool was_cut_short_ = false;
};

}  // namespace bth::framework
