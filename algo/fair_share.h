// Divides the cluster among queues by weight: what one queue does not want goes to the others.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "algo/resource_algebra.h"

namespace bth::algo {

// What one queue may claim.
struct QueueClaim {
  int64_t weight = 1;
  ResourceVec request;    // Never more than this …
  ResourceSet limit;      // … nor than this, where it says something …
  ResourceVec guarantee;  // … but always this.
  friend bool operator==(const QueueClaim&, const QueueClaim&) = default;
};

// Weighted water filling in passes. Each pass gives every queue that still changes its weighted
// part of what is left, caps it, and returns the surplus; a queue is out once it has all it asks
// for or no longer changes. Parts are whole units: what rounding leaves goes, one unit each, to
// queues that can use it, first to those that lack most of their part, else in the order of
// `claims`.
struct FairShares {
  std::vector<ResourceVec> deserved;  // In the order of the claims.
  int passes = 0;
  // False when the limit of passes ended the division; what was left then stays undivided.
  bool settled = true;
};
inline constexpr int kFairSharePassesMax = 1000;

// Cost: passes x claims x dimensions; a few passes unless some weight is tiny beside the others.
FairShares DivideFairly(const ResourceVec& total, absl::Span<const QueueClaim> claims);

// What a queue can ever have: what the guarantees of all queues leave of the cluster, its own
// guarantee, and at most its capability. Names that nobody guarantees enough of are absent.
ResourceSet RealCapability(const ResourceVec& total, const ResourceVec& total_guarantee,
                           const ResourceSet& guarantee, const ResourceSet& capability);

}  // namespace bth::algo
