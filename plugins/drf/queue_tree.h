// The hierarchy of queues in one session.
#pragma once

#include "algo/hdrf.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::drf {

// Queues by their annotations, with the jobs below them. Made anew each session; cost: linear in
// jobs. Thread: scheduling.
class QueueTree {
 public:
  explicit QueueTree(const model::Snapshot& base);

  void Add(model::JobId job, const model::ResourceVec& amount) {
    if (IsKnown(job)) tree_.Change(leaves_[job], amount);
  }
  void Remove(model::JobId job, const model::ResourceVec& amount) {
    if (IsKnown(job)) tree_.Change(leaves_[job], model::ResourceVec() - amount);
  }
  // Queues without jobs stand at the root, where nothing tells them apart.
  int Compare(model::QueueId left, model::QueueId right) {
    return tree_.Compare(paths_[left], paths_[right]);
  }
  // The order in which queues are served: as Compare, but of two queues that are equal as far as
  // both paths go, the one with the shorter path is first. Otherwise two siblings that differ
  // could both equal a queue higher up, and an age between theirs would make the order a circle.
  int Order(model::QueueId left, model::QueueId right) {
    if (const int order = Compare(left, right); order != 0) return order;
    const size_t left_length = paths_[left].size();
    const size_t right_length = paths_[right].size();
    return static_cast<int>(left_length > right_length) -
           static_cast<int>(left_length < right_length);
  }

 private:
  static constexpr algo::HdrfTree::NodeIndex kNone = 0;  // The root is nobody's leaf.
  bool IsKnown(model::JobId job) const { return leaves_.Contains(job) && leaves_[job] != kNone; }

  algo::HdrfTree tree_;
  IdVector<model::QueueId, algo::HdrfTree::Path> paths_;
  IdVector<model::JobId, algo::HdrfTree::NodeIndex> leaves_;
};

}  // namespace bth::plugins::drf
