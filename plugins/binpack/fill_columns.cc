#include "plugins/binpack/fill_columns.h"

#include <algorithm>
#include <limits>

#include "algo/node_scores.h"
#include "base/row_at.h"

namespace bth::plugins::binpack {
namespace {

using model::NodeId;
using model::NodeRange;

constexpr size_t kBlock = 256;

}  // namespace

void FillColumns::CatchUp() {
  const size_t nodes = session_.base().nodes.size();
  for (const Part& part : counted_) {
    Column& column = columns_[static_cast<size_t>(part.dim)];
    column.capacity.resize(nodes, 1);
    column.held.resize(nodes, 0);
  }
  follower_.CatchUp([this](NodeId node) {
    for (const Part& part : counted_) {
      const Fill fill = FillOf(node, part.dim);
      Column& column = columns_[static_cast<size_t>(part.dim)];
      RowAt(column.capacity, node) = fill.capacity;
      RowAt(column.held, node) = fill.held;
    }
  });
}

FillColumns::Fill FillColumns::FillOf(NodeId node, int dim) const {
  const int64_t capacity = session_.base().allocatable[node][dim];
  if (capacity == 0) return {.capacity = std::numeric_limits<double>::infinity(), .held = 0};
  return {.capacity = static_cast<double>(capacity),
          .held = static_cast<double>(capacity - session_.usage().idle[node][dim])};
}

void FillColumns::Add(const Parts& asked, NodeRange block, absl::Span<double> sum) const {
  Lanes lanes;
  if (block.size() < 2 || !follower_.up_to_date()) {
    std::array<Fill, model::kDims> fills;
    for (NodeId node : block) {
      for (size_t p = 0; p < asked.parts.size(); ++p) {
        fills[p] = FillOf(node, asked.parts[p].dim);
        lanes[p] = {.capacity = &fills[p].capacity, .held = &fills[p].held};
      }
      AddScores(asked, lanes, sum.subspan(block.Offset(node), 1));
    }
    return;
  }
  for (size_t from = 0; from < block.size(); from += kBlock) {
    const size_t first = block.first().index() + from;
    for (size_t p = 0; p < asked.parts.size(); ++p) {
      const Column& column = columns_[static_cast<size_t>(asked.parts[p].dim)];
      lanes[p] = {.capacity = column.capacity.data() + first, .held = column.held.data() + first};
    }
    AddScores(asked, lanes, sum.subspan(from, std::min(kBlock, block.size() - from)));
  }
}

void FillColumns::AddScores(const Parts& asked, const Lanes& lanes, absl::Span<double> sum) {
  double full[kBlock];
  double kept[kBlock];  // 0 where a resource would be exceeded, else 1: times either is exact.
  const size_t count = sum.size();
  std::fill_n(full, count, 0.0);
  std::fill_n(kept, count, 1.0);
  for (size_t p = 0; p < asked.parts.size(); ++p) {
    const Part& part = asked.parts[p];
    if (part.weight == 0) continue;
    const double* capacity = lanes[p].capacity;
    const double* held = lanes[p].held;
    const auto request = static_cast<double>(part.request);
    const double weight = part.weight;
    for (size_t i = 0; i < count; ++i) {
      const double filled = held[i] + request;
      kept[i] = filled > capacity[i] ? 0.0 : kept[i];
      full[i] += filled * weight / capacity[i];
    }
  }
  double* out = sum.data();
  const double weight_sum = asked.weight_sum;
  const double plugin_weight = asked.plugin_weight;
  for (size_t i = 0; i < count; ++i) {
    const double share = full[i] / weight_sum * static_cast<double>(algo::kScoreTop);
    out[i] += plugin_weight * (share * kept[i]);
  }
}

}  // namespace bth::plugins::binpack
