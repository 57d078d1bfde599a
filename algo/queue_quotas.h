// What each queue may have by plugin capacity: explicit amounts, alone or along the tree.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "algo/queue_tree.h"
#include "algo/resource_algebra.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::algo {

// Stands for "no limit" where a number is needed; sums and differences with it stay in int64_t.
inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 2;

// What the cache makes of larger amounts of queues.
inline constexpr int64_t kQueueAmountMax = int64_t{1} << 56;

struct QueueQuota {
  ResourceSet capability;       // In force: unlimited cpu or memory is spelled out.
  ResourceSet guarantee;        // Kept for the queue, never reclaimed.
  ResourceSet deserved;         // What it may reclaim, and keeps from being reclaimed.
  ResourceSet real_capability;  // What it can ever hold. Absent names: nothing.
  bool has_capability = false;  // The queue says something itself.
  // Deserves nothing at all: it takes what others leave, and gives it back first.
  bool best_effort = true;
};
using QueueQuotas = IdVector<model::QueueId, QueueQuota>;

// Every queue for itself: the cluster without the guarantees of the others, cut to its capability.
QueueQuotas FlatQuotas(const model::Snapshot& base);

// Each queue within its parent: cpu and memory that it does not limit, and other names that it
// does not give, are as limited as the parent's; the guarantees of its siblings are not its to
// have. The root is not limited by the cluster, only by what its own capability names; its
// guarantee and deserved amount are the sums of its children's. Queues that are not in the tree
// may have nothing.
QueueQuotas TreeQuotas(const model::Snapshot& base, const QueueTree& tree);

// The dominant share of `held` in what is deserved, 1 for best-effort queues.
double QuotaShare(const QueueQuota& quota, const ResourceVec& held);

// Sums that stop at kUnlimited.
ResourceVec SaturatingSum(const ResourceVec& a, const ResourceVec& b);

}  // namespace bth::algo
