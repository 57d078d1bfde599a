// Measured load and capacity of each node, kept from session to session.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/model/snapshot.h"
#include "base/row_at.h"

namespace bth::plugins::usage {

struct NodeView {
  double cpu_percent = 0;
  double memory_percent = 0;
  int64_t measured_at_us = 0;  // 0: never.
  int64_t cpu_milli = 0;       // Capacity, lent room included.
  int64_t memory_bytes = 0;
};

// Cost of Advance: all nodes when new loads came, else the chunks of nodes that changed.
// Thread: scheduling; reads on any while it waits.
class LoadColumns {
 public:
  void Advance(const model::Snapshot& base);
  const NodeView& operator[](model::NodeId node) const { return RowAt(views_, node); }
  size_t size() const { return views_.size(); }

 private:
  static NodeView ViewOf(const model::Snapshot& base, model::NodeId node);

  std::vector<NodeView> views_;  // By node.
  std::shared_ptr<const model::NodeLoads> loads_;
  decltype(model::Snapshot::nodes) nodes_;
  model::NodeAmounts allocatable_;
};

}  // namespace bth::plugins::usage
