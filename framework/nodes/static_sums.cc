#include "framework/nodes/static_sums.h"

#include <algorithm>

namespace bth::framework {

absl::Span<const double> StaticSums::Get(const std::shared_ptr<const StaticFit>& fit,
                                         absl::Span<const int64_t> maxima,
                                         absl::FunctionRef<void(absl::Span<double>)> fill) {
  ++clock_;
  for (Column& column : columns_) {
    if (column.fit != fit || absl::Span<const int64_t>(column.maxima) != maxima) continue;
    column.last_used = clock_;
    return column.sums;
  }
  if (columns_.size() < kColumnsMax) columns_.emplace_back();
  Column& column =
      *std::min_element(columns_.begin(), columns_.end(),
                        [](const Column& a, const Column& b) { return a.last_used < b.last_used; });
  column.fit = fit;
  column.maxima.assign(maxima.begin(), maxima.end());
  column.sums.resize(fit->refusal.size());
  column.last_used = clock_;
  fill(absl::MakeSpan(column.sums));
  return column.sums;
}

}  // namespace bth::framework
