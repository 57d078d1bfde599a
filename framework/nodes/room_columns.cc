#include "framework/nodes/room_columns.h"

#include <algorithm>

#include "base/row_at.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::NodeRange;
using model::ResourceVec;

// Quantities beyond it are cut, requests beyond it are not answered here: their differences stay
// inside int64, so that the sign of a difference alone tells what fits.
constexpr int64_t kQuantityMax = int64_t{1} << 61;

int64_t Cut(int64_t quantity) {
  return std::clamp(quantity, -kQuantityMax, kQuantityMax);
}

bool HasFuture(const Session& session) {
  return session.usage().releasing_tasks > 0 || session.usage().pipelined_tasks > 0;
}

}  // namespace

void RoomColumns::CatchUp() {
  const auto dims = static_cast<size_t>(session_.dims().size());
  const size_t nodes = session_.base().nodes.size();
  const auto size_of = [dims, nodes](Columns& columns) {
    for (size_t d = 0; d < dims; ++d) columns[d].resize(nodes);
  };
  size_of(idle_);
  if (HasFuture(session_) && future_[0].empty()) {
    size_of(future_);
    follower_.Forget();
  }
  follower_.CatchUp([this](NodeId node) { Read(node); });
}

void RoomColumns::Read(NodeId node) {
  const ResourceVec& idle = session_.usage().idle[node];
  const int dims = session_.dims().size();
  for (int d = 0; d < dims; ++d) RowAt(idle_[static_cast<size_t>(d)], node) = Cut(idle[d]);
  if (future_[0].empty()) return;
  const ResourceVec future = session_.usage().FutureIdle(node);
  for (int d = 0; d < dims; ++d) RowAt(future_[static_cast<size_t>(d)], node) = Cut(future[d]);
}

bool RoomColumns::Covers(const ResourceVec& request) const {
  if (!follower_.up_to_date()) return false;
  if (HasFuture(session_) && future_[0].empty()) return false;
  for (int d = 0; d < model::kDims; ++d) {
    if (request[d] > kQuantityMax) return false;
    if (request[d] > 0 && d >= session_.dims().size()) return false;
  }
  return true;
}

void RoomColumns::Fits(const Columns& columns, const ResourceVec& request, NodeRange run,
                       absl::Span<uint8_t> out) const {
  constexpr size_t kBlock = 256;
  uint64_t missing[kBlock];
  for (size_t from = 0; from < run.size(); from += kBlock) {
    const size_t count = std::min(kBlock, run.size() - from);
    std::fill_n(missing, count, 0);
    for (int d = 0; d < model::kDims; ++d) {
      const int64_t asked = request[d];
      if (asked <= 0) continue;
      const int64_t* __restrict free =
          columns[static_cast<size_t>(d)].data() + run.first().index() + from;
      for (size_t i = 0; i < count; ++i) missing[i] |= static_cast<uint64_t>(free[i] - asked);
    }
    uint8_t* __restrict fits = out.data() + from;
    for (size_t i = 0; i < count; ++i) fits[i] = static_cast<uint8_t>(~missing[i] >> 63);
  }
}

}  // namespace bth::framework
