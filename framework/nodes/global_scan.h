// The best node for tasks that filters or scores beyond single nodes concern.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/nodes/node_evaluator.h"
#include "framework/nodes/ranked_node.h"
#include "framework/session/session.h"
#include "framework/unschedulable/answer_sources.h"

namespace bth::framework {

// Which of the global hooks are meant.
enum class GlobalHooks : uint8_t {
  kAll,
  kByQueue,  // Those whose answers candidate indexes hold,
  kByTask,   // and the others.
};

// Some global filter may refuse the task a node, as things stand.
bool GlobalFiltersConcern(const Session& session, model::TaskId task, GlobalHooks which);
// Some global score may tell nodes apart for the task, as things stand.
bool GlobalScoresConcern(const Session& session, model::TaskId task, GlobalHooks which);
// The only one that may; null: none, or several.
const GlobalScore* OnlyGlobalScore(const Session& session, model::TaskId task);
// Beside its kind and its job's own affairs, nothing but `sources` decides where the task may go:
// it has no volumes, and no filter that is asked about it alone follows anything else.
bool FollowsOnly(const Session& session, model::TaskId task, AnswerSources sources);
// What the first global filter says that refuses the task the node; kFits: none does.
ReasonId GlobalRefusal(const Session& session, model::TaskId task, model::NodeId node);
// Every global filter lets the task pass on the node.
bool PassesGlobalFilters(const Session& session, model::TaskId task, model::NodeId node);
// Clears fits[i] where a global filter refuses; true when any is left.
bool KeepPassing(const Session& session, model::TaskId task, model::NodeRange run,
                 absl::Span<uint8_t> fits, GlobalHooks which = GlobalHooks::kAll);
// Adds the global scores of all candidates together: some are measured by the others.
void AddGlobalScores(const Session& session, model::TaskId task,
                     absl::Span<const model::NodeId> nodes, absl::Span<double> sums,
                     GlobalHooks which = GlobalHooks::kAll);

using NodeTest = absl::FunctionRef<bool(model::NodeId)>;

// Looks at every node, run by run. Lives for one session. Thread: scheduling.
class GlobalScan {
 public:
  GlobalScan(Session& session, NodeEvaluator& evaluator)
      : session_(session), evaluator_(evaluator) {}

  // From now on there are no other nodes than these, which are ready; null: all. They outlive it.
  void Confine(const std::vector<model::NodeRange>* inside) { inside_ = inside; }
  // False: the shape of the task and its queue decide.
  bool Concerns(model::TaskId task) const;
  // The feasible node with the highest score, the first by name among equals, unless a best-node
  // hook picks another; invalid when none.
  model::NodeId Best(model::TaskId task, NodeClass wanted);
  // The same of the nodes `inside` (null: all), whatever best-node hooks say.
  model::NodeId BestAmong(model::TaskId task, NodeClass wanted, const NodeTest* inside);
  // Nodes of that part that pass the static filters and `wanted`: with their scores, normalised
  // over all of it that pass, in order of ids; without scores by name.
  std::vector<RankedNode> Ranked(model::TaskId task, ShardPart part, bool scored, NodeTest wanted);
  // The first node that takes the task, in order of ids.
  model::NodeId FirstTaker(model::TaskId task, Room room) const;
  // At most so many tasks like this one find places together, now or when releasing pods have left;
  // counted up to `enough`.
  int64_t SlotsUpTo(model::TaskId task, int64_t enough) const;

 private:
  const std::vector<model::NodeRange>& runs() const {
    return inside_ == nullptr ? evaluator_.runs() : *inside_;
  }
  // What is shared between scores is that of all nodes.
  ScoreBasis BasisFor(const std::shared_ptr<const StaticFit>& fit) const;
  void FindFeasible(model::TaskId task, NodeClass wanted, const StaticFit& fit,
                    const NodeTest* inside);
  model::NodeId BestByScore() const;
  void Score(model::TaskId task, const ScoreBasis& basis);

  Session& session_;
  NodeEvaluator& evaluator_;
  const std::vector<model::NodeRange>* inside_ = nullptr;
  std::vector<model::NodeId> nodes_;  // Feasible ones, in order of ids.
  std::vector<double> scores_;        // Of them.
  std::vector<int64_t> maxima_;       // Per static score hook, over them.
};

}  // namespace bth::framework
