#include "cache/cluster/node_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::cache {

using model::NodeId;
using model::TaskId;

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
  const bool same_devices =
      left.devices == right.devices ||
      (left.devices != nullptr && right.devices != nullptr && *left.devices == *right.devices);
  return same_document && same_devices && left.capacity_cpu_milli == right.capacity_cpu_milli &&
         left.capacity_memory_bytes == right.capacity_memory_bytes &&
         left.unschedulable == right.unschedulable && left.images == right.images &&
         std::equal(left.labels.begin(), left.labels.end(), right.labels.begin(),
                    right.labels.end(), same_label) &&
         std::equal(left.taints.begin(), left.taints.end(), right.taints.begin(),
                    right.taints.end(), same_taint) &&
         a.allocatable == b.allocatable && a.oversubscription == b.oversubscription;
}

// Allocatable and oversubscription, which are added up.
NamedAmounts AllOf(const CompiledNode& node) {
  NamedAmounts out = node.allocatable;
  for (const auto& [name, amount] : node.oversubscription) {
    const auto same = [&n = name](const auto& entry) { return entry.first == n; };
    const auto known = std::find_if(out.begin(), out.end(), same);
    if (known == out.end()) {
      out.emplace_back(name, amount);
    } else {
      known->second += amount;
    }
  }
  return out;
}

}  // namespace

absl::Status NodeTable::CanCount(const CompiledNode& node) const {
  NamedAmounts before;
  const auto known = ids_.find(node.facts->name);
  if (known != ids_.end() && records_[known->second].object) {
    before = AllOf(*records_[known->second].object);
  }
  return Annotate(amounts_.Check(AllOf(node), &before), "allocatable");
}

NodeId NodeTable::SlotOf(std::string_view name) {
  if (const auto known = ids_.find(ToAbsl(name)); known != ids_.end()) return known->second;
  const NodeId id = slots_.Take();
  ids_.emplace(std::string(name), id);
  records_.EnsureContains(id);
  records_[id] = Record();
  records_[id].name = name;
  model::Snapshot& now = draft_.now;
  now.nodes.EnsureContains(id);
  now.allocatable.EnsureContains(id);
  now.usage.idle.EnsureContains(id);
  now.usage.releasing.EnsureContains(id);
  now.usage.pipelined.EnsureContains(id);
  now.usage.nonzero.EnsureContains(id);
  return id;
}

void NodeTable::Put(CompiledNode node) {
  const NodeId id = SlotOf(node.facts->name);
  Record& record = records_[id];
  const auto symbol = std::make_shared<SymbolHold>(vocabulary_.symbols());
  node.facts->name_symbol = symbol->Intern(node.facts->name);
  if (record.object && SameNode(*record.object, node)) return;
  draft_.NoteRoom();
  // New before old: what both have is never gone in between.
  CountImages(*node.facts, +1);
  vocabulary_.dimensions().Offer(node.allocatable, +1);
  if (record.object) Uncount(*record.object);
  amounts_.Add(AllOf(node));
  record.symbol = symbol;
  record.object = std::move(node);
  ++changes_;
  WriteRow(id);
}

void NodeTable::Serve(absl::FunctionRef<NamedAmounts(const model::NodeFacts&)> amounts_of) {
  for (const auto& [name, id] : ids_) {
    Record& record = records_[id];
    if (!record.object) continue;
    NamedAmounts served = amounts_of(*record.object->facts);
    std::erase_if(served, [&record](const auto& amount) {
      const NamedAmounts& own = record.object->allocatable;
      return std::any_of(own.begin(), own.end(), [&amount](const auto& known) {
        return known.first == amount.first && known.second > 0;
      });
    });
    if (served == record.served) continue;
    record.served = std::move(served);
    WriteRow(id);
    draft_.NoteRoom();
  }
}

