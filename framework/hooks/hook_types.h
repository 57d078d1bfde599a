// What kinds of functions plugins add to a session, and what they answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/snapshot.h"
#include "framework/prospects/grant_bounds.h"
#include "framework/report/reasons.h"
#include "framework/unschedulable/answer_sources.h"

namespace bth::framework {

class DomainCounter;
class TopologyColumn;

using model::HyperNodeId;
using model::JobId;
using model::NodeId;
using model::NodeRange;
using model::QueueId;
using model::ShapeId;
using model::SubJobId;
using model::TaskId;

enum class Vote : int8_t { kReject = -1, kAbstain = 0, kPermit = 1 };

struct Verdict {
  Vote vote = Vote::kAbstain;
  std::vector<TaskId> victims;  // Kept in the plugin's order.
};

struct JobValidity {
  bool valid = true;
  std::string reason;  // NotEnoughTasks, NotEnoughPodsOfTask …
  std::string message;
};

// How raw static scores become 0…100 (kube-scheduler's DefaultNormalizeScore).
enum class Normalize : uint8_t {
  kNone,         // Used as they are.
  kByMax,        // 100 * raw / max, truncated; all zero stays zero.
  kByMaxReverse  // 100 - that; all zero becomes 100.
};

// A task that entered or left the occupying group; what the session says of it is `after`.
struct TaskMove {
  TaskId task;
  model::TaskState before;
  model::TaskState after;
};

using PreFilterFn = std::function<ReasonId(TaskId)>;
// A filter that depends only on the pod's constraints and the node's facts. Its verdicts are
// kept across cycles per (constraints, facts version) and must abort (FitCode::kUnresolvable or
// kError). Writes out[block.Offset(node)].
using StaticFilterFn =
    std::function<void(const model::PodConstraints&, NodeRange block, absl::Span<ReasonId> out)>;
// A filter that depends on the node's present use.
using UsageFilterFn = std::function<void(ShapeId, NodeRange block, absl::Span<ReasonId> out)>;
// A filter that depends on other nodes' use (anti-affinity, spread).
using GlobalFilterFn = std::function<void(TaskId, NodeRange block, absl::Span<ReasonId> out)>;

// Raw scores from constraints and facts; whole numbers.
using StaticScoreFn =
    std::function<void(const model::PodConstraints&, NodeRange block, absl::Span<int64_t> raw)>;
struct StaticScore {
  StaticScoreFn fn;
  Normalize normalize = Normalize::kNone;
  double weight = 1;
};
// Adds its weighted scores to `sum`.
using UsageScoreFn = std::function<void(ShapeId, NodeRange block, absl::Span<double> sum)>;
// Adds its weighted scores of `nodes`, all of them feasible. Scheduling thread.
using GlobalScoreFn =
    std::function<void(TaskId, absl::Span<const NodeId> nodes, absl::Span<double> sum)>;
// False: the filter lets the task pass on every node, or the score adds the same to every node, as
// things stand. Tasks that no global hook concerns keep the candidate index. Scheduling thread.
using ConcernsFn = std::function<bool(TaskId)>;
template <typename Fn>
struct GlobalHook {
  GlobalHook() = default;
  template <typename F>
  GlobalHook(F hook, ConcernsFn concerns = nullptr, bool only_by_queue = false)
      : fn(std::move(hook)), concerns_fn(std::move(concerns)), by_queue(only_by_queue) {}

  Fn fn;
  ConcernsFn concerns_fn;  // Null: it concerns every task.
  // It tells tasks apart by shape and queue alone, judges each node for itself, and changes its
  // mind during the session only about nodes that changed: candidate indexes hold its answers.
  bool by_queue = false;
  // What a refusal of a filter that concerns single tasks depends on.
  AnswerSources follows = Bit(AnswerSource::kAnything);

