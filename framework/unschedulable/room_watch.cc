#include "framework/unschedulable/room_watch.h"

#include <algorithm>

#include "algo/resource_algebra.h"
#include "base/next_different_row.h"

namespace bth::framework {
namespace {

using model::NodeId;
using model::QueueId;
using model::ResourceVec;

constexpr size_t kBlockRows = model::NodeAmounts::kRowsPerChunk;

bool Grew(const ResourceVec& before, const ResourceVec& now) {
  return !now.AllAtMost(before);
}

// CPUs became free, or are looked at otherwise.
bool CpusGrew(const model::NodeNuma* before, const model::NodeNuma* now) {
  if (before == now || now == nullptr) return before != now;
  return before == nullptr || before->facts != now->facts || !now->free.Within(before->free);
}

// Of a node.
struct NodeRoom {
  ResourceVec idle, releasing, pipelined;
  // When pods that leave are gone.
  ResourceVec Later() const { return idle + releasing - pipelined; }
  // As long as they are there: pods are counted like that.
  ResourceVec Beside() const { return idle - pipelined; }
};

template <typename Column>
ResourceVec RowOf(const Column& column, NodeId node) {
  return column.Contains(node) ? column[node] : ResourceVec();
}

}  // namespace

void NodeRoomWatch::Remember(const Session& session) {
  nodes_ = session.base().nodes;
  idle_ = session.usage().idle;
  releasing_ = session.usage().releasing;
  pipelined_ = session.usage().pipelined;
}

NodeRoomWatch::Changes NodeRoomWatch::Compare(const model::Snapshot& base, bool any_use) const {
  Changes changes;
  const size_t rows = base.nodes.size();
  for (size_t row = 0; row < rows; row += kBlockRows) {
    row = std::min({NextRowThatMayDiffer(base.nodes, nodes_, row),
                    NextRowThatMayDiffer(base.usage.idle, idle_, row),
                    NextRowThatMayDiffer(base.usage.releasing, releasing_, row),
                    NextRowThatMayDiffer(base.usage.pipelined, pipelined_, row)});
    row -= row % kBlockRows;
    if (row < rows) CompareBlock(base, row, any_use, &changes);
  }
  return changes;
}

void NodeRoomWatch::CompareBlock(const model::Snapshot& base, size_t begin, bool any_use,
                                 Changes* out) const {
  const size_t end = std::min(begin + kBlockRows, base.nodes.size());
  for (size_t i = begin; i < end; ++i) {
    const NodeId node = NodeId::FromIndex(i);
    if (!base.nodes[node].has_object()) continue;
    const bool other = !nodes_.Contains(node) || nodes_[node].facts != base.nodes[node].facts;
    const bool facts = other || nodes_[node].outside_shard != base.nodes[node].outside_shard ||
                       nodes_[node].device_holders != base.nodes[node].device_holders ||
                       CpusGrew(nodes_[node].numa.get(), base.nodes[node].numa.get());
    const NodeRoom before{RowOf(idle_, node), RowOf(releasing_, node), RowOf(pipelined_, node)};
    const NodeRoom now{RowOf(base.usage.idle, node), RowOf(base.usage.releasing, node),
                       RowOf(base.usage.pipelined, node)};
    const bool use =
        now.idle != before.idle || now.Later() != before.Later() || now.Beside() != before.Beside();
    out->any |= facts || use;
    const bool grew = Grew(before.idle, now.idle) || Grew(before.Later(), now.Later()) ||
                      Grew(before.Beside(), now.Beside());
    if (facts || grew || (any_use && use)) out->grown.push_back(node);
    if (other) out->other.push_back(node);
  }
}

QueueRoomWatch::Rooms QueueRoomWatch::RoomsOf(const Session& session) {
  const auto& hooks = session.hooks().queue_room;
  Rooms rooms(session.base().queues.size());
  for (QueueId queue : *session.base().queues_by_name) {
    for (const auto& hook : hooks) rooms[queue].push_back(hook.fn(queue));
  }
  return rooms;
}

QueueRoomWatch::Change QueueRoomWatch::ChangeOf(QueueId queue) const {
  constexpr Change kInEveryWay{.share_grew = true, .share_changed = true, .admission_grew = true};
  if (!rooms_.Contains(queue) || !now_.Contains(queue)) return kInEveryWay;
  if (rooms_[queue].size() != now_[queue].size()) return kInEveryWay;
  Change change;
  for (size_t i = 0; i < now_[queue].size(); ++i) {
    const QueueRoom& before = rooms_[queue][i];
    const QueueRoom& now = now_[queue][i];
    change.share_grew |= Grew(before.share, now.share);
    change.share_changed |= before.share != now.share;
    change.admission_grew |= Grew(before.admission, now.admission);
    const bool devices = before.devices != now.devices;
    change.share_grew |= devices;
    change.share_changed |= devices;
    change.admission_grew |= devices;
  }
  return change;
}

bool QueueRoomWatch::AnyShareChanged() const {
  if (now_.size() != rooms_.size()) return true;
  for (size_t i = 0; i < now_.size(); ++i) {
    if (ChangeOf(QueueId::FromIndex(i)).share_changed) return true;
  }
  return false;
}

bool QueueRoomWatch::Admits(QueueId queue, const ResourceVec& minimum) const {
  const auto admits = [&minimum](const QueueRoom& room) {
    return algo::DimsOver(minimum, room.admission, algo::AskedDims(minimum)) == 0;
  };
  return std::all_of(now_[queue].begin(), now_[queue].end(), admits);
}

bool QueueRoomWatch::Serves(QueueId queue, const ResourceVec& request) const {
  const auto serves = [&request](const QueueRoom& room) {
    return algo::DimsOver(request, room.share, algo::AskedDims(request)) == 0;
  };
  return std::all_of(now_[queue].begin(), now_[queue].end(), serves);
}

int64_t QueueRoomWatch::SlotsUpTo(QueueId queue, const ResourceVec& request, int64_t enough) const {
  const algo::DimMask asked = algo::AskedDims(request);
  int64_t slots = enough;
  for (const QueueRoom& room : rooms_[queue]) {
    for (int d = 0; d < model::kDims; ++d) {
      if ((asked >> d & 1u) != 0) slots = std::min(slots, room.share[d] / request[d]);
    }
  }
  return std::max(slots, int64_t{0});
}

}  // namespace bth::framework
