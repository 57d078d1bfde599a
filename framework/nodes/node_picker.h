// Chooses the node for a task: filters, scores, ties.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/ids.h"
#include "framework/nodes/alike_index.h"
#include "framework/nodes/candidate_index.h"
#include "framework/nodes/global_scan.h"
#include "framework/nodes/node_evaluator.h"
#include "framework/nodes/node_judge.h"
#include "framework/nodes/node_scan.h"
#include "framework/nodes/ranked_node.h"
#include "framework/nodes/refusal_counts.h"
#include "framework/report/fit_report.h"
#include "framework/session/session.h"

namespace bth::framework {

// All nodes are considered. The best total score wins, ties go to the first node by name. Nodes
// with the room now go before nodes that will have it; among either, those of the shard before
// others where it is preferred, and each group is scored by itself.
// Thread: scheduling.
class NodePicker {
 public:
  explicit NodePicker(Session& session);
  ~NodePicker();

  // While one lives, there are no nodes but those of the HyperNode; the inner one counts.
  class Inside {
   public:
    Inside(NodePicker& picker, model::HyperNodeId hyper_node)
        : picker_(picker), outside_(picker.inside_) {
      picker_.Confine(hyper_node);
    }
    Inside(const Inside&) = delete;
    ~Inside() { picker_.Confine(outside_); }

   private:
    NodePicker& picker_;
    const model::HyperNodeId outside_;
  };

  // The choice for `task` as things stand. When there is none, why is recorded in the session.
  NodeChoice Pick(model::TaskId task);
  // As Pick, for tasks that wait for no room: a node where there is some now comes before the one
  // where the task is nominated and will have it.
  NodeChoice PickNow(model::TaskId task);
  // For tasks that ask for nothing: as Pick, without a resource check.
  NodeChoice PickForBestEffort(model::TaskId task);

  // For those who make room by evictions; why there is none is not recorded. The best node that
  // takes the task without any, and whose queue may allocate it: where it is nominated, where it
  // fits now, where it will fit. Invalid: none.
  model::NodeId BestFree(model::TaskId task);
  // The same among the nodes `inside`, whether the task is nominated or not.
  model::NodeId BestAmong(model::TaskId task, NodeTest inside) { return BestIn(task, &inside); }
  // Nodes of that part that pass the static filters and `wanted`, scored in no order or, unscored,
  // by name.
  std::vector<RankedNode> Ranked(model::TaskId task, ShardPart part, bool scored, NodeTest wanted) {
    return global_.Ranked(task, part, scored, wanted);
  }
  // Some node passes the static filters and would hold it. Cost: once for each shape, the nodes.
  bool FitsSomeEmptyNode(model::TaskId task);

  // Counts why every node refuses the task; cost: nodes x filters, for each kind twice and then for
  // the nodes that changed, unless a filter looks beyond single nodes.
  std::shared_ptr<const TaskFit> Explain(model::TaskId task, bool check_resources = true);

  // Whether some node would take the task, now or when releasing pods have left: whether Explain
  // would leave a node out. Cost: up to the first such node, which is remembered for the kind.
  bool AnyNodeTakes(model::TaskId task);
  // At most so many tasks like this one find places together, now or when releasing pods have left;
  // counted up to `enough`. Cost: up to so many, once per kind while nothing changes.
  int64_t SlotsUpTo(model::TaskId task, int64_t enough);

  // Tasks of one kind get the same answers from the nodes, unless a filter looks beyond them.
  TaskKind KindOf(model::TaskId task) const;
  // Single nodes: whether they take a task, and why not.
  const NodeJudge& judge() const { return judge_; }

  uint64_t scans() const { return scans_; }
  uint64_t index_builds() const { return index_builds_; }
  // Questions that an index answered.
  uint64_t index_answers() const { return index_answers_; }
  // Of these, by groups of nodes that a global score rates alike.
  uint64_t group_answers() const { return group_answers_; }

