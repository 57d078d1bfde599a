// Why a job is still pending, as data. Conditions, events, metrics, `vcctl job explain` and the
// debug endpoint all render this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/model/ids.h"

namespace bth::framework {

// The first gate, in this order, that holds the job. Only kQuota stands back where no node could
// take some task of the job: more share would not help that one.
enum class Gate : uint8_t {
  kNone,        // Nothing: everything wanted is placed.
  kNoPodGroup,  // Pods name a PodGroup that does not exist.
  kNoQueue,     // The PodGroup names a queue that does not exist.
  kQueueClosed,
  kNotEnqueued,  // A plugin refuses or no enqueue has happened yet.
  kGangInvalid,  // Too few pods exist for the minimum.
  kQueueOverused,
  kQueueTurn,    // An earlier job of a queue that keeps strict order waits.
  kQuota,        // The queue may not allocate this request.
  kFilters,      // Nodes turn it down.
  kGangMinimum,  // Some tasks fit, not as many as the gang needs.
  kTopology,
  kSchedulingGate,
  kVictims,  // Waits for evicted pods to leave.
  kBinding,  // Bindings are under way.
};
inline constexpr size_t kGates = static_cast<size_t>(Gate::kBinding) + 1;
std::string_view GateName(Gate gate);

struct ReasonCount {
  std::string reason;  // In words, as ids are good for one session.
  int32_t nodes = 0;
};

// How the nodes turned a shape down. One report serves every task that met the same answer. Good
// beyond its session, but for the ids.
struct TaskFit {
  model::TaskId exemplar;
  model::ShapeId shape;
  int32_t nodes_refused = 0;
  std::vector<ReasonCount> counts;  // A node may count for several reasons.
  std::string hyper_node;  // No other nodes were asked than those of this; empty: all were.
  std::string preset;      // Replaces "0/<N> nodes are unavailable" when not empty.

  // `0/<N> nodes are unavailable: <count> <reason>, … .` sorted as text; inside a HyperNode after
  // `In hyperNode <name>: `.
  std::string Text() const;
};

// Why an evicting action made no room for a task, over all nodes that it looked at. A candidate
// counts for each plugin that protects it. Whoever was not evicted, and each node or plan that was
// given up, counts under a rule.
struct VictimSearch {
  using Counts = std::map<std::string, int64_t>;

  std::string action;
  model::TaskId task;
  int64_t candidates = 0;       // Pods about which plugins were asked.
  int64_t candidate_nodes = 0;  // 0 of some: each is protected for sure, and none was looked at.
  Counts by_plugin;
  Counts passed_over = {};        // Pods, by the rule of the action that spares them.
  Counts lost_again = {};         // Victims, by who could demand their room right back.
  int64_t nodes_too_small = 0;    // Who may be evicted does not free enough.
  int64_t nodes_refusing = 0;     // With all of them gone, queue or filters still refuse,
  Counts refusals = {};           // and what they say.
  Counts nodes_beyond_help = {};  // Whoever leaves, a filter refuses: what it says.
  std::string dropped = {};       // Why a plan that was found was given up.
  std::string preset = {};        // Instead of the counts when not empty.
  bool cut_short = false;         // It did not come to its end, so that the job is not refused.

  bool SaysSomething() const;
  // `preempt: 12 candidates on 4 nodes; protected: 8 by gang, 4 by priority`.
  std::string Text() const;
};

struct JobFit {
  model::JobId job;
  Gate gate = Gate::kNone;
  std::string plugin;  // Whose rule, when one plugin's.
  std::string message;
  std::vector<TaskFit> tasks;  // One per refused shape, in order of the attempt.
  // One per action that looked for victims in vain, beside whatever gate; none once the job got
  // what it wanted.
  std::vector<VictimSearch> victim_searches;
};

}  // namespace bth::framework
