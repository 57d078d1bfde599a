#include "cache/cluster/queue_book.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/model/device_quota.h"
#include "cache/intake/compile.h"

namespace bth::cache {

using model::QueueId;

namespace {

bool SameDeviceQuota(const model::DeviceQuota* a, const model::DeviceQuota* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

// All but what the status shows as allocated.
bool SameQueue(const CompiledQueue& a, const CompiledQueue& b) {
  return a.row.uid == b.row.uid && a.row.weight == b.row.weight &&
         a.row.priority == b.row.priority && a.row.reclaimable == b.row.reclaimable &&
         a.row.state == b.row.state && a.row.parent == b.row.parent &&
         a.row.hierarchy == b.row.hierarchy && a.row.hierarchy_weights == b.row.hierarchy_weights &&
         a.row.dequeue_strategy == b.row.dequeue_strategy && a.capability == b.capability &&
         a.deserved == b.deserved && a.guarantee == b.guarantee && a.node_groups == b.node_groups &&
         a.row.has_idle_device_quota == b.row.has_idle_device_quota &&
         SameDeviceQuota(a.row.device_quota.get(), b.row.device_quota.get()) &&
         a.row.has_negative_quota == b.row.has_negative_quota &&
         a.node_group_limits == b.node_group_limits;
}

}  // namespace

bool QueueBook::TakeShown(CompiledQueue& queue, bool* untrue) {
  const auto known = ids_.find(*queue.row.name);
  if (known == ids_.end()) return false;
  CompiledQueue& record = *records_[known->second];
  if (!SameQueue(record, queue)) return false;
  record.shown = std::move(queue.shown);
  const auto told = told_.find(known->second);
  *untrue |= told != told_.end() && !SameAmounts(record.shown.allocated, told->second);
  return true;
}

void QueueBook::NoteTold(const std::string& name, const NamedAmounts& allocated) {
  const QueueId id = Find(name);
  if (!id.valid()) return;
  NamedAmounts& told = told_[id];
  if (told != allocated) told = allocated;
}

bool QueueBook::Put(CompiledQueue queue, const Vocabulary& vocabulary, model::Snapshot* now) {
  const auto [it, fresh] = ids_.try_emplace(*queue.row.name);
  if (fresh) {
    it->second = slots_.Take();
    records_.EnsureContains(it->second);
    now->queues.EnsureContains(it->second);
    names_dirty_ = true;
  }
  told_.erase(it->second);
  records_[it->second] = std::move(queue);
  WriteRow(it->second, vocabulary, now);
  return fresh;
}

bool QueueBook::Remove(const std::string& name, model::Snapshot* now) {
  const auto known = ids_.find(name);
  if (known == ids_.end()) return false;
  const QueueId id = known->second;
  ids_.erase(known);
  records_[id].reset();
  told_.erase(id);
  now->queues.Mutable(id) = model::QueueRow();
  slots_.Free(id);
  names_dirty_ = true;
  return true;
}

int64_t QueueBook::WriteRows(const Vocabulary& vocabulary, model::Snapshot* now) const {
  for (const auto& [name, id] : ids_) WriteRow(id, vocabulary, now);
  return static_cast<int64_t>(ids_.size());
}

void QueueBook::WriteRow(QueueId id, const Vocabulary& vocabulary, model::Snapshot* now) const {
  const CompiledQueue& queue = *records_[id];
  model::QueueRow row = queue.row;
  row.capability = vocabulary.Set(queue.capability);
  row.deserved = vocabulary.Set(queue.deserved);
  row.guarantee = vocabulary.Set(queue.guarantee);
  const auto unasked = [&vocabulary](const auto& entry) {
    return entry.second > 0 && !vocabulary.dims().Find(entry.first).has_value();
  };
  row.deserves_unasked = std::any_of(queue.deserved.begin(), queue.deserved.end(), unasked);
  if (queue.node_groups != model::NodeGroupRules() || !queue.node_group_limits.empty()) {
    auto rules = std::make_shared<model::NodeGroupRules>(queue.node_groups);
    for (const auto& [group, amounts] : queue.node_group_limits) {
      rules->limits.emplace_back(group, vocabulary.Set(amounts));
    }
    row.node_groups = std::move(rules);
  }
  now->queues.Mutable(id) = row;
}

QueueId QueueBook::Find(const std::string& name) const {
  const auto known = ids_.find(name);
  return known == ids_.end() ? QueueId() : known->second;
}

const CompiledQueue* QueueBook::Known(const std::string& name) const {
  const auto known = ids_.find(name);
  return known == ids_.end() ? nullptr : &*records_[known->second];
}

void QueueBook::Publish(model::Snapshot* now) {
  if (!std::exchange(names_dirty_, false)) return;
  auto by_name = std::make_shared<std::vector<QueueId>>();
  for (const auto& [name, queue] : ids_) by_name->push_back(queue);
  std::sort(by_name->begin(), by_name->end(),
            [now](QueueId a, QueueId b) { return *now->queues[a].name < *now->queues[b].name; });
  now->queues_by_name = std::move(by_name);
}

}  // namespace bth::cache
