#include "plugins/task_topology/job_buckets.h"

#include <algorithm>
#include <utility>

namespace bth::plugins::task_topology {

using model::NodeId;
using model::ResourceVec;
using model::TaskId;

JobBuckets::JobBuckets(RoleRelations relations, absl::Span<const BucketTask> tasks,
                       absl::Span<const ResourceVec* const> requests)
    : relations_(std::move(relations)) {
  const BucketPlan plan = PlanBuckets(relations_, tasks);
  buckets_.resize(static_cast<size_t>(plan.buckets));
  std::vector<int64_t> sizes(buckets_.size(), 0);
  for (size_t i : plan.order) {
    const BucketTask& task = tasks[i];
    Place place{.bucket = plan.bucket[i],
                .role = task.role,
                .position = 0,
                .moves = !task.node.valid(),
                .request = requests[i]};
    Bucket& bucket = buckets_[static_cast<size_t>(place.bucket)];
    if (place.moves) {
      place.position = bucket.left.Append(*place.request);
    } else {
      CountBound(bucket, task.node, +1);
    }
    largest_ = std::max(largest_, ++sizes[static_cast<size_t>(place.bucket)]);
    places_[task.task] = place;
  }
  for (Bucket& bucket : buckets_) bucket.left.Finish();
}

int JobBuckets::Compare(TaskId a, TaskId b) const {
  const Place& left = places_.at(a);
  const Place& right = places_.at(b);
  if (left.bucket == right.bucket) return relations_.Compare(left.role, right.role);
  const int64_t left_count = buckets_[static_cast<size_t>(left.bucket)].left.count();
  const int64_t right_count = buckets_[static_cast<size_t>(right.bucket)].left.count();
  if (left_count != right_count) return left_count > right_count ? -1 : 1;
  return left.bucket < right.bucket ? -1 : 1;
}

void JobBuckets::CountBound(Bucket& bucket, NodeId node, int sign) {
  int64_t& count = bucket.bound[node];
  count += sign;
  if (count == 0) bucket.bound.erase(node);
}

void JobBuckets::CountRole(int role, NodeId node, int sign) {
  std::vector<int32_t>& counts = placed_[node];
  counts.resize(static_cast<size_t>(relations_.roles()), 0);
  counts[static_cast<size_t>(role)] += sign;
  const bool none = std::all_of(counts.begin(), counts.end(), [](int32_t n) { return n == 0; });
  if (none) placed_.erase(node);
}

void JobBuckets::Move(TaskId task, NodeId before, NodeId after) {
  if (before == after) return;
  const auto known = places_.find(task);
  if (known == places_.end() || !known->second.moves) return;
  const Place& place = known->second;
  Bucket& bucket = buckets_[static_cast<size_t>(place.bucket)];
  for (const auto& [node, sign] : {std::pair(before, -1), std::pair(after, +1)}) {
    if (!node.valid()) continue;
    CountBound(bucket, node, sign);
    CountRole(place.role, node, sign);
  }
  bucket.left.Set(place.position, *place.request, !after.valid());
}

int64_t JobBuckets::AgainstOn(int role, NodeId node) const {
  const auto placed = placed_.find(node);
  if (placed == placed_.end()) return 0;
  int64_t against = 0;
  for (int other = 0; other < relations_.roles(); ++other) {
    if (relations_.Apart(role, other)) against += placed->second[static_cast<size_t>(other)];
  }
  return against;
}

// Of a bucket that the node cannot take whole, the last ones in its order stay away first, but
// never the task itself, which is therefore taken out of the sums for the time being.
void JobBuckets::AddScores(TaskId task, absl::Span<const NodeId> nodes, const RoomFn& room,
                           double factor, absl::Span<double> sums) {
  const Place& place = places_.at(task);
  Bucket& bucket = buckets_[static_cast<size_t>(place.bucket)];
  const bool is_left = place.moves && bucket.left.Has(place.position);
  if (is_left) bucket.left.Set(place.position, *place.request, false);
  const ResourceVec own = is_left ? *place.request : ResourceVec();
  const bool minds_others = relations_.AnyApart(place.role);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ResourceVec free = room(nodes[i]);
    ResourceVec asked = *place.request;
    asked[model::kPods] = 0;
    if (!asked.FitsIn(free)) continue;
    int64_t raw = (is_left ? 1 : 0) + bucket.left.CountFitting(own, free);
    const auto bound = bucket.bound.find(nodes[i]);
    if (bound != bucket.bound.end()) raw += bound->second;
    if (minds_others) raw -= AgainstOn(place.role, nodes[i]);
    sums[i] += static_cast<double>(raw) * factor / static_cast<double>(largest_);
  }
  if (is_left) bucket.left.Set(place.position, *place.request, true);
}

}  // namespace bth::plugins::task_topology
