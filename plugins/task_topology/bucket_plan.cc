#include "plugins/task_topology/bucket_plan.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace bth::plugins::task_topology {
namespace {

bool FindsBucketFirst(const RoleRelations& relations, const BucketTask& a, const BucketTask& b) {
  if (a.node.valid() != b.node.valid()) return a.node.valid();
  if (a.node != b.node) {
    if (a.has_object != b.has_object) return a.has_object;
    if (a.has_object && a.name_rank != b.name_rank) return a.name_rank < b.name_rank;
  }
  if (const int order = relations.Compare(a.role, b.role); order != 0) return order < 0;
  return a.name < b.name;
}

// The buckets so far, in the order in which the tasks of each role that still choose like them.
class BucketChoice {
 public:
  BucketChoice(const RoleRelations& relations, const std::vector<bool>& choosing)
      : relations_(relations) {
    for (size_t role = 0; role < choosing.size(); ++role) {
      if (choosing[role]) rankings_.push_back({.role = static_cast<int>(role), .ranks = {}});
    }
  }

  int Add() {
    const int bucket = static_cast<int>(weights_.size());
    weights_.emplace_back(0);
    for (Ranking& ranking : rankings_) {
      ranking.against.push_back(0);
      ranking.ranks.insert({0, 0, bucket});
    }
    return bucket;
  }

  // -1: none that has not more against the role than for it.
  int BestFor(int role) const {
    for (const Ranking& ranking : rankings_) {
      if (ranking.role != role) continue;
      if (ranking.ranks.empty()) return -1;
      const auto& [against, weight, bucket] = *ranking.ranks.begin();
      return against > 0 ? -1 : bucket;
    }
    return -1;
  }

  void Enter(int bucket, int role, const absl::int128& weight) {
    const auto at = static_cast<size_t>(bucket);
    for (Ranking& ranking : rankings_) {
      const int relation = relations_.Between(ranking.role, role);
      if (relation == 0 && weight == 0) continue;
      ranking.ranks.erase({ranking.against[at], weights_[at], bucket});
      ranking.against[at] -= relation;
      ranking.ranks.insert({ranking.against[at], weights_[at] + weight, bucket});
    }
    weights_[at] += weight;
  }

 private:
  struct Ranking {
    int role = 0;
    std::vector<int64_t> against;  // By bucket: tasks to stay apart from, less those to join.
    std::set<std::tuple<int64_t, absl::int128, int>> ranks;
  };

  const RoleRelations& relations_;
  std::vector<absl::int128> weights_;  // By bucket, of what its tasks still ask for.
  std::vector<Ranking> rankings_;
};

}  // namespace

absl::int128 WeightOf(const model::ResourceVec& request, const model::DimensionTable& dims) {
  constexpr int kMibBits = 20;
  absl::int128 weight = request[model::kMemory];
  for (int d = 0; d < dims.size(); ++d) {
    if (d == model::kMemory || d == model::kPods) continue;
    weight += (absl::int128(request[d]) * dims.DisplayFactor(d)) << kMibBits;
  }
  return weight;
}

BucketPlan PlanBuckets(const RoleRelations& relations, absl::Span<const BucketTask> tasks) {
  BucketPlan plan;
  plan.order.resize(tasks.size());
  std::iota(plan.order.begin(), plan.order.end(), size_t{0});
  std::sort(plan.order.begin(), plan.order.end(),
            [&](size_t a, size_t b) { return FindsBucketFirst(relations, tasks[a], tasks[b]); });
  plan.bucket.assign(tasks.size(), -1);
  std::vector<bool> choosing(static_cast<size_t>(relations.roles()), false);
  for (const BucketTask& task : tasks) {
    if (!task.node.valid()) choosing[static_cast<size_t>(task.role)] = true;
  }
  BucketChoice choice(relations, choosing);
  absl::flat_hash_map<model::NodeId, int> of_node;
  for (size_t i : plan.order) {
    const BucketTask& task = tasks[i];
    int bucket = -1;
    if (task.node.valid()) {
      const auto [known, fresh] = of_node.try_emplace(task.node, -1);
      if (fresh) known->second = choice.Add();
      bucket = known->second;
    } else {
      bucket = choice.BestFor(task.role);
      if (bucket < 0) bucket = choice.Add();
    }
    choice.Enter(bucket, task.role, task.node.valid() ? absl::int128(0) : task.weight);
    plan.bucket[i] = bucket;
    plan.buckets = std::max(plan.buckets, bucket + 1);
  }
  return plan;
}

}  // namespace bth::plugins::task_topology