void NodeTable::SetDevices(const std::string& name,
                           std::shared_ptr<const model::NodeDevices> devices) {
  const auto known = ids_.find(name);
  if (known == ids_.end() || !records_[known->second].object) return;
  std::shared_ptr<model::NodeFacts>& facts = records_[known->second].object->facts;
  auto changed = std::make_shared<model::NodeFacts>(*facts);
  changed->devices = std::move(devices);
  facts = std::move(changed);  // Snapshots keep the old ones.
  draft_.NoteRoom();
  ++changes_;
  WriteRow(known->second);
}

void NodeTable::Remove(const std::string& name) {
  const auto known = ids_.find(name);
  if (known == ids_.end()) return;
  draft_.NoteRoom();
  const NodeId id = known->second;
  Record& record = records_[id];
  if (record.object) {
    Uncount(*record.object);
    record.object.reset();
    record.served.clear();
    ++changes_;
  }
  WriteRow(id);
  DropIfUnused(id);
}

void NodeTable::Uncount(const CompiledNode& node) {
  CountImages(*node.facts, -1);
  vocabulary_.dimensions().Offer(node.allocatable, -1);
  amounts_.Remove(AllOf(node));
}

void NodeTable::WriteRows() {
  for (const auto& [name, id] : ids_) WriteRow(id);
}

void NodeTable::MarkShard() {
  draft_.NoteRoom();
  draft_.now.shard_mode = shards_.mode();
  for (const auto& [name, id] : ids_) {
    const bool outside = shards_.IsOutside(name);
    if (draft_.now.nodes[id].outside_shard == outside) continue;
    draft_.now.nodes.Mutable(id).outside_shard = outside;
    ++draft_.rows_rewritten;
  }
}

void NodeTable::WriteRow(NodeId id) {
  Record& record = records_[id];
  model::Snapshot& now = draft_.now;
  model::ResourceVec allocatable;
  model::NodeRow row = now.nodes[id];
  row.facts = nullptr;
  row.outside_shard = shards_.IsOutside(record.name);
  if (record.object) {
    auto facts = std::make_shared<model::NodeFacts>(*record.object->facts);
    facts->kube_allocatable = vocabulary_.Vector(record.object->allocatable);
    allocatable = facts->kube_allocatable + vocabulary_.Vector(record.object->oversubscription) +
                  vocabulary_.Vector(record.served);
    record.object->facts = facts;  // One copy serves both.
    row.facts = std::move(facts);
  }
  // Idle follows the difference; what is on the node stays counted.
  const model::ResourceVec change = allocatable - now.allocatable[id];
  now.total += change;
  now.usage.idle.Mutable(id) += change;
  now.allocatable.Mutable(id) = allocatable;
  now.nodes.Mutable(id) = row;
  with_object_.Set(id, row.has_object());
  ++draft_.rows_rewritten;
}

void NodeTable::DropIfUnused(NodeId id) {
  Record& record = records_[id];
  if (record.object || record.mentions > 0) return;
  ids_.erase(record.name);
  record = Record();
  draft_.now.nodes.Mutable(id) = model::NodeRow();
  slots_.Free(id);
  with_object_.Set(id, false);
}

NodeId NodeTable::FindReady(std::string_view name) const {
  const auto known = ids_.find(ToAbsl(name));
  if (known == ids_.end() || !draft_.now.nodes[known->second].has_object()) return {};
  return known->second;
}

const model::NodeFacts* NodeTable::FactsOf(std::string_view name) const {
  const auto known = ids_.find(ToAbsl(name));
  return known == ids_.end() ? nullptr : draft_.now.nodes[known->second].facts.get();
}

std::string_view NodeTable::NameOf(NodeId node) const {
  return node.valid() ? std::string_view(records_[node].name) : std::string_view();
}