 private:
  // Answers stand while nothing is placed or removed, and the same nodes are looked at.
  struct Moment {
    uint64_t version = 0;
    model::HyperNodeId inside;
    friend bool operator==(const Moment&, const Moment&) = default;
  };
  // What is known of a kind of tasks that no filter tells apart.
  struct KindAnswers {
    std::optional<Moment> explained;
    std::shared_ptr<const TaskFit> fit;  // As of then.
    std::unique_ptr<KindRefusals> refusals;
    model::NodeId taker;  // Took the kind when last asked; invalid: none known.
    std::optional<Moment> counted;
    int64_t slots = 0;  // As of then.
    int64_t slots_up_to = 0;
  };

  // Invalid, or the root: to all nodes.
  void Confine(model::HyperNodeId hyper_node);
  bool MayLookAt(model::NodeId node) const;
  int32_t NodesLookedAt() const;
  std::string NameInside() const;  // Empty: all nodes.
  Moment Now() const { return {session_.placements().version(), inside_}; }
  KindRefusals* RefusalsOf(model::TaskId task, bool check_resources, KindAnswers* known);
  RefusalCounts CountReasons(model::TaskId task, bool check_resources) const;
  model::NodeId BestIn(model::TaskId task, const NodeTest* inside);
  using PartKind = std::pair<TaskKind, ShardPart>;
  bool UsesIndex(const PartKind& kind);
  CandidateIndex& IndexOf(model::TaskId task, const PartKind& kind);
  // By the index, where only filters stand between it and the answer; nothing: ask all nodes.
  std::optional<model::NodeId> PickFiltered(model::TaskId task, const PartKind& kind);
  // By groups of nodes, where one global score that rates such concerns the task and nothing else
  // does; nothing: ask all nodes.
  std::optional<model::NodeId> PickAlike(model::TaskId task, const PartKind& kind);
  AlikeIndex* AlikeIndexOf(model::TaskId task, const PartKind& kind, const NodeLikeness& likeness);
  NodeChoice PickNominated(model::TaskId task) const;
  NodeChoice PickElsewhere(model::TaskId task);
  NodeChoice PickWith(model::TaskId task, Room room);
  NodeChoice PickAmong(model::TaskId task, NodeClass wanted);
  NodeChoice Refuse(model::TaskId task, ReasonId pre_filter, bool check_resources);

  Session& session_;
  NodeEvaluator evaluator_;
  NodeScan scan_;
  GlobalScan global_;
  NodeJudge judge_;
  model::HyperNodeId inside_;  // Invalid: all nodes.
  absl::flat_hash_map<PartKind, int32_t> picks_of_kind_;
  absl::flat_hash_map<PartKind, std::unique_ptr<CandidateIndex>> indexes_;
  // Kinds that are told apart by domains too, and by the question when it counts many nodes.
  struct AlikeKind {
    model::ShapeId shape;
    ShardPart part = ShardPart::kAll;
    const TopologyColumn* domains = nullptr;
    const model::NodeGroups* groups = nullptr;
    const TopologyColumn* pods_by = nullptr;
    uint64_t counter = 0;
    friend bool operator==(const AlikeKind&, const AlikeKind&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const AlikeKind& kind) {
      return H::combine(std::move(state), kind.shape, kind.part, kind.domains, kind.groups,
                        kind.pods_by, kind.counter);
    }
  };
  absl::flat_hash_map<AlikeKind, int32_t> picks_of_alike_;
  absl::flat_hash_map<AlikeKind, std::unique_ptr<AlikeIndex>> alike_indexes_;
  absl::flat_hash_map<TaskKind, KindAnswers> answers_;
  int32_t kept_refusals_ = 0;
  absl::flat_hash_map<model::ShapeId, bool> fits_empty_;
  uint64_t scans_ = 0;
  uint64_t index_builds_ = 0;
  uint64_t index_answers_ = 0;
  uint64_t group_answers_ = 0;
};

}  // namespace bth::framework
