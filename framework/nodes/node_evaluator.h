// Asks the node filters and scores of a session about runs of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "base/ids.h"
#include "framework/nodes/room_columns.h"
#include "framework/nodes/shard_rule.h"
#include "framework/nodes/static_fit.h"
#include "framework/nodes/static_sums.h"
#include "framework/session/session.h"

namespace bth::framework {

// Which room a node must have for the task.
enum class Room : uint8_t {
  kIdle,    // Free now, and nobody is pipelined to it.
  kFuture,  // Free once releasing pods have left, but not now.
  kAny,     // No resource check (best effort).
};

// Which nodes are asked about.
struct NodeClass {
  NodeClass(Room with, ShardPart in = ShardPart::kAll) : room(with), part(in) {}
  Room room;
  ShardPart part;
};

// What the static part of a score follows from.
struct ScoreBasis {
  const StaticFit& fit;
  absl::Span<const int64_t> maxima;           // Of the normalised scores.
  absl::Span<const double> static_sums = {};  // By node index; empty: to be added up.
};

// A run of one node is judged by the rows of the session, a longer one by columns if they are
// up to date; both give the same. Lives for one session.
// Thread: scheduling.
class NodeEvaluator {
 public:
  static constexpr size_t kRunNodesMax = 256;

  explicit NodeEvaluator(const Session& session) : session_(session), room_(session) {}

  // Ready nodes as runs of neighbouring ids, at most kRunNodesMax each. Hooks see only these.
  const std::vector<model::NodeRange>& runs() const { return layout().runs; }

  // Position of a ready node by name: the last word on ties.
  uint32_t rank(model::NodeId node) const { return layout().ranks[node]; }

  // To be called before a question to all nodes. From the second one on, columns pay.
  void BeginScan();
  // Basis of a question to all nodes, the static sums shared with earlier ones. Valid until the
  // next call.
  ScoreBasis BasisFor(const std::shared_ptr<const StaticFit>& fit,
                      absl::Span<const int64_t> maxima);

  // out[i] = 1 when the node is of that class and passes static and usage filters; true when any
  // does.
  bool Feasible(model::ShapeId shape, const StaticFit& fit, model::NodeRange run, NodeClass wanted,
                absl::Span<uint8_t> out) const;
  // out[i] = total of static and usage scores.
  void Score(model::ShapeId shape, const ScoreBasis& basis, model::NodeRange run,
             absl::Span<double> out) const;
  // True when some static score of the shape must be normalised over the feasible nodes.
  bool NeedsMaxima(const StaticFit& fit) const;
  // Raises `maxima` to the raw scores of `node`.
  void RaiseMaxima(const StaticFit& fit, model::NodeId node, absl::Span<int64_t> maxima) const;

 private:
  struct Layout {
    std::vector<model::NodeRange> runs;
    IdVector<model::NodeId, uint32_t> ranks;
    std::vector<uint8_t> outside;  // By node index: outside the shard; empty: nobody asks.
  };
  // Made for the first question to all nodes, because its cost is linear in them and most sessions
  // of a quiet cluster have none. Workers come after the scheduling thread has asked.
  const Layout& layout() const {
    if (!layout_) LayOut();
    return *layout_;
  }
  void LayOut() const;
  bool HasRoom(const model::ResourceVec& request, model::NodeId node, Room room) const;
  void RoomOf(model::ShapeId shape, model::NodeRange run, Room room, absl::Span<uint8_t> out) const;
  // Clears out[i] of nodes that are not in that part.
  void KeepPart(ShardPart part, model::NodeRange run, absl::Span<uint8_t> out) const;
  void MindWhatIsHeld(model::ShapeId shape, model::NodeRange run, Room room,
                      absl::Span<uint8_t> out) const;
  void SumStatic(const StaticFit& fit, absl::Span<const int64_t> maxima, model::NodeRange run,
                 absl::Span<double> out) const;

  const Session& session_;
  mutable std::optional<Layout> layout_;
  uint64_t scans_ = 0;
  RoomColumns room_;
  StaticSums static_sums_;
};

}  // namespace bth::framework
