// The buckets of every job that has some, as a session goes on.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "plugins/task_topology/job_buckets.h"

namespace bth::plugins::task_topology {

// Buckets are made when somebody first asks about a task of the job; jobs without the annotations
// cost a look at their row. Lives for one session. Thread: scheduling.
class TopologyBook {
 public:
  explicit TopologyBook(framework::Session& session) : session_(session) {}

  // Null: the job has none, because it asks for none, nothing of it waits, or what it asks for
  // makes no sense, which an event tells.
  JobBuckets* Of(model::JobId job);
  // Null: the task is in no bucket.
  JobBuckets* OfTask(model::TaskId task);
  int Compare(model::TaskId a, model::TaskId b);
  void Move(model::TaskId task, model::NodeId before, model::NodeId after);

  // Adds the weighted scores of a task that is in a bucket.
  void AddScores(model::TaskId task, absl::Span<const model::NodeId> nodes, double weight,
                 absl::Span<double> sums);

 private:
  std::unique_ptr<JobBuckets> Make(model::JobId job);

  framework::Session& session_;
  absl::flat_hash_map<model::JobId, std::unique_ptr<JobBuckets>> jobs_;
};

}  // namespace bth::plugins::task_topology
