#include "framework/peers/topology_column.h"

#include <algorithm>

#include "base/changed_rows.h"
#include "base/row_at.h"

namespace bth::framework {

using model::NodeId;
using model::NodeRow;

void TopologyColumn::Refresh(const model::Snapshot& snapshot) {
  const auto& nodes = snapshot.nodes;
  if (nodes.size() != of_node_.size()) {
    of_node_.resize(nodes.size(), kNone);
    ++version_;
  }
  ForChangedRows(nodes, rows_, [&](size_t row) {
    const NodeId node = NodeId::FromIndex(row);
    if (rows_.Contains(node) && rows_[node].facts == nodes[node].facts) return;
    Write(node, nodes[node]);
  });
  rows_ = nodes;
  // Values that no node has any more keep their numbers until they are the larger part.
  if (next_ > 2 * nodes.size() + 64) Renumber(snapshot);
}

void TopologyColumn::Write(NodeId node, const NodeRow& row) {
  const model::NodeLabel* label = row.has_object() ? row.facts->FindLabel(key_) : nullptr;
  uint32_t domain = kNone;
  if (label != nullptr) {
    const auto [it, fresh] = numbers_.try_emplace(label->value, next_);
    if (fresh) ++next_;
    domain = it->second;
  }
  if (RowAt(of_node_, node) == domain) return;
  RowAt(of_node_, node) = domain;
  ++version_;
}

void TopologyColumn::Renumber(const model::Snapshot& snapshot) {
  numbers_.clear();
  next_ = 1;
  ++version_;
  for (NodeId node : snapshot.nodes.ids()) Write(node, snapshot.nodes[node]);
}

}  // namespace bth::framework
