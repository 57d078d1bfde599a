// Nodes and queues.
#include <algorithm>

#include "cache/mirror.h"

namespace bth::cache {

using model::NodeId;
using model::QueueId;

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

// All but what the status shows as allocated.
bool SameQueue(const CompiledQueue& a, const CompiledQueue& b) {
  return a.row.uid == b.row.uid && a.row.weight == b.row.weight &&
         a.row.priority == b.row.priority && a.row.reclaimable == b.row.reclaimable &&
         a.row.state == b.row.state && a.row.parent == b.row.parent &&
         a.row.hierarchy == b.row.hierarchy && a.row.hierarchy_weights == b.row.hierarchy_weights &&
         a.row.dequeue_strategy == b.row.dequeue_strategy && a.capability == b.capability &&
         a.deserved == b.deserved && a.guarantee == b.guarantee && a.node_groups == b.node_groups &&
         a.row.has_device_quota == b.row.has_device_quota &&
         a.row.has_negative_quota == b.row.has_negative_quota &&
         a.node_group_limits == b.node_group_limits;
}

}  // namespace

void Mirror::PutNode(CompiledNode node) {
  node.facts->name_symbol = vocabulary_.symbols().Intern(node.facts->name);
  const NodeId id = NodeOf(node.facts->name);
  NodeRecord& record = node_records_[id];
  if (record.object && SameNode(*record.object, node)) return;
  NoteRoom();
  if (record.object) CountImages(*record.object->facts, -1);
  CountImages(*node.facts, +1);
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
    record.object.reset();
  }
  WriteNodeRow(id);
  DropNodeIfEmpty(id);
}

void Mirror::WriteNodeRow(NodeId id) {
  const NodeRecord& record = node_records_[id];
  model::ResourceVec allocatable;
  model::NodeRow row = now_.nodes[id];
  row.facts = nullptr;
  if (record.object) {
    auto facts = std::make_shared<model::NodeFacts>(*record.object->facts);
    facts->kube_allocatable = vocabulary_.Vector(record.object->allocatable);
    allocatable = facts->kube_allocatable + vocabulary_.Vector(record.object->oversubscription);
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
  const std::string name = *queue.row.name;
  if (auto known = queues_.find(name); known != queues_.end()) {
    CompiledQueue& record = *queue_records_[known->second];
    if (SameQueue(record, queue)) {
      record.shown_allocated = std::move(queue.shown_allocated);
      return;
    }
  }
  changed_ = true;
  bool grew = false;
  vocabulary_.Reserve(queue.guarantee, &grew);
  if (grew) Renumber();
  auto [it, fresh] = queues_.try_emplace(name);
  if (fresh) {
    it->second = queue_slots_.Take();
    queue_records_.EnsureContains(it->second);
    now_.queues.EnsureContains(it->second);
    queue_names_dirty_ = true;
  }
  const QueueId id = it->second;
  queue_records_[id] = std::move(queue);
  WriteQueueRow(id);
  if (fresh) {
    for (const auto& [key, job] : jobs_) WriteJobRow(job);  // Some may have waited for it.
  }
}

void Mirror::RemoveQueue(const std::string& name) {
  auto known = queues_.find(name);
  if (known == queues_.end()) return;
  changed_ = true;
  const QueueId id = known->second;
  queues_.erase(known);
  queue_records_[id].reset();
  now_.queues.Mutable(id) = model::QueueRow();
  queue_slots_.Free(id);
  queue_names_dirty_ = true;
  for (const auto& [key, job] : jobs_) WriteJobRow(job);
}

void Mirror::WriteQueueRow(QueueId id) {
  const CompiledQueue& queue = *queue_records_[id];
  model::QueueRow row = queue.row;
  row.capability = vocabulary_.Set(queue.capability);
  row.deserved = vocabulary_.Set(queue.deserved);
  row.guarantee = vocabulary_.Set(queue.guarantee);
  const auto unasked = [this](const auto& entry) {
    return entry.second > 0 && !vocabulary_.dims().Find(entry.first).has_value();
  };
  row.deserves_unasked = std::any_of(queue.deserved.begin(), queue.deserved.end(), unasked);
  if (queue.node_groups != model::NodeGroupRules() || !queue.node_group_limits.empty()) {
    auto rules = std::make_shared<model::NodeGroupRules>(queue.node_groups);
    for (const auto& [group, amounts] : queue.node_group_limits) {
      rules->limits.emplace_back(group, vocabulary_.Set(amounts));
    }
    row.node_groups = std::move(rules);
  }
  now_.queues.Mutable(id) = row;
  ++rows_rewritten_;
}

const NamedAmounts* Mirror::ShownAllocatedOf(const std::string& queue) const {
  auto known = queues_.find(queue);
  if (known == queues_.end()) return nullptr;
  return &queue_records_[known->second]->shown_allocated;
}

}  // namespace bth::cache
