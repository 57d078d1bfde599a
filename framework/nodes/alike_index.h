// The best node for tasks that one global score concerns which rates nodes by groups.
#pragma once

#include <optional>
#include <vector>

#include "framework/hooks/hook_types.h"
#include "framework/nodes/candidate_index.h"
#include "framework/session/session.h"

namespace bth::framework {

// A candidate index whose nodes stand in groups that the score rates alike: by domain, and by the
// number of pods that the question of a task counts on them. A group has one best node whatever
// the score says, so that only groups are rated. Tasks of one kind may ask different questions:
// the index follows the last one. Lives for one session. Thread: scheduling.
class AlikeIndex {
 public:
  // More domains than this are not worth it: groups would be small.
  static constexpr size_t kSegmentsMax = 256;
  // The same of groups that are not told apart by the pods on them: there are no more of them.
  static constexpr size_t kGroupsMax = 4096;

  // For the kind of `task`, in one part; `likeness` names the domains.
  AlikeIndex(Session& session, NodeEvaluator& evaluator, model::TaskId task, ShardPart part,
             const NodeLikeness& likeness);

  // As GlobalScan::Best, when nothing else concerns the task; invalid: no node takes it. Nothing:
  // the groups are too many. Cost: the groups, and the nodes that changed or that the last
  // question and this one count pods on, each times the logarithm of the nodes.
  std::optional<model::NodeId> Best(model::TaskId task, const NodeLikeness& likeness,
                                    const AlikeScoreFn& score);

 private:
  static std::vector<uint32_t> SegmentsOf(const Session& session, const NodeLikeness& likeness);

  bool Follow(const DomainCounter* counter);
  bool FollowMoves(const DomainCounter& counter);
  bool FollowAnother(const DomainCounter& counter);
  bool Raise(model::NodeId node, const DomainCounter& counter);
  void Forget();

  Session& session_;
  NodeEvaluator& evaluator_;
  CandidateIndex index_;
  uint64_t followed_ = 0;              // The counter whose numbers are the levels; 0: none.
  size_t moves_seen_ = 0;              // Of the session.
  std::vector<model::NodeId> raised_;  // All that are not at level 0, and some that are.
  std::vector<ScoreForest::Tree> trees_;
  std::vector<AlikeNodes> groups_;  // One per tree.
  std::vector<double> scores_;      // Of them.
};

}  // namespace bth::framework
