#include "framework/nodes/alike_index.h"

#include "framework/nodes/ranked_node.h"
#include "framework/peers/domain_counter.h"
#include "framework/peers/topology_column.h"

namespace bth::framework {

using model::NodeId;
using model::TaskId;

AlikeIndex::AlikeIndex(Session& session, NodeEvaluator& evaluator, TaskId task, ShardPart part,
                       const NodeLikeness& likeness)
    : session_(session),
      evaluator_(evaluator),
      index_(session, evaluator, task, part, SegmentsOf(session, likeness)) {}

// Numbered as they appear by name.
std::vector<uint32_t> AlikeIndex::SegmentsOf(const Session& session, const NodeLikeness& likeness) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  const TopologyColumn* domains = likeness.domains;
  const model::NodeGroups* groups = likeness.groups;
  const size_t kinds = groups != nullptr    ? groups->groups
                       : domains == nullptr ? 1
                                            : domains->domains();
  std::vector<uint32_t> numbers(2 * kinds, kUnknown);
  std::vector<uint32_t> segments;
  uint32_t next = 0;
  for (NodeId node : *session.base().nodes_by_name) {
    const size_t domain = groups != nullptr    ? groups->of_node[node.index()]
                          : domains == nullptr ? 0
                                               : domains->of(node);
    const bool counted = likeness.pods == nullptr || likeness.pods->HasDomain(node);
    uint32_t& number = numbers[2 * domain + (counted ? 1 : 0)];
    if (number == kUnknown) number = next++;
    segments.push_back(number);
  }
  return segments;
}

std::optional<NodeId> AlikeIndex::Best(TaskId task, const NodeLikeness& likeness,
                                       const AlikeScoreFn& score) {
  index_.CatchUp();
  if (!Follow(likeness.pods)) return {};
  const ScoreForest& forest = index_.forest();
  const auto& nodes = *session_.base().nodes_by_name;
  trees_.clear();
  groups_.clear();
  forest.ForEachTree([&](const ScoreForest::Tree& tree) {
    trees_.push_back(tree);
    const size_t one = forest.FirstReaching(tree.level, tree.segment, 0, tree.best);
    groups_.push_back({.one = nodes[one], .nodes = tree.positions});
  });
  if (trees_.empty()) return NodeId();
  scores_.assign(trees_.size(), 0);
  score(task, groups_, absl::MakeSpan(scores_));
  double most = ScoreForest::kOut;
  for (size_t i = 0; i < trees_.size(); ++i) most = std::max(most, trees_[i].best + scores_[i]);
  RankedNode best;
  for (size_t i = 0; i < trees_.size(); ++i) {
    const ScoreForest::Tree& tree = trees_[i];
    if (tree.best + scores_[i] < most) continue;
    // Not necessarily the best of the tree: rounding may make two sums equal.
    const size_t first = forest.FirstReaching(tree.level, tree.segment, scores_[i], most);
    best.Offer(nodes[first], most, static_cast<uint32_t>(first));
  }
  return best.node;
}

// Levels are numbers of pods. False: there are too many different ones.
bool AlikeIndex::Follow(const DomainCounter* counter) {
  if (counter == nullptr) return true;
  const bool followed =
      counter->id() == followed_ ? FollowMoves(*counter) : FollowAnother(*counter);
  if (!followed) Forget();
  return followed;
}

bool AlikeIndex::FollowMoves(const DomainCounter& counter) {
  const std::vector<PodMove>& moves = session_.placements().pod_moves();
  for (; moves_seen_ < moves.size(); ++moves_seen_) {
    if (!Raise(moves[moves_seen_].node, counter)) return false;
  }
  return true;
}

bool AlikeIndex::FollowAnother(const DomainCounter& counter) {
  for (NodeId node : raised_) {
    if (!index_.forest().Raise(evaluator_.rank(node), 0)) return false;
  }
  raised_.clear();
  for (NodeId node : counter.nodes_with_pods()) {
    if (!Raise(node, counter)) return false;
  }
  followed_ = counter.id();
  moves_seen_ = session_.placements().pod_moves().size();
  return true;
}

bool AlikeIndex::Raise(NodeId node, const DomainCounter& counter) {
  if (!session_.base().nodes[node].has_object()) return true;
  const uint32_t position = evaluator_.rank(node);
  const int32_t before = index_.forest().level(position);
  const int32_t pods = counter.OnNode(node);
  if (before == pods) return true;
  if (before == 0) raised_.push_back(node);
  return index_.forest().Raise(position, pods);
}

void AlikeIndex::Forget() {
  index_.forest().ResetLevels();
  raised_.clear();
  followed_ = 0;
}

}  // namespace bth::framework
