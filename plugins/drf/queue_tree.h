// The hierarchy of queues, kept from session to session.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algo/hdrf.h"
#include "algo/job_changes.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::drf {

// Queues by their annotations, with the jobs below them. Follows snapshots by what changed between
// them, and answers as one made anew. Thread: scheduling.
class QueueTree {
 public:
  // Starts a session; what the last one changed is taken back. Cost: jobs and queues that changed;
  // all jobs when the annotations of a queue did, or as long as weights contradict each other.
  void Open(const model::Snapshot& base);

  void Add(model::JobId job, const model::ResourceVec& amount) { Change(job, amount); }
  void Remove(model::JobId job, const model::ResourceVec& amount) {
    Change(job, model::ResourceVec() - amount);
  }
  // Queues without jobs stand at the root, where nothing tells them apart.
  int Compare(model::QueueId left, model::QueueId right) {
    return tree_->Compare(PathOf(left), PathOf(right));
  }
  // The order in which queues are served: as Compare, but of two queues that are equal as far as
  // both paths go, the one with the shorter path is first. Otherwise two siblings that differ
  // could both equal a queue higher up, and an age between theirs would make the order a circle.
  int Order(model::QueueId left, model::QueueId right);

  // Sessions that began with a look at all jobs.
  uint64_t rebuilds() const { return rebuilds_; }

 private:
  using NodeIndex = algo::HdrfTree::NodeIndex;
  static constexpr NodeIndex kNone = 0;  // The root is nobody's leaf.
  struct Branch {
    algo::HdrfTree::Path path;  // Empty: no job was ever in the queue.
    int64_t jobs = 0;
  };

  bool IsKnown(model::JobId job) const { return leaves_.Contains(job) && leaves_[job] != kNone; }
  const algo::HdrfTree::Path& PathOf(model::QueueId queue) const;
  void Change(model::JobId job, const model::ResourceVec& by);
  bool QueuesChanged(const model::Snapshot& base);
  void Rebuild(const model::Snapshot& base);
  void AddJob(const model::Snapshot& base, model::JobId id);
  void RemoveJob(model::JobId id, model::QueueId queue);
  void Visit(const model::Snapshot& base, model::JobId id, const algo::JobChanges::Job* before,
             const algo::JobChanges::Job* now);

  std::optional<algo::HdrfTree> tree_;
  algo::JobChanges changes_;
  decltype(model::Snapshot::queues) queues_;  // What paths were made of.
  IdVector<model::QueueId, Branch> branches_;
  IdVector<model::JobId, NodeIndex> leaves_;
  std::vector<model::JobId> moved_;  // By the session.
  size_t elements_at_build_ = 0;
  uint64_t rebuilds_ = 0;
};

}  // namespace bth::plugins::drf
