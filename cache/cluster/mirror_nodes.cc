// Nodes and queues.
#include <algorithm>

#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::NodeId;

NodeId Mirror::NodeOf(const std::string& name) {
  auto [it, fresh] = nodes_.try_emplace(name);
  if (!fresh) return it->second;
  const NodeId id = node_slots_.Take();
  it->second = id;
  node_records_.EnsureContains(id);
  node_records_[id] = NodeRecord();
  node_records_[id].name = name;
  now_.nodes.EnsureContains(id);
  now_.allocatable.EnsureContains(id);
  now_.usage.idle.EnsureContains(id);
  now_.usage.releasing.EnsureContains(id);
  now_.usage.pipelined.EnsureContains(id);
  now_.usage.nonzero.EnsureContains(id);
  return id;
}

namespace {

// Heartbeats change nothing that scheduling reads.
bool SameNode(const CompiledNode& a, const CompiledNode& b) {
  const auto same_label = [](const model::NodeLabel& l, const model::NodeLabel& r) {
    return l.key == r.key && l.value == r.value;
  };
  const auto same_taint = [](const model::Taint& l, const model::Taint& r) {
    return l.key == r.key && l.value == r.value && l.effect == r.effect;
  };
  const model::NodeFacts& left = *a.facts;
  const model::NodeFacts& right = *b.facts;
  const bool same_document =
      left.document == right.document ||
      (left.document != nullptr && right.document != nullptr && *left.document == *right.document);
  return same_document && left.capacity_cpu_milli == right.capacity_cpu_milli &&
         left.capacity_memory_bytes == right.capacity_memory_bytes &&
         left.unschedulable == right.unschedulable && left.images == right.images &&
         std::equal(left.labels.begin(), left.labels.end(), right.labels.begin(),
                    right.labels.end(), same_label) &&
         std::equal(left.taints.begin(), left.taints.end(), right.taints.begin(),
                    right.taints.end(), same_taint) &&
         a.allocatable == b.allocatable && a.oversubscription == b.oversubscription;
}

}  // namespace

void Mirror::PutNode(CompiledNode node) {
  const NodeId id = NodeOf(node.facts->name);
  NodeRecord& record = node_records_[id];
  const auto symbol = std::make_shared<SymbolHold>(vocabulary_.symbols());
  node.facts->name_symbol = symbol->Intern(node.facts->name);
  if (record.object && SameNode(*record.object, node)) return;
  NoteRoom();
  if (record.object) CountImages(*record.object->facts, -1);
  CountImages(*node.facts, +1);
  vocabulary_.dimensions().Offer(node.allocatable, +1);
  if (record.object) {
    vocabulary_.dimensions().Offer(record.object->allocatable, -1);
    CountNode(*record.object, -1);
  }
  CountNode(node, +1);
  record.symbol = symbol;
  record.object = std::move(node);
  WriteNodeRow(id);
}

void Mirror::RemoveNode(const std::string& name) {
  auto known = nodes_.find(name);
  if (known == nodes_.end()) return;
  NoteRoom();
  const NodeId id = known->second;
  NodeRecord& record = node_records_[id];
  if (record.object) {
    CountImages(*record.object->facts, -1);
    vocabulary_.dimensions().Offer(record.object->allocatable, -1);
    CountNode(*record.object, -1);
    record.object.reset();
  }
  WriteNodeRow(id);
  DropNodeIfEmpty(id);
}

void Mirror::WriteNodeRow(NodeId id) {
  NodeRecord& record = node_records_[id];
  model::ResourceVec allocatable;
  model::NodeRow row = now_.nodes[id];
  row.facts = nullptr;
  if (record.object) {
    auto facts = std::make_shared<model::NodeFacts>(*record.object->facts);
    facts->kube_allocatable = vocabulary_.Vector(record.object->allocatable);
    allocatable = facts->kube_allocatable + vocabulary_.Vector(record.object->oversubscription);
    record.object->facts = facts;  // One copy serves both.
    row.facts = std::move(facts);
  }
  // Idle follows the difference; what is on the node stays counted.
  const model::ResourceVec change = allocatable - now_.allocatable[id];
  now_.total += change;
  now_.usage.idle.Mutable(id) += change;
  now_.allocatable.Mutable(id) = allocatable;
  now_.nodes.Mutable(id) = row;
  ready_nodes_.Set(id, row.ready());
  ++rows_rewritten_;
}

void Mirror::Mention(NodeId id, int32_t sign) {
  if (id.valid()) node_records_[id].mentions += sign;
}

// A slot lives while its object, a pod on it or a nomination does.
void Mirror::DropNodeIfEmpty(NodeId id) {
  NodeRecord& record = node_records_[id];
  if (record.object || record.mentions > 0) return;
  nodes_.erase(record.name);
  record = NodeRecord();
  now_.nodes.Mutable(id) = model::NodeRow();
  node_slots_.Free(id);
  ready_nodes_.Set(id, false);
}

void Mirror::CountImages(const model::NodeFacts& facts, int32_t sign) {
  for (const auto& [image, size] : facts.images) {
    auto [it, fresh] = image_nodes_.try_emplace(image, 0);
    it->second += sign;
    if (it->second == 0) image_nodes_.erase(it);
    images_dirty_ = true;
  }
}

void Mirror::PutQueue(CompiledQueue queue) {
  if (queues_.TakeShown(queue)) return;
  changed_ = true;
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Ask(queue.guarantee, +1);
  if (const CompiledQueue* known = queues_.Known(*queue.row.name); known != nullptr) {
    dimensions.Ask(known->guarantee, -1);
  }
  SettleDimensions();
  const bool fresh = queues_.Put(std::move(queue), vocabulary_, &now_);
  ++rows_rewritten_;
  if (!fresh) return;
  for (const auto& [key, job] : jobs_) WriteJobRow(job);  // Some may have waited for it.
}

void Mirror::RemoveQueue(const std::string& name) {
  const CompiledQueue* known = queues_.Known(name);
  if (known == nullptr) return;
  vocabulary_.dimensions().Ask(known->guarantee, -1);
  queues_.Remove(name, &now_);
  changed_ = true;
  for (const auto& [key, job] : jobs_) WriteJobRow(job);
}

const NamedAmounts* Mirror::ShownAllocatedOf(const std::string& queue) const {
  return queues_.ShownAllocatedOf(queue);
}

std::string Mirror::UidOfQueue(const std::string& queue) const {
  const CompiledQueue* known = queues_.Known(queue);
  return known == nullptr ? std::string() : known->row.uid;
}

}  // namespace bth::cache
