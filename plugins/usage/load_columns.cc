#include "plugins/usage/load_columns.h"

#include "base/changed_rows.h"

namespace bth::plugins::usage {

NodeView LoadColumns::ViewOf(const model::Snapshot& base, model::NodeId node) {
  NodeView view;
  if (!base.nodes[node].has_object()) return view;
  const model::NodeFacts& facts = base.node_facts(node);
  const model::ResourceVec lent = base.allocatable[node] - facts.kube_allocatable;
  const auto capacity = [&](int64_t own, int dim) {
    return own > 0 ? own + lent[dim] : base.allocatable[node][dim];
  };
  view.cpu_milli = capacity(facts.capacity_cpu_milli, model::kCpu);
  view.memory_bytes = capacity(facts.capacity_memory_bytes, model::kMemory);
  if (base.loads == nullptr) return view;
  if (const auto load = base.loads->find(facts.name); load != base.loads->end()) {
    view.cpu_percent = load->second.cpu_percent;
    view.memory_percent = load->second.memory_percent;
    view.measured_at_us = load->second.measured_at_us;
  }
  return view;
}

void LoadColumns::Advance(const model::Snapshot& base) {
  if (loads_ != base.loads) nodes_ = {};
  views_.resize(base.nodes.size());
  const auto read = [&](size_t row) { views_[row] = ViewOf(base, model::NodeId::FromIndex(row)); };
  ForChangedRows(base.nodes, nodes_, read);
  ForChangedRows(base.allocatable, allocatable_, read);
  loads_ = base.loads;
  nodes_ = base.nodes;
  allocatable_ = base.allocatable;
}

}  // namespace bth::plugins::usage