  bool concerns(TaskId task) const { return concerns_fn == nullptr || concerns_fn(task); }
  template <typename Nodes, typename Out>
  void operator()(TaskId task, const Nodes& nodes, const Out& out) const {
    fn(task, nodes, out);
  }
};
using GlobalFilter = GlobalHook<GlobalFilterFn>;

// Nodes that a global score cannot tell apart: in the same domain, with equally many pods. Columns
// and counters are up to date with the session.
struct NodeLikeness {
  const TopologyColumn* domains = nullptr;    // Null: they may be in any.
  const model::NodeGroups* groups = nullptr;  // The same by other groups than those of a label.
  // Null: whatever stands on them. A node that has no domain of the counter is like none that has.
  const DomainCounter* pods = nullptr;
};
// Nodes that are alike, all of them feasible.
struct AlikeNodes {
  NodeId one;  // Any of them.
  size_t nodes = 0;
};
// False: nodes are alike in no such way. Scheduling thread.
using LikenessFn = std::function<bool(TaskId, NodeLikeness*)>;
// As GlobalScoreFn, when the groups are all the nodes that it would be asked about. Scheduling
// thread.
using AlikeScoreFn =
    std::function<void(TaskId, absl::Span<const AlikeNodes> groups, absl::Span<double> sum)>;

struct GlobalScore : GlobalHook<GlobalScoreFn> {
  using GlobalHook::GlobalHook;

  // Both or none.
  LikenessFn likeness;
  AlikeScoreFn score_alike;
};

// Nothing: the queue has no claim.
using QueueDeservedFn = std::function<std::optional<model::ResourceVec>(QueueId)>;

// Why a gang action looks for victims, and for whom.
struct EvictionContext {
  enum class Kind : uint8_t { kGangPreempt, kGangReclaim };
  Kind kind = Kind::kGangPreempt;
  JobId job;
};
// Which of the candidates may go for a task, or for a job.
template <typename Evictor>
struct EvictableHook {
  EvictableHook() = default;
  template <typename F>
  EvictableHook(F hook, GrantBounds known = {}) : fn(std::move(hook)), bounds(std::move(known)) {}

  std::function<Verdict(const Evictor&, absl::Span<const TaskId> candidates)> fn;
  GrantBounds bounds;  // What is known beforehand of its answers.

  Verdict operator()(const Evictor& evictor, absl::Span<const TaskId> candidates) const {
    return fn(evictor, candidates);
  }
};
// In which HyperNodes a gang is to be tried.
struct HyperNodeQuestion {
  JobId job;
  SubJobId sub_job;    // Invalid: the job as a whole.
  HyperNodeId inside;  // Only there: what is in rows for a wider one, as far as it is inside.
  bool for_eviction = false;
  bool for_least = false;  // Of a sub-job: what its minimum lacks must fit, not all that waits.
};
// The first row that has one in which the gang finds room decides, and the best of that row is
// taken.
struct HyperNodeGradient {
  std::vector<std::vector<HyperNodeId>> rows;
  std::string why_none = {};  // There are no rows.
  // Nothing that has less free, now or when releasing pods have left, is in a row.
  model::ResourceVec minimum = {};
};
using HyperNodeGradientFn = std::function<HyperNodeGradient(const HyperNodeQuestion&)>;
// Adds how good each candidate is for the sub-job.
using HyperNodeOrderFn =
    std::function<void(SubJobId, absl::Span<const HyperNodeId> candidates, absl::Span<double> sum)>;
// Adds as much as that for a sub-job of which nothing is placed, and no less than it will be once
// other tasks are that ask for `before` together, or for less.
using HyperNodeMostFn =
    std::function<void(SubJobId, const model::ResourceVec& before,
                       absl::Span<const HyperNodeId> candidates, absl::Span<double> sum)>;
struct HyperNodeScore {
  HyperNodeScore() = default;
  template <typename F>
  HyperNodeScore(F hook, HyperNodeMostFn most_fn = nullptr)
      : fn(std::move(hook)), most(std::move(most_fn)) {}

  HyperNodeOrderFn fn;
  HyperNodeMostFn most;  // Null: nobody knows; jobs of sub-jobs are tried in every HyperNode.

  void operator()(SubJobId sub_job, absl::Span<const HyperNodeId> candidates,
                  absl::Span<double> sum) const {
    fn(sub_job, candidates, sum);
  }
};
using VictimTasksFn = std::function<std::vector<TaskId>(absl::Span<const TaskId> candidates)>;
// Picks one of the best nodes itself; an invalid id leaves the choice to the scores.
using BestNodeFn =
    std::function<NodeId(TaskId, absl::Span<const NodeId> nodes, absl::Span<const double> scores)>;

}  // namespace bth::framework
