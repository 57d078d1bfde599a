// Sums of the static scores of nodes, made once for all shapes that share them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/nodes/static_fit.h"

namespace bth::framework {

// What shapes with the same constraints and the same maxima have in common: normalising takes a
// division per node and score. Keeps kColumnsMax; the least recently used go first. Lives for one
// session. What Get returned is good until the next. Thread: scheduling.
class StaticSums {
 public:
  static constexpr size_t kColumnsMax = 32;  // 80 KB each at 10,000 nodes.

  // The column, by node index; `fill` makes it when it is not there.
  absl::Span<const double> Get(const std::shared_ptr<const StaticFit>& fit,
                               absl::Span<const int64_t> maxima,
                               absl::FunctionRef<void(absl::Span<double>)> fill);

 private:
  struct Column {
    std::shared_ptr<const StaticFit> fit;
    std::vector<int64_t> maxima;
    std::vector<double> sums;
    uint64_t last_used = 0;
  };

  std::vector<Column> columns_;
  uint64_t clock_ = 0;
};

}  // namespace bth::framework
