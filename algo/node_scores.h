// The arithmetic of node scores, with kube-scheduler's roundings. Inline, because it runs once per
// node and shape.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace bth::algo {

inline constexpr int64_t kScoreTop = 100;

// floor(100 * part / whole) for 0 <= part <= whole and whole > 0, exactly. A floating-point guess
// is put right in whole numbers: less than half the cost of a 64-bit division.
inline int64_t Percent(int64_t part, int64_t whole) {
  constexpr int64_t kProductFits = int64_t{1} << 56;  // 101 times this is below 2^63.
  if (whole > kProductFits) {
    return static_cast<int64_t>(static_cast<__int128>(part) * kScoreTop / whole);
  }
  const int64_t product = part * kScoreTop;
  auto guess = static_cast<int64_t>(static_cast<double>(product) / static_cast<double>(whole));
  guess -= static_cast<int64_t>(guess * whole > product);
  guess += static_cast<int64_t>((guess + 1) * whole <= product);
  return guess;
}

// What a node has of the two resources that count, and what is asked of it with the pod on it.
struct CpuMemory {
  int64_t cpu = 0;
  int64_t memory = 0;
};

inline int64_t FreePercent(int64_t asked, int64_t whole) {
  return asked > whole ? 0 : Percent(whole - asked, whole);
}

inline int64_t UsedPercent(int64_t asked, int64_t whole) {
  return Percent(std::min(asked, whole), whole);
}

// The mean of `part` over the resources that the node has; 0 without any.
template <typename Part>
int64_t MeanOfPresent(const CpuMemory& asked, const CpuMemory& whole, const Part& part) {
  if (whole.cpu > 0 && whole.memory > 0) {
    return (part(asked.cpu, whole.cpu) + part(asked.memory, whole.memory)) / 2;
  }
  if (whole.cpu > 0) return part(asked.cpu, whole.cpu);
  if (whole.memory > 0) return part(asked.memory, whole.memory);
  return 0;
}

// NodeResourcesFit with LeastAllocated and with MostAllocated, both resources weighing the same.
inline int64_t LeastAllocatedScore(const CpuMemory& asked, const CpuMemory& whole) {
  return MeanOfPresent(asked, whole, FreePercent);
}
inline int64_t MostAllocatedScore(const CpuMemory& asked, const CpuMemory& whole) {
  return MeanOfPresent(asked, whole, UsedPercent);
}

inline double UsedFraction(int64_t asked, int64_t whole) {
  return std::min(1.0, static_cast<double>(asked) / static_cast<double>(whole));
}

// How evenly the resources are used, 0 to 100: 100 minus the standard deviation of the fractions.
class Evenness {
 public:
  void Add(double fraction) { fractions_[static_cast<size_t>(count_++)] = fraction; }
  int64_t Score() const {
    return static_cast<int64_t>((1.0 - Deviation()) * static_cast<double>(kScoreTop));
  }

 private:
  double Deviation() const {
    if (count_ < 2) return 0;
    if (count_ == 2) return std::abs((fractions_[0] - fractions_[1]) / 2);
    const double mean = (fractions_[0] + fractions_[1] + fractions_[2]) / 3;
    double sum = 0;
    for (double fraction : fractions_) sum += (fraction - mean) * (fraction - mean);
    return std::sqrt(sum / 3);
  }

  std::array<double, 3> fractions_{};
  int count_ = 0;
};

// BalancedAllocation: 50 is neutral, more means that the pod makes the use more even.
inline int64_t BalancedScore(const Evenness& with_pod, const Evenness& without_pod) {
  constexpr int64_t kHalf = kScoreTop / 2;
  return kHalf + (kHalf + with_pod.Score() - without_pod.Score()) / 2;
}

// An image of `size_bytes` on `holders` of `nodes` nodes counts the more the wider it is spread,
// so that a rare image does not draw every pod to one node.
inline int64_t ImageWorth(int64_t size_bytes, int32_t holders, size_t nodes) {
  if (nodes == 0) return 0;
  const double spread = static_cast<double>(holders) / static_cast<double>(nodes);
  return static_cast<int64_t>(static_cast<double>(size_bytes) * spread);
}

// ImageLocality from the summed worth of the images present.
inline int64_t ImageScore(int64_t worth_bytes, int containers) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  constexpr int64_t kLow = 23 * kMiB;
  const int64_t high = 1000 * kMiB * containers;
  if (high <= kLow) return 0;
  return kScoreTop * (std::clamp(worth_bytes, kLow, high) - kLow) / (high - kLow);
}

}  // namespace bth::algo
