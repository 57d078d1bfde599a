#include "plugins/binpack/fill_columns.h"

#include <algorithm>
#include <limits>

#include "algo/node_scores.h"
#include "base/row_at.h"

namespace bth::plugins::binpack {
namespace {

using model::NodeId;
using model::NodeRange;

// Sums of two of these are exact in a double.
constexpr int64_t kExactMax = int64_t{1} << 51;
constexpr size_t kBlock = 256;

bool IsExact(int64_t quantity) {
  return quantity >= -kExactMax && quantity <= kExactMax;
}

}  // namespace

void FillColumns::CatchUp() {
  const size_t nodes = session_.base().nodes.size();
  odd_.resize(nodes, 0);
  for (const Part& part : counted_) {
    Column& column = columns_[static_cast<size_t>(part.dim)];
    column.capacity.resize(nodes, 1);
    column.held.resize(nodes, 0);
  }
  follower_.CatchUp([this](NodeId node) { Read(node); });
}

void FillColumns::Read(NodeId node) {
  const model::ResourceVec& allocatable = session_.base().allocatable[node];
  const model::ResourceVec& idle = session_.usage().idle[node];
  RowAt(odd_, node) = 0;
  for (const Part& part : counted_) {
    const int64_t capacity = allocatable[part.dim];
    const int64_t held = capacity - idle[part.dim];
    Column& column = columns_[static_cast<size_t>(part.dim)];
    const bool present = capacity != 0;
    RowAt(column.capacity, node) =
        present ? static_cast<double>(capacity) : std::numeric_limits<double>::infinity();
    RowAt(column.held, node) = present ? static_cast<double>(held) : 0;
    if (!IsExact(capacity) || !IsExact(held)) RowAt(odd_, node) = 1;
  }
}

bool FillColumns::Covers(NodeRange block, absl::Span<const Part> parts) const {
  if (block.size() < 2 || !follower_.up_to_date()) return false;
  for (const Part& part : parts) {
    if (!IsExact(part.request)) return false;
  }
  const uint8_t* odd = odd_.data() + block.first().index();
  uint8_t any = 0;
  for (size_t i = 0; i < block.size(); ++i) any |= odd[i];
  return any == 0;
}

void FillColumns::Add(const Parts& asked, NodeRange block, absl::Span<double> sum) const {
  double full[kBlock];
  double kept[kBlock];  // 0 where a resource would be exceeded, else 1: times either is exact.
  for (size_t from = 0; from < block.size(); from += kBlock) {
    const size_t count = std::min(kBlock, block.size() - from);
    const size_t first = block.first().index() + from;
    std::fill_n(full, count, 0.0);
    std::fill_n(kept, count, 1.0);
    for (const Part& part : asked.parts) {
      if (part.weight == 0) continue;
      const Column& column = columns_[static_cast<size_t>(part.dim)];
      const double* capacity = column.capacity.data() + first;
      const double* held = column.held.data() + first;
      const auto request = static_cast<double>(part.request);
      const double weight = part.weight;
      for (size_t i = 0; i < count; ++i) {
        const double filled = held[i] + request;
        kept[i] = filled > capacity[i] ? 0.0 : kept[i];
        full[i] += filled * weight / capacity[i];
      }
    }
    double* out = sum.data() + from;
    const double weight_sum = asked.weight_sum;
    const double plugin_weight = asked.plugin_weight;
    for (size_t i = 0; i < count; ++i) {
      const double share = full[i] / weight_sum * static_cast<double>(algo::kScoreTop);
      out[i] += plugin_weight * (share * kept[i]);
    }
  }
}

}  // namespace bth::plugins::binpack
