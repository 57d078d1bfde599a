#include "algo/resource_algebra.h"

#include <algorithm>
#include <cmath>

namespace bth::algo {
namespace {

bool HasBit(DimMask mask, int dim) {
  return (mask >> dim & 1u) != 0;
}

// The dimensions in which `limit` says something.
DimMask LimitedDims(const ResourceSet& limit, Absent absent) {
  return absent == Absent::kZero ? kAllDims : (limit.present | kCpuMemoryBits);
}

}  // namespace

DimMask DimsOver(const ResourceVec& a, const ResourceVec& b, DimMask dims) {
  DimMask over = 0;
  for (int d = 0; d < model::kDims; ++d) over |= static_cast<DimMask>(a[d] > b[d]) << d;
  return over & dims;
}

DimMask DimsOver(const ResourceSet& a, const ResourceSet& b, Absent absent) {
  return DimsOver(a.v, b.v, LimitedDims(b, absent));
}

DimMask RelevantDims(const ResourceVec& asked, const ResourceSet& limit) {
  const DimMask known = (limit.v.Positive() & kCpuMemoryBits) | (limit.present & ~kCpuMemoryBits);
  return AskedDims(asked) & known;
}

ResourceVec Excess(const ResourceVec& a, const ResourceVec& b) {
  ResourceVec excess;
  for (int d = 0; d < model::kDims; ++d) excess[d] = std::max<int64_t>(a[d] - b[d], 0);
  return excess;
}

ResourceVec Max(const ResourceVec& a, const ResourceVec& b) {
  ResourceVec larger;
  for (int d = 0; d < model::kDims; ++d) larger[d] = std::max(a[d], b[d]);
  return larger;
}

ResourceVec Min(const ResourceVec& a, const ResourceVec& b) {
  ResourceVec smaller;
  for (int d = 0; d < model::kDims; ++d) smaller[d] = std::min(a[d], b[d]);
  return smaller;
}

ResourceVec Limited(const ResourceVec& value, const ResourceSet& limit, Absent absent) {
  const DimMask dims = LimitedDims(limit, absent);
  ResourceVec limited = value;
  for (int d = 0; d < model::kDims; ++d) {
    if (HasBit(dims, d)) limited[d] = std::min(limited[d], limit.v[d]);
  }
  return limited;
}

ResourceSet Limited(const ResourceSet& value, const ResourceSet& limit, Absent absent) {
  return {.v = Limited(value.v, limit, absent), .present = value.present};
}

ResourceVec InqueueResource(const ResourceSet& minimum, const ResourceVec& allocated,
                            DimMask inqueue_dims) {
  ResourceVec inqueue = Excess(minimum.v, allocated);
  for (int d = 0; d < model::kDims; ++d) {
    if (!HasBit(minimum.present & inqueue_dims, d)) inqueue[d] = 0;
  }
  return inqueue;
}

DimMask InqueueDims(const model::DimensionTable& dims) {
  const std::optional<int> storage = dims.Find("ephemeral-storage");
  return storage ? kAllDims & ~(DimMask{1} << *storage) : kAllDims;
}

ResourceVec WithoutGated(const ResourceVec& inqueue, const ResourceVec& gated) {
  return gated.IsEmpty() ? inqueue : Excess(inqueue, gated);
}

double DominantShare(const ResourceVec& part, const ResourceVec& whole) {
  double largest = 0;
  for (int d = 0; d < model::kDims; ++d) {
    if (whole[d] > 0) largest = std::max(largest, Share(part[d], whole[d]));
  }
  return largest;
}

ResourceVec Scaled(const ResourceVec& vector, double factor) {
  constexpr double kScaledMax = 1e18;  // Leaves room for sums in int64_t.
  ResourceVec scaled;
  for (int d = 0; d < model::kDims; ++d) {
    const double exact = static_cast<double>(vector[d]) * factor;
    scaled[d] = std::llround(std::clamp(exact, -kScaledMax, kScaledMax));
  }
  return scaled;
}

}  // namespace bth::algo
