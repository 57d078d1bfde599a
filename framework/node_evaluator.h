// Asks the node filters and scores of a session about runs of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/session.h"
#include "framework/static_fit.h"

namespace bth::framework {

// Which room a node must have for the task.
enum class Room : uint8_t {
  kIdle,    // Free now, and not promised away.
  kFuture,  // Free once releasing pods have left, but not now.
  kAny,     // No resource check (best effort).
};

// Thread: scheduling and its workers; holds no state of its own but the list of runs.
class NodeEvaluator {
 public:
  static constexpr size_t kRunNodesMax = 256;

  explicit NodeEvaluator(const Session& session);

  // Ready nodes as runs of neighbouring ids, at most kRunNodesMax each. Hooks see only these.
  const std::vector<model::NodeRange>& runs() const { return runs_; }

  bool HasRoom(model::ShapeId shape, model::NodeId node, Room room) const;
  // out[i] = 1 when the node passes room, static and usage filters.
  void Feasible(model::ShapeId shape, const StaticFit& fit, model::NodeRange run, Room room,
                absl::Span<uint8_t> out) const;
  // out[i] = total of static and usage scores, for the given maxima of the normalised ones.
  void Score(model::ShapeId shape, const StaticFit& fit, absl::Span<const int64_t> maxima,
             model::NodeRange run, absl::Span<double> out) const;
  // True when some static score of the shape must be normalised over the feasible nodes.
  bool NeedsMaxima(const StaticFit& fit) const;
  // Raises `maxima` to the raw scores of `node`.
  void RaiseMaxima(const StaticFit& fit, model::NodeId node, absl::Span<int64_t> maxima) const;

 private:
  const Session& session_;
  std::vector<model::NodeRange> runs_;
};

}  // namespace bth::framework
