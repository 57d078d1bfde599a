// Which tasks of a job make up a bucket.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "plugins/task_topology/role_relations.h"

namespace bth::plugins::task_topology {

// A task whose role some group names.
struct BucketTask {
  model::TaskId task;
  int role = 0;
  model::NodeId node;       // Where it stands; invalid: nowhere yet.
  bool has_object = false;  // The node; without one it has no place among the names.
  uint32_t name_rank = 0;   // Of the node.
  std::string_view name;
  absl::int128 weight;  // WeightOf its request.
};

// How much of everything a request is, to tell buckets apart: a milli-core, a MiB and a thousandth
// of anything else weigh the same. In millionths (2^-20) of that.
absl::int128 WeightOf(const model::ResourceVec& request, const model::DimensionTable& dims);

struct BucketPlan {
  int buckets = 0;
  std::vector<size_t> order;  // Of the tasks: in this order they found their buckets.
  std::vector<int> bucket;    // By task.
};

// Tasks with a node share the bucket of that node. The others choose in turn: the bucket with the
// most affinity to them, among equals the one that asks for least, then the oldest; a new one where
// the best has more against them than for them. Cost: n tasks of r roles, n · r · log n.
BucketPlan PlanBuckets(const RoleRelations& relations, absl::Span<const BucketTask> tasks);

}  // namespace bth::plugins::task_topology