std::vector<std::string> NodeTable::ReadyNames() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : ids_) {
    if (draft_.now.nodes[node].has_object()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

NodeId NodeTable::Mention(std::string_view name) {
  const NodeId node = SlotOf(name);
  ++records_[node].mentions;
  return node;
}

void NodeTable::Mention(NodeId node) {
  if (node.valid()) ++records_[node].mentions;
}

void NodeTable::Unmention(NodeId node) {
  if (!node.valid()) return;
  --records_[node].mentions;
  DropIfUnused(node);
}

void NodeTable::TrackPorts(NodeId node, TaskId task, bool on) {
  absl::flat_hash_set<TaskId>& holders = records_[node].with_ports;
  if (on) {
    holders.insert(task);
  } else {
    holders.erase(task);
  }
  std::vector<TaskId> tasks(holders.begin(), holders.end());
  std::sort(tasks.begin(), tasks.end());
  std::shared_ptr<std::vector<model::HostPort>> ports;
  for (TaskId holder : tasks) {
    if (ports == nullptr) ports = std::make_shared<std::vector<model::HostPort>>();
    const auto& held = draft_.now.constraints_of(draft_.now.tasks[holder].shape).ports;
    ports->insert(ports->end(), held.begin(), held.end());
  }
  draft_.now.nodes.Mutable(node).ports = std::move(ports);
}

void NodeTable::SetNuma(NodeId node, std::shared_ptr<const model::NodeNuma> numa) {
  draft_.now.nodes.Mutable(node).numa = std::move(numa);
  ++draft_.rows_rewritten;
}

void NodeTable::CountImages(const model::NodeFacts& facts, int32_t sign) {
  for (const auto& [image, size] : facts.images) {
    auto [it, fresh] = image_nodes_.try_emplace(image, 0);
    it->second += sign;
    if (it->second == 0) image_nodes_.erase(it);
    images_dirty_ = true;
  }
}

void NodeTable::Publish() {
  model::Snapshot& now = draft_.now;
  const auto before = [this](NodeId a, NodeId b) { return records_[a].name < records_[b].name; };
  const auto& ready = with_object_.Publish(before);
  if (ready != now.nodes_by_name) {
    for (size_t rank = 0; rank < ready->size(); ++rank) {
      const NodeId node = (*ready)[rank];
      if (now.nodes[node].name_rank == rank) continue;
      now.nodes.Mutable(node).name_rank = static_cast<uint32_t>(rank);
    }
    now.nodes_by_name = ready;
    images_dirty_ = true;  // Image scores divide by the number of nodes.
  }
  if (images_dirty_ || now.images == nullptr) {
    auto images = std::make_shared<std::vector<model::ImageSpread>>();
    for (const auto& [image, nodes] : image_nodes_) images->push_back({image, nodes});
    std::sort(images->begin(), images->end(),
              [](const auto& a, const auto& b) { return a.image < b.image; });
    now.images = std::move(images);
    images_dirty_ = false;
  }
}

absl::Status NodeTable::Check(const IdVector<NodeId, int32_t>& mentions) const {
  const model::Snapshot& now = draft_.now;
  model::ResourceVec total;
  absl::flat_hash_map<Symbol, int32_t> images;
  size_t rows = 0;
  for (NodeId id : now.nodes.ids()) {
    const Record& record = records_[id];
    const auto wrong = [&record](const char* what) {
      return absl::InternalError(StrCat("node ", record.name, ": ", what));
    };
    total += now.allocatable[id];
    const int32_t expected = mentions.Contains(id) ? mentions[id] : 0;
    if (record.mentions != expected) return wrong("other mentions than pods account for");
    if ((now.nodes[id].facts != nullptr) != record.object.has_value())
      return wrong("row and object differ");
    if (record.name.empty()) {
      if (record.mentions != 0) return wrong("a free slot is mentioned");
      continue;
    }
    ++rows;
    const auto known = ids_.find(record.name);
    if (known == ids_.end() || known->second != id) return wrong("not found by its name");
    if (!record.object && record.mentions == 0) return wrong("a row that nobody needs");
    if (!record.object) continue;
    for (const auto& [image, size] : record.object->facts->images) ++images[image];
  }
  if (rows != ids_.size()) return absl::InternalError("nodes: more names than rows");
  if (total != now.total) return absl::InternalError("nodes: the total is not their sum");
  if (images != image_nodes_) return absl::InternalError("nodes: images are counted wrongly");
  return absl::OkStatus();
}

}  // namespace bth::cache
