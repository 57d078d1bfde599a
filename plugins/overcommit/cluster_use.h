// Sums over all nodes and jobs, kept from session to session.
#pragma once

#include "algo/job_changes.h"
#include "algo/resource_algebra.h"
#include "api/model/snapshot.h"

namespace bth::plugins::overcommit {

// Follows what changed between two snapshots. Thread: scheduling.
class ClusterUse {
 public:
  void Advance(const model::Snapshot& base);

  // Held by the pods of ready nodes, whoever they belong to.
  const model::ResourceVec& used() const { return used_; }
  // Counted for admitted jobs beyond what their pods hold.
  const model::ResourceVec& inqueue() const { return inqueue_; }

 private:
  void FollowNodes(const model::Snapshot& base);
  void FollowJobs(const model::Snapshot& base);

  // What `used_` was made of.
  std::shared_ptr<const model::DimensionTable> dims_;
  decltype(model::Snapshot::nodes) nodes_;
  model::NodeAmounts allocatable_;
  model::NodeAmounts idle_;
  model::ResourceVec used_;

  algo::JobChanges changes_;
  model::ResourceVec inqueue_;
};

}  // namespace bth::plugins::overcommit
