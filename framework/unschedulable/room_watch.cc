#include "framework/unschedulable/room_watch.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_set.h"
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

using Ports = std::vector<model::HostPort>;

// Some port that was held is not.
bool PortsCameFree(const Ports* before, const Ports* now) {
  if (before == now || before == nullptr) return false;
  if (now == nullptr) return !before->empty();
  constexpr size_t kFew = 32;  // A set does not pay for these.
  if (now->size() <= kFew) {
    return std::any_of(before->begin(), before->end(), [now](const model::HostPort& port) {
      return std::find(now->begin(), now->end(), port) == now->end();
    });
  }
  using Port = std::tuple<uint8_t, int32_t, std::string_view>;
  const auto key = [](const model::HostPort& port) {
    return Port(port.protocol, port.port, port.ip);
  };
  absl::flat_hash_set<Port> held;
  held.reserve(now->size());
  for (const model::HostPort& port : *now) held.insert(key(port));
  return std::any_of(before->begin(), before->end(),
                     [&](const model::HostPort& port) { return !held.contains(key(port)); });
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

// Whether the plugin votes; where it stands twice in a tier, each time.
template <typename List>
bool IsAmong(const List& votes, const HookTable& hooks, const HookOrigin& origin) {
  const auto is_of_it = [&origin](const auto& entry) {
    return entry.origin.tier == origin.tier && entry.origin.plugin == origin.plugin;
  };
  return std::count_if(votes.begin(), votes.end(), is_of_it) ==
         std::count_if(hooks.queue_room.begin(), hooks.queue_room.end(), is_of_it);
}

}  // namespace

void NodeRoomWatch::Remember(const Session& session) {
  nodes_ = session.base().nodes;
  const model::Usage& usage = session.usage();
  usage_.idle = usage.idle;
  usage_.releasing = usage.releasing;
  usage_.pipelined = usage.pipelined;
}

NodeRoomWatch::Changes NodeRoomWatch::Compare(const model::Snapshot& base, bool any_use) const {
  Changes changes;
  const size_t rows = base.nodes.size();
  for (size_t row = 0; row < rows; row += kBlockRows) {
    row = std::min({NextRowThatMayDiffer(base.nodes, nodes_, row),
                    NextRowThatMayDiffer(base.usage.idle, usage_.idle, row),
                    NextRowThatMayDiffer(base.usage.releasing, usage_.releasing, row),
                    NextRowThatMayDiffer(base.usage.pipelined, usage_.pipelined, row)});
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
    const bool other = !nodes_.Contains(node) || nodes_[node].facts != base.nodes[node].facts ||
                       nodes_[node].outside_shard != base.nodes[node].outside_shard;
    const bool facts = other || nodes_[node].device_holders != base.nodes[node].device_holders ||
                       PortsCameFree(nodes_[node].ports.get(), base.nodes[node].ports.get()) ||
                       CpusGrew(nodes_[node].numa.get(), base.nodes[node].numa.get());
    const NodeRoom before{RowOf(usage_.idle, node), RowOf(usage_.releasing, node),
                          RowOf(usage_.pipelined, node)};
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

// They refuse or permit, so that the vote ends in the first tier in which any of them votes.
QueueRoomWatch::Rooms QueueRoomWatch::RoomsOf(const Session& session) {
  const HookTable& hooks = session.hooks();
  std::optional<int> deciding;
  std::vector<Room> plugins;
  for (const auto& hook : hooks.queue_room) {
    const bool votes_on_jobs = IsAmong(hooks.job_enqueueable, hooks, hook.origin);
    if (votes_on_jobs && !deciding) deciding = hook.origin.tier;
    plugins.push_back({.room = {},
                       .votes_on_tasks = IsAmong(hooks.allocatable, hooks, hook.origin),
                       .votes_on_jobs = votes_on_jobs && deciding == hook.origin.tier});
  }
  Rooms rooms(session.base().queues.size());
  for (QueueId queue : *session.base().queues_by_name) {
    rooms[queue] = plugins;
    for (size_t i = 0; i < plugins.size(); ++i) {
      rooms[queue][i].room = hooks.queue_room[i].fn(queue);
    }
  }
  return rooms;
}

QueueRoomWatch::Change QueueRoomWatch::ChangeOf(QueueId queue) const {
  constexpr Change kInEveryWay{.share_grew = true, .share_changed = true, .admission_grew = true};
  if (!rooms_.Contains(queue) || !now_.Contains(queue)) return kInEveryWay;
  if (rooms_[queue].size() != now_[queue].size()) return kInEveryWay;
  Change change;
  for (size_t i = 0; i < now_[queue].size(); ++i) {
    const QueueRoom& before = rooms_[queue][i].room;
    const QueueRoom& now = now_[queue][i].room;
    change.share_grew |= Grew(before.share, now.share);
    change.share_changed |= before.share != now.share;
    change.admission_grew |= Grew(before.admission, now.admission);
    const bool other = before.other != now.other;
    change.share_grew |= other;
    change.share_changed |= other;
    change.admission_grew |= other;
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
  const auto admits = [&minimum](const Room& of) {
    return !of.votes_on_jobs ||
           algo::DimsOver(minimum, of.room.admission, algo::AskedDims(minimum)) == 0;
  };
  return std::all_of(now_[queue].begin(), now_[queue].end(), admits);
}

bool QueueRoomWatch::Serves(QueueId queue, const ResourceVec& request) const {
  const auto serves = [&request](const Room& of) {
    return !of.votes_on_tasks ||
           algo::DimsOver(request, of.room.share, algo::AskedDims(request)) == 0;
  };
  return std::all_of(now_[queue].begin(), now_[queue].end(), serves);
}

int64_t QueueRoomWatch::SlotsUpTo(QueueId queue, const ResourceVec& request, int64_t enough) const {
  const algo::DimMask asked = algo::AskedDims(request);
  int64_t slots = enough;
  for (const Room& of : rooms_[queue]) {
    if (!of.votes_on_tasks) continue;
    for (int d = 0; d < model::kDims; ++d) {
      if ((asked >> d & 1u) != 0) slots = std::min(slots, of.room.share[d] / request[d]);
    }
  }
  return std::max(slots, int64_t{0});
}

}  // namespace bth::framework
