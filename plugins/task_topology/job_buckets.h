// The buckets of one job as its tasks are placed and taken back.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "plugins/task_topology/bucket_plan.h"
#include "plugins/task_topology/bucket_requests.h"
#include "plugins/task_topology/role_relations.h"

namespace bth::plugins::task_topology {

// Who is in which bucket is settled when it is made, by where the tasks stood at the start of the
// session; what is bound and what is left to place follows `Move`. Lives for one session.
// Thread: scheduling.
class JobBuckets {
 public:
  // The requests in `requests`, by task, outlive it.
  JobBuckets(RoleRelations relations, absl::Span<const BucketTask> tasks,
             absl::Span<const model::ResourceVec* const> requests);

  bool Contains(model::TaskId task) const { return places_.contains(task); }
  // Whose bucket has more left to place, then whose bucket is older; in one bucket by role. Of
  // tasks that are contained; below zero: `a` first.
  int Compare(model::TaskId a, model::TaskId b) const;
  // Invalid ids are no node. Nothing happens to tasks that are not contained, nor to those that
  // stood somewhere at the start.
  void Move(model::TaskId task, model::NodeId before, model::NodeId after);

  // The room of a node: what is idle there and what is being left.
  using RoomFn = std::function<model::ResourceVec(model::NodeId)>;
  // Adds the raw score of each node times `factor` / the size of the largest bucket. Of a task that
  // is contained.
  void AddScores(model::TaskId task, absl::Span<const model::NodeId> nodes, const RoomFn& room,
                 double factor, absl::Span<double> sums);

 private:
  struct Place {
    int bucket = 0;
    int role = 0;
    size_t position = 0;  // In its bucket's requests.
    bool moves = false;   // It stood nowhere at the start.
    const model::ResourceVec* request = nullptr;
  };
  struct Bucket {
    BucketRequests left;                                // Of its tasks without a node.
    absl::flat_hash_map<model::NodeId, int64_t> bound;  // Its tasks there; no zeros.
  };

  int64_t AgainstOn(int role, model::NodeId node) const;
  void CountBound(Bucket& bucket, model::NodeId node, int sign);
  void CountRole(int role, model::NodeId node, int sign);

  const RoleRelations relations_;
  absl::flat_hash_map<model::TaskId, Place> places_;
  std::vector<Bucket> buckets_;
  int64_t largest_ = 0;  // Tasks in the largest bucket.
  // Tasks by role that got their node in this session; no empty lists.
  absl::flat_hash_map<model::NodeId, std::vector<int32_t>> placed_;
};

}  // namespace bth::plugins::task_topology
