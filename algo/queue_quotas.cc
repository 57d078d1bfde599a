#include "algo/queue_quotas.h"

#include <algorithm>

#include "algo/fair_share.h"

namespace bth::algo {
namespace {

using model::QueueId;

// Amounts below zero count as zero, absurdly large ones as no limit.
ResourceSet Sane(ResourceSet amounts) {
  for (int64_t& value : amounts.v.q) value = std::clamp<int64_t>(value, 0, kUnlimited);
  return amounts;
}

ResourceSet MaxOf(const ResourceSet& a, const ResourceSet& b) {
  return {.v = Max(a.v, b.v), .present = a.present | b.present};
}

// Gives every dimension of `dims` that is absent, and cpu or memory that is not above zero, the
// value of `source`.
void Inherit(const ResourceSet& source, DimMask dims, ResourceSet* limits) {
  for (int d = 0; d < model::kDims; ++d) {
    const bool fixed = d == model::kCpu || d == model::kMemory;
    const bool open = fixed ? limits->v[d] <= 0 : !limits->Has(d) && (dims >> d & 1u) != 0;
    if (open) limits->Set(d, source.v[d]);
  }
}

ResourceSet Unlimited(DimMask dims) {
  ResourceSet set;
  for (int d = 0; d < model::kDims; ++d) {
    if ((dims >> d & 1u) != 0) set.Set(d, kUnlimited);
  }
  return set;
}

bool IsBestEffort(const model::QueueRow& row, const ResourceSet& deserved) {
  return deserved.v.IsEmpty() && !row.deserves_unasked;
}

struct ChildSums {
  ResourceVec guarantee;
  ResourceVec deserved;
};

ChildSums SumChildren(const QueuePlace& place, const QueueQuotas& quotas) {
  ChildSums sums;
  for (QueueId child : place.children) {
    sums.guarantee = SaturatingSum(sums.guarantee, quotas[child].guarantee.v);
    sums.deserved = SaturatingSum(sums.deserved, quotas[child].deserved.v);
  }
  return sums;
}

}  // namespace

ResourceVec SaturatingSum(const ResourceVec& a, const ResourceVec& b) {
  ResourceVec sum;
  for (int d = 0; d < model::kDims; ++d) {
    int64_t value = 0;
    const bool over = __builtin_add_overflow(a[d], b[d], &value);
    sum[d] = over && a[d] > 0 ? kUnlimited : over ? -kUnlimited : std::min(value, kUnlimited);
  }
  return sum;
}

QueueQuotas FlatQuotas(const model::Snapshot& base) {
  QueueQuotas quotas(base.queues.size());
  ResourceVec guaranteed;
  for (QueueId id : *base.queues_by_name) {
    quotas[id].guarantee = Sane(base.queues[id].guarantee);
    guaranteed = SaturatingSum(guaranteed, quotas[id].guarantee.v);
  }
  for (QueueId id : *base.queues_by_name) {
    const model::QueueRow& row = base.queues[id];
    QueueQuota& quota = quotas[id];
    quota.has_capability = !row.capability.none();
    quota.capability = Sane(row.capability);
    if (quota.has_capability) Inherit(Unlimited(kCpuMemoryBits), 0, &quota.capability);
    quota.real_capability =
        RealCapability(base.total, guaranteed, quota.guarantee, quota.capability);
    quota.deserved = MaxOf(Limited(Sane(row.deserved), quota.real_capability, Absent::kInfinity),
                           quota.guarantee);
    quota.best_effort = IsBestEffort(row, quota.deserved);
  }
  return quotas;
}

QueueQuotas TreeQuotas(const model::Snapshot& base, const QueueTree& tree) {
  QueueQuotas quotas(base.queues.size());
  const QueueId root = tree.root();
  for (QueueId id : tree.top_down()) {
    if (!tree[id].attached()) continue;
    const model::QueueRow& row = base.queues[id];
    QueueQuota& quota = quotas[id];
    quota.has_capability = !row.capability.none();
    quota.capability = Sane(row.capability);
    quota.guarantee = Sane(row.guarantee);
    quota.deserved = MaxOf(Sane(row.deserved), quota.guarantee);
    if (id != root) continue;
    // Also of what no node offers at the moment: more nodes may come for those who ask for it.
    Inherit(Unlimited(kAllDims), kAllDims, &quota.capability);
    quota.real_capability = quota.capability;
  }
  for (QueueId id : tree.top_down()) {
    if (!tree[id].attached()) continue;
    const ChildSums sums = SumChildren(tree[id], quotas);
    const QueueQuota above = quotas[id];
    if (id == root) {
      quotas[id].guarantee = {.v = sums.guarantee, .present = sums.guarantee.Positive()};
      quotas[id].deserved = {.v = sums.deserved, .present = sums.deserved.Positive()};
    }
    for (QueueId child : tree[id].children) {
      QueueQuota& quota = quotas[child];
      Inherit(above.capability, above.capability.present, &quota.capability);
      quota.real_capability = RealCapability(above.real_capability.v, sums.guarantee,
                                             quota.guarantee, quota.capability);
    }
    quotas[id].best_effort = IsBestEffort(base.queues[id], quotas[id].deserved);
  }
  return quotas;
}

double QuotaShare(const QueueQuota& quota, const ResourceVec& held) {
  return quota.best_effort ? 1 : DominantShare(held, quota.deserved.v);
}

}  // namespace bth::algo
