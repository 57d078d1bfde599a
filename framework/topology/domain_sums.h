// What the nodes of each HyperNode have together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "api/model/hyper_nodes.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/session/placements.h"

namespace bth::framework {

// An overcommitted node takes nothing from others.
inline model::ResourceVec AtLeastNothing(model::ResourceVec room) {
  for (int64_t& amount : room.q) amount = std::max<int64_t>(amount, 0);
  return room;
}

struct DomainSum {
  model::ResourceVec allocatable;
  model::ResourceVec idle;  // Allocatable, less what is on the nodes.
  // What could be taken now, and once all that leaves has left: a node that is overcommitted takes
  // nothing from others.
  model::ResourceVec free;
  model::ResourceVec free_later;
  uint64_t version = 0;  // Another one with every change.
  model::ResourceVec used() const { return allocatable - idle; }
};

// The same from nothing. Cost: the nodes of the HyperNode.
DomainSum CountDomain(const model::Snapshot& base, const model::Usage& usage,
                      const model::HyperNodeRow& row);
// But for their versions.
bool SameAmounts(const DomainSum& a, const DomainSum& b);

// In step with the session. Lives for one session. Thread: scheduling. Cost: all nodes times the
// depth the first time, later the nodes that changed since the last question.
class DomainSums {
 public:
  DomainSums(const model::Snapshot& base, const Placements& placements,
             const model::HyperNodeTree& tree)
      : base_(base), placements_(placements), tree_(tree) {}

  const DomainSum& Of(model::HyperNodeId id);

 private:
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  struct Seen {
    model::ResourceVec idle;
    model::ResourceVec later;
  };
  void CatchUp();
  void Begin();
  void Look(model::NodeId node);

  const model::Snapshot& base_;
  const Placements& placements_;
  const model::HyperNodeTree& tree_;
  IdVector<model::HyperNodeId, DomainSum> sums_;
  IdVector<model::NodeId, Seen> seen_;
  size_t changes_seen_ = kNever;
};

}  // namespace bth::framework
