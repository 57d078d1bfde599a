// How many tasks of one shape a node could take.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/model/ids.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/session.h"

namespace bth::framework {

// By static filters, the shard and resources, free now or when releasing pods have left; what other
// filters say may leave less, and never leaves more. As things stand. Thread: scheduling.
class NodeSlots {
 public:
  // More than that count as so many.
  static constexpr int32_t kSlotsMax = 1'000'000;

  NodeSlots(const Session& session, model::ShapeId shape);

  int32_t On(model::NodeId node) const;

 private:
  int32_t FitInto(const model::ResourceVec& room) const;

  const Session& session_;
  const model::ResourceVec& request_;
  const std::shared_ptr<const StaticFit> fit_;
  std::vector<int> dims_;  // That are asked for.
};

}  // namespace bth::framework
