// Comparisons and differences of resource vectors as queue rules need them. Everything is exact;
// sets of dimensions are bit masks. Where Volcano speaks of an absent name, a ResourceSet does.
#pragma once

#include <cstdint>

#include "api/model/resource_vec.h"

namespace bth::algo {

using model::DimMask;
using model::ResourceSet;
using model::ResourceVec;

inline constexpr DimMask kPodsBit = DimMask{1} << model::kPods;
inline constexpr DimMask kAllDims = static_cast<DimMask>((uint64_t{1} << model::kDims) - 1);
inline constexpr DimMask kCpuMemoryBits = DimMask{1} << model::kCpu | DimMask{1} << model::kMemory;

// What a name that a set lacks stands for.
enum class Absent : uint8_t { kZero, kInfinity };

// Dimensions in which something is asked for; places for pods are not.
inline DimMask AskedDims(const ResourceVec& asked) {
  return asked.Positive() & ~kPodsBit;
}

// Dimensions out of `dims` in which a > b.
DimMask DimsOver(const ResourceVec& a, const ResourceVec& b, DimMask dims = kAllDims);
// Dimensions out of `dims` in which a <= b.
inline DimMask DimsWithin(const ResourceVec& a, const ResourceVec& b, DimMask dims = kAllDims) {
  return dims & ~DimsOver(a, b, dims) & kAllDims;
}
// Dimensions in which a > b; an absent limit is zero or none at all. Cpu and memory are never
// absent.
DimMask DimsOver(const ResourceSet& a, const ResourceSet& b, Absent absent);

// Dimensions of `asked` that `limit` knows: cpu and memory when they are above zero, others when
// they are present, be it with zero.
DimMask RelevantDims(const ResourceVec& asked, const ResourceSet& limit);

// a - b where that is above zero, else 0.
ResourceVec Excess(const ResourceVec& a, const ResourceVec& b);
ResourceVec Max(const ResourceVec& a, const ResourceVec& b);
ResourceVec Min(const ResourceVec& a, const ResourceVec& b);
// `value` limited to `limit` in each dimension.
ResourceVec Limited(const ResourceVec& value, const ResourceSet& limit, Absent absent);
// The same for sets; dimensions that only `limit` has are not added.
ResourceSet Limited(const ResourceSet& value, const ResourceSet& limit, Absent absent);

// What a job holds beyond its minimum.
inline ResourceVec Elastic(const ResourceVec& allocated, const ResourceSet& minimum) {
  return Excess(allocated, minimum.v);
}

// The part of a job's minimum that is still to be placed, in the dimensions of `inqueue_dims`: what
// an admitted job keeps from others.
ResourceVec InqueueResource(const ResourceSet& minimum, const ResourceVec& allocated,
                            DimMask inqueue_dims);
// Dimensions in which minimums count as inqueue: all but ephemeral storage.
DimMask InqueueDims(const model::DimensionTable& dims);
// `inqueue` without what tasks ask for that may not be scheduled yet.
ResourceVec WithoutGated(const ResourceVec& inqueue, const ResourceVec& gated);

// a / b; of nothing at all everything is 1 and nothing is 0.
inline double Share(int64_t a, int64_t b) {
  if (b == 0) return a == 0 ? 0.0 : 1.0;
  return static_cast<double>(a) / static_cast<double>(b);
}
// The largest share of `part` in `whole` over the dimensions that `whole` has, pods included.
double DominantShare(const ResourceVec& part, const ResourceVec& whole);

// factor * vector, rounded to whole units; at most 10^18 in size.
ResourceVec Scaled(const ResourceVec& vector, double factor);

}  // namespace bth::algo
