#include "cache/cluster/device_book.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"

namespace bth::cache {

using model::NodeId;
using model::TaskId;
using model::TaskState;

const DeviceBook::Held& DeviceBook::HeldOn(const Entry& entry, NodeId node) {
  return entry.given != nullptr && entry.given_on == node ? entry.given : entry.shown;
}

void DeviceBook::Show(TaskId id, Held shown, bool bound) {
  const auto known = entries_.find(id);
  if (known == entries_.end() && shown == nullptr) return;
  Entry& entry = known != entries_.end() ? known->second : entries_[id];
  if (bound && shown != nullptr) {
    // Often what we gave: then the row stays as it is.
    if (entry.given != nullptr && *entry.given == *shown) shown = entry.given;
    entry.given = nullptr;
  }
  if (entry.shown != nullptr && shown != nullptr && *entry.shown == *shown) shown = entry.shown;
  entry.shown = std::move(shown);
  Settle(id, entry, draft_.now.usage.tasks[id]);
}

absl::Status DeviceBook::Give(TaskId id, NodeId node, Held given) {
  if (given == nullptr) return absl::FailedPreconditionError("it cannot have the devices it needs");
  const model::NodeRow& row = draft_.now.nodes[node];
  std::string why = row.facts == nullptr || row.facts->devices == nullptr
                        ? "it has no such devices any more"
                        : WhyNotFree(*row.facts->devices, row.device_holders.get(), *given);
  if (!why.empty()) return absl::FailedPreconditionError(why);
  Keep(id, node, std::move(given));
  return absl::OkStatus();
}

void DeviceBook::Keep(TaskId id, NodeId node, Held given) {
  Entry& entry = entries_[id];
  entry.given = std::move(given);
  entry.given_on = node;
}

void DeviceBook::Release(TaskId id) {
  const auto known = entries_.find(id);
  if (known == entries_.end()) return;
  known->second.given = nullptr;
  Settle(id, known->second, draft_.now.usage.tasks[id]);
}

DeviceBook::Held DeviceBook::GivenTo(TaskId id) const {
  const auto known = entries_.find(id);
  return known == entries_.end() ? nullptr : known->second.given;
}

void DeviceBook::Track(TaskId id, const TaskState& state, bool on) {
  if (entries_.empty()) return;
  const auto known = entries_.find(id);
  if (known != entries_.end()) Settle(id, known->second, on ? state : TaskState());
}

void DeviceBook::Drop(TaskId id) {
  const auto known = entries_.find(id);
  if (known == entries_.end()) return;
  Settle(id, known->second, TaskState());
  entries_.erase(known);
}

void DeviceBook::Settle(TaskId id, Entry& entry, const TaskState& state) {
  const bool there = state.node.valid() && model::InGroup(state.status, model::kOnNodeGroup);
  const Held& held = HeldOn(entry, state.node);
  const NodeId node = there && held != nullptr ? state.node : NodeId();
  const bool leaving = state.status == model::TaskStatus::kReleasing;
  const NodeId before = entry.listed_on;
  if (node == before && (!node.valid() || (leaving == entry.leaving && held == entry.listed))) {
    return;
  }
  entry.listed = node.valid() ? held : nullptr;
  entry.listed_on = node;
  entry.leaving = leaving;
  if (before.valid() && before != node) {
    std::vector<TaskId>& there_before = on_node_[before];
    there_before.erase(std::lower_bound(there_before.begin(), there_before.end(), id));
    WriteRow(before);
  }
  if (!node.valid()) return;
  on_node_.EnsureContains(node);
  std::vector<TaskId>& tasks = on_node_[node];
  if (before != node) tasks.insert(std::lower_bound(tasks.begin(), tasks.end(), id), id);
  WriteRow(node);
}

void DeviceBook::WriteRow(NodeId node) {
  std::shared_ptr<model::DeviceHolders> holders;
  for (TaskId task : on_node_[node]) {
    if (holders == nullptr) holders = std::make_shared<model::DeviceHolders>();
    const Entry& entry = entries_.at(task);
    holders->push_back({.task = task, .leaving = entry.leaving, .devices = entry.listed});
  }
  draft_.now.nodes.Mutable(node).device_holders = std::move(holders);
  draft_.NoteRoom();
}

absl::Status DeviceBook::Check() const {
  const model::Snapshot& now = draft_.now;
  size_t listed = 0;
  for (NodeId node : now.nodes.ids()) {
    const model::DeviceHolders* holders = now.nodes[node].device_holders.get();
    if (holders == nullptr) continue;
    for (const model::DeviceHolder& holder : *holders) {
      ++listed;
      const auto entry = entries_.find(holder.task);
      const TaskState& state = now.usage.tasks[holder.task];
      if (entry == entries_.end() || state.node != node ||
          !model::InGroup(state.status, model::kOnNodeGroup) ||
          HeldOn(entry->second, node) != holder.devices ||
          holder.leaving != (state.status == model::TaskStatus::kReleasing)) {
        return absl::InternalError(
            StrCat("devices: task ", holder.task.value(), " does not hold what its node says"));
      }
    }
  }
  for (const auto& [task, entry] : entries_) {
    const TaskState& state = now.usage.tasks[task];
    const bool holds = state.node.valid() && model::InGroup(state.status, model::kOnNodeGroup) &&
                       HeldOn(entry, state.node) != nullptr;
    if (holds) --listed;
  }
  if (listed != 0) return absl::InternalError("devices: some node names others than hold them");
  return absl::OkStatus();
}

}  // namespace bth::cache
