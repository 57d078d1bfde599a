#include "algo/fair_share.h"

#include <algorithm>
#include <limits>

#include "algo/queue_quotas.h"

namespace bth::algo {
namespace {

// floor(amount * weight / sum) for 0 <= weight <= sum.
int64_t PartOf(int64_t amount, int64_t weight, int64_t sum) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(amount, weight, &product)) return product / sum;
  return static_cast<int64_t>(static_cast<__int128>(amount) * weight / sum);
}

class Division {
 public:
  Division(const ResourceVec& total, absl::Span<const QueueClaim> claims)
      : claims_(claims), left_(total) {
    shares_.deserved.resize(claims.size());
    for (size_t i = 0; i < claims.size(); ++i) open_.push_back(i);
  }

  FairShares Run() {
    while (true) {
      weight_sum_ = 0;
      for (size_t i : open_) weight_sum_ += std::max<int64_t>(claims_[i].weight, 0);
      if (weight_sum_ == 0) break;
      if (shares_.passes == kFairSharePassesMax) {
        shares_.settled = false;
        break;
      }
      const ResourceVec before = left_;
      Pass();
      if (left_.IsEmpty() || left_ == before) break;
    }
    return std::move(shares_);
  }

 private:
  void Pass() {
    ++shares_.passes;
    const std::vector<ResourceVec> parts = Parts();
    std::vector<size_t> still_open;
    ResourceVec given;
    ResourceVec returned;
    for (size_t k = 0; k < open_.size(); ++k) {
      const QueueClaim& claim = claims_[open_[k]];
      ResourceVec& deserved = shares_.deserved[open_[k]];
      const ResourceVec before = deserved;
      deserved = Capped(claim, before + parts[k]);
      // Guarantees of many queues may sum up to more than there can be.
      given = SaturatingSum(given, Excess(deserved, before));
      returned = SaturatingSum(returned, Excess(before, deserved));
      if (!claim.request.AllAtMost(deserved) && !(deserved == before)) {
        still_open.push_back(open_[k]);
      }
    }
    left_ = Excess(SaturatingSum(left_, returned), given);
    open_ = std::move(still_open);
  }

  static ResourceVec Capped(const QueueClaim& claim, const ResourceVec& amount) {
    ResourceVec capped = Limited(amount, claim.limit, Absent::kInfinity);
    for (int d = 0; d < model::kDims; ++d) capped[d] = std::min(capped[d], claim.request[d]);
    return Max(capped, claim.guarantee);
  }

  // What each open queue is offered in this pass.
  std::vector<ResourceVec> Parts() const {
    std::vector<ResourceVec> parts(open_.size());
    for (int d = 0; d < model::kDims; ++d) {
      if (left_[d] <= 0) continue;
      int64_t rest = left_[d];
      for (size_t k = 0; k < open_.size(); ++k) {
        const int64_t weight = std::max<int64_t>(claims_[open_[k]].weight, 0);
        parts[k][d] = PartOf(left_[d], weight, weight_sum_);
        rest -= parts[k][d];
      }
      HandOut(d, rest, &parts);
    }
    return parts;
  }

  // Gives `rest` units, fewer than there are open queues, to those that can use them: who lacks
  // most of its weighted part comes first, so that what rounding takes does not add up over passes.
  void HandOut(int dim, int64_t rest, std::vector<ResourceVec>* parts) const {
    if (rest == 0) return;
    const std::vector<size_t> takers = Takers(dim, rest, *parts);
    for (int64_t before = 0; rest > 0 && rest != before;) {
      before = rest;
      for (size_t k : takers) {
        if (rest == 0 || RoomOf(open_[k], dim, (*parts)[k][dim]) == 0) continue;
        ++(*parts)[k][dim];
        --rest;
      }
    }
  }

  // Positions in `open_`, in the order in which they get what is left.
  std::vector<size_t> Takers(int dim, int64_t rest, const std::vector<ResourceVec>& parts) const {
    std::vector<size_t> takers;
    __int128 sum = rest;
    __int128 weights = 0;
    for (size_t k = 0; k < open_.size(); ++k) {
      if (RoomOf(open_[k], dim, parts[k][dim]) == 0) continue;
      takers.push_back(k);
      sum += HasOf(k, dim, parts);
      weights += claims_[open_[k]].weight;
    }
    std::vector<__int128> beyond(open_.size());  // What it has more than its part, times weights.
    for (size_t k : takers) {
      beyond[k] = HasOf(k, dim, parts) * weights - sum * claims_[open_[k]].weight;
    }
    std::stable_sort(takers.begin(), takers.end(),
                     [&beyond](size_t a, size_t b) { return beyond[a] < beyond[b]; });
    return takers;
  }

  __int128 HasOf(size_t k, int dim, const std::vector<ResourceVec>& parts) const {
    return static_cast<__int128>(shares_.deserved[open_[k]][dim]) + parts[k][dim];
  }

  // How much more than `part` the queue could still take.
  int64_t RoomOf(size_t queue, int dim, int64_t part) const {
    const QueueClaim& claim = claims_[queue];
    if (claim.weight <= 0) return 0;
    const bool limited = dim == model::kCpu || dim == model::kMemory || claim.limit.Has(dim);
    const int64_t cap =
        limited ? std::min(claim.request[dim], claim.limit.v[dim]) : claim.request[dim];
    return std::max<int64_t>(cap - shares_.deserved[queue][dim] - part, 0);
  }

  const absl::Span<const QueueClaim> claims_;
  ResourceVec left_;
  std::vector<size_t> open_;  // Positions of claims that still change.
  int64_t weight_sum_ = 0;
  FairShares shares_;
};

}  // namespace

FairShares DivideFairly(const ResourceVec& total, absl::Span<const QueueClaim> claims) {
  return Division(total, claims).Run();
}

ResourceSet RealCapability(const ResourceVec& total, const ResourceVec& total_guarantee,
                           const ResourceSet& guarantee, const ResourceSet& capability) {
  ResourceSet real;
  real.v = Excess(total, total_guarantee);
  real.present = real.v.Positive() | kCpuMemoryBits | guarantee.present;
  real.v += guarantee.v;
  if (capability.none()) return real;
  // No or an empty amount of cpu or memory means that it is not limited.
  ResourceSet limit = capability;
  for (int dim : {model::kCpu, model::kMemory}) {
    if (limit.v[dim] <= 0) limit.Set(dim, std::numeric_limits<int64_t>::max());
  }
  return Limited(real, limit, Absent::kInfinity);
}

}  // namespace bth::algo
