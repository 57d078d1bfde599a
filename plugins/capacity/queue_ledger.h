// What all queues hold, ask for and keep, each with the queues below it.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "algo/queue_faults.h"
#include "algo/queue_job_sums.h"
#include "algo/queue_quotas.h"
#include "algo/queue_tree.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::plugins::capacity {

// A queue in one session; with hierarchy the jobs of the queues below count in it too.
struct Account {
  int32_t jobs = 0;
  model::ResourceVec request;  // As the session opened.
  model::ResourceVec elastic;  // As the session opened.
  model::ResourceVec inqueue_at_open;
  model::ResourceVec allocated;  // Now.
  model::ResourceVec inqueue;    // Now.
  model::ResourceVec reserved;   // Now, by pods whose gate is gone and that have no place yet.
  double share = 0;              // Of what is deserved, now.
};

// Keeps sums over jobs from session to session by what changed, and quotas until a queue or the
// size of the cluster changes. Thread: scheduling.
class QueueLedger {
 public:
  // Starts a session. `hierarchy`: along the tree of parents.
  void Open(const model::Snapshot& base, bool hierarchy);

  const Account& operator[](model::QueueId queue) const { return accounts_[queue]; }
  const algo::QueueQuota& quota(model::QueueId queue) const { return quotas_[queue]; }
  bool hierarchy() const { return hierarchy_; }
  const algo::QueueTree& tree() const { return tree_; }
  // The parent with hierarchy; invalid at the root, outside of the tree and without hierarchy.
  model::QueueId ParentOf(model::QueueId queue) const {
    return hierarchy_ && tree_[queue].attached() ? tree_[queue].parent : model::QueueId();
  }
  // True with hierarchy alone: the queue has no way to the root. Nobody knows what it may have.
  bool IsCutOff(model::QueueId queue) const { return hierarchy_ && !tree_[queue].attached(); }
  // False only with hierarchy: the queue is not in the tree, or has queues below it.
  bool TakesJobs(model::QueueId queue) const { return !hierarchy_ || tree_[queue].takes_jobs(); }
  // What is wrong with the tree, in order of the queues' names.
  const std::vector<algo::QueueFinding>& findings() const { return findings_; }

  void Place(model::QueueId queue, const model::ResourceVec& amount);
  void Remove(model::QueueId queue, const model::ResourceVec& amount);
  void Enqueue(model::QueueId queue, const model::ResourceVec& amount);

  // Room kept for a task that has no place yet. Twice is once.
  void Reserve(model::QueueId queue, model::TaskId task, const model::ResourceVec& amount);
  void Release(model::QueueId queue, model::TaskId task, const model::ResourceVec& amount);
  bool Reserves(model::TaskId task) const { return reserved_.contains(task); }

 private:
  void FollowQueues(const model::Snapshot& base, bool hierarchy);
  void OpenAccounts(const model::Snapshot& base);
  // Calls `change` with the account of the queue and of each queue above it.
  template <typename Change>
  void Upwards(model::QueueId queue, const Change& change) {
    for (; queue.valid(); queue = ParentOf(queue)) change(queue, accounts_[queue]);
  }

  algo::QueueJobSums sums_;
  bool hierarchy_ = false;
  algo::QueueTree tree_;
  model::ResourceVec total_;  // What the quotas were made of.
  std::shared_ptr<const model::DimensionTable> dims_;
  algo::QueueQuotas quotas_;
  std::vector<algo::QueueFinding> findings_;
  IdVector<model::QueueId, Account> accounts_;
  absl::flat_hash_set<model::TaskId> reserved_;
};

}  // namespace bth::plugins::capacity
