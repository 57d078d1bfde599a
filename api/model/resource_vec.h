// Exact resource vectors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

#ifndef BTH_DIMS
#define BTH_DIMS 16
#endif

namespace bth::model {

inline constexpr int kDims = BTH_DIMS;
inline constexpr int kCpu = 0;     // Milli-cores.
inline constexpr int kMemory = 1;  // Bytes.
inline constexpr int kPods = 2;    // Pods.
inline constexpr int kFixedDims = 3;

// One bit per dimension.
using DimMask = uint32_t;
static_assert(kDims <= 32);

// A quantity per dimension; units by dimension (DimensionTable). Dimensions nobody names are 0.
struct alignas(64) ResourceVec {
  std::array<int64_t, kDims> q{};

  int64_t operator[](int dim) const { return q[static_cast<size_t>(dim)]; }
  int64_t& operator[](int dim) { return q[static_cast<size_t>(dim)]; }

  // True when every *requested* dimension is free: a zero request fits even an overcommitted
  // node. Branch-free so that it vectorises.
  bool FitsIn(const ResourceVec& free) const {
    unsigned missing = 0;
    for (size_t d = 0; d < kDims; ++d) {
      missing |= static_cast<unsigned>(q[d] > 0) & static_cast<unsigned>(q[d] > free.q[d]);
    }
    return missing == 0;
  }
  // The first dimension, in index order, that does not fit; -1 when all do.
  int FirstMissing(const ResourceVec& free) const {
    for (int d = 0; d < kDims; ++d) {
      if ((*this)[d] > 0 && (*this)[d] > free[d]) return d;
    }
    return -1;
  }
  // Component-wise, zero requests included.
  bool AllAtMost(const ResourceVec& other) const {
    for (size_t d = 0; d < kDims; ++d) {
      if (q[d] > other.q[d]) return false;
    }
    return true;
  }
  // Asks for nothing but a place ("best effort").
  bool IsEmpty() const {
    for (int d = 0; d < kDims; ++d) {
      if (d != kPods && (*this)[d] > 0) return false;
    }
    return true;
  }
  // Dimensions above zero.
  DimMask Positive() const {
    DimMask mask = 0;
    for (int d = 0; d < kDims; ++d) mask |= static_cast<DimMask>((*this)[d] > 0) << d;
    return mask;
  }

  ResourceVec& operator+=(const ResourceVec& other) {
    for (size_t d = 0; d < kDims; ++d) q[d] += other.q[d];
    return *this;
  }
  ResourceVec& operator-=(const ResourceVec& other) {
    for (size_t d = 0; d < kDims; ++d) q[d] -= other.q[d];
    return *this;
  }
  friend ResourceVec operator+(ResourceVec a, const ResourceVec& b) { return a += b; }
  friend ResourceVec operator-(ResourceVec a, const ResourceVec& b) { return a -= b; }
  friend bool operator==(const ResourceVec&, const ResourceVec&) = default;

  void AddTo(Digest& digest) const {
    for (int64_t value : q) digest.Add(static_cast<uint64_t>(value));
  }
};

// A vector in which absent and zero differ: quotas, limits, minimum resources. What an absent
// dimension means (nothing, or no limit) is the caller's to say.
struct ResourceSet {
  ResourceVec v;
  DimMask present = 0;

  bool Has(int dim) const { return (present >> dim & 1u) != 0; }
  void Set(int dim, int64_t value) {
    v[dim] = value;
    present |= DimMask{1} << dim;
  }
  bool none() const { return present == 0; }
  friend bool operator==(const ResourceSet&, const ResourceSet&) = default;
};

// Which resource name has which dimension in a snapshot, and its unit.
class DimensionTable {
 public:
  // Starts with cpu, memory and pods.
  DimensionTable();

  // The dimension of `name`, given out if there is room; nothing when all kDims are taken.
  std::optional<int> Add(std::string_view name);
  // Gives a dimension that is not built in to another name.
  void Rename(int dim, std::string_view name);
  std::optional<int> Find(std::string_view name) const;
  std::string_view name(int dim) const { return names_[static_cast<size_t>(dim)]; }
  int size() const { return static_cast<int>(names_.size()); }
  // One internal unit in thousandths: cpu and extended resources are kept in thousandths (1),
  // memory, ephemeral storage and huge pages in bytes, pods in pods.
  bool IsMilli(int dim) const;
  // Volcano counts byte-sized scalars in thousandths of a byte: factor from our unit to the one
  // shown in metrics and messages (1000 for ephemeral-storage and hugepages-*, else 1).
  int64_t DisplayFactor(int dim) const;

 private:
  std::vector<std::string> names_;
};

// True for names that the scheduler counts: cpu, memory, pods, ephemeral-storage, hugepages-*,
// attachable-volumes-*, and extended resources (a domain that is not kubernetes.io's, and no
// `requests.` prefix). `count/…`, `storage`, `requests.cpu` and the like are not.
bool IsCountedResource(std::string_view name);

}  // namespace bth::model
