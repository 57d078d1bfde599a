// What the children of a queue hold together, each scaled to the poorest.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "algo/resource_algebra.h"

namespace bth::algo {

// The sums of a queue in the tree of HdrfTree. They are floating and go from the first child to the
// last; what comes out is that to the last bit, though only what changed is added up anew. For one
// child of n that costs O(log² n); for a change of the poorest share as much as there are children
// that it scales, and at most as much where sums of later children pass a power of two by it.
//
// Between one power of two and the next, doubles are evenly spaced. As long as a sum stays there,
// terms that are not negative move it by whole spacings, and by how many follows from the terms and
// from whether it starts at an even or an odd one, because halves are rounded to the even. So a run
// of terms is two whole numbers; these are joined in a tree, which is exact in any order. Blocks in
// which a sum passes a power of two, or which hold negative terms, are added term by term.
// Thread: one.
class HdrfSums {
 public:
  using Amounts = std::array<double, model::kDims>;

  // Children that hold nothing and are not saturated. Amounts outside `dims` do not count.
  HdrfSums(size_t children, DimMask dims);

  void Set(size_t child, const Amounts& amounts, double share, bool saturated);
  void Refresh();

  // All children are.
  bool saturated() const { return unsaturated_ == 0; }
  // As of the last refresh; 0 in other dimensions.
  const Amounts& amounts() const { return amounts_; }
  // Runs and blocks that refreshes looked at, for tests.
  uint64_t work() const { return work_; }

 private:
  static constexpr size_t kBlock = 16;
  static constexpr int kMantissaBits = 52;
  // Spacings from one power of two to the next: a run that moves a sum by as many leaves them.
  static constexpr uint64_t kSpacings = uint64_t{1} << kMantissaBits;
  // Of what is not finite; sums below zero have a higher one, as the sign is above it.
  static constexpr uint64_t kExponentEnd = 0x7FF;
  static constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
  static constexpr double kNobody = std::numeric_limits<double>::infinity();

  struct Child {
    double share = 0;
    bool saturated = false;
  };
  // The terms of a block, or of two runs.
  struct Run {
    double about = 0;                    // Their sum, roughly; not a number when one is negative.
    uint64_t exponent = kUnknown;        // Of the sums to which `spacings` belong.
    std::array<uint64_t, 2> spacings{};  // From an even or an odd sum.
  };

  void Touch(size_t block);
  void RefreshLeast();
  void Rescale(size_t block);
  void RefreshRuns();
  double LeastOf(size_t block) const;
  double AboutOf(size_t slot, size_t block) const;
  double Added(size_t slot, size_t block, double sum) const;
  void Summarize(size_t slot, size_t node, uint64_t exponent);
  uint64_t SumFrom(size_t slot, size_t node, uint64_t sum);
  Run& RunAt(size_t slot, size_t node) { return runs_[slot * 2 * blocks_ + node]; }
  size_t EndOf(size_t block) const;

  // Nodes of trees: 1 is the root, i has 2i and 2i + 1 below it, blocks begin at blocks_.
  size_t blocks_ = 1;
  std::vector<int> dims_;
  std::vector<Child> children_;
  std::vector<double> held_;   // By place in dims_, then by child.
  std::vector<double> terms_;  // The same, scaled.
  std::vector<double> least_;  // By node: shares that count for scaling; kNobody without one.
  std::vector<Run> runs_;      // By place in dims_, then by node.
  double scaled_to_ = 1;
  size_t unsaturated_ = 0;
  Amounts amounts_{};
  std::vector<bool> is_touched_;  // By block.
  std::vector<size_t> touched_;
  std::vector<size_t> level_;  // Scratch.
  uint64_t work_ = 0;
};

}  // namespace bth::algo
