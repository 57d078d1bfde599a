#include "plugins/predicates/port_ledger.h"

#include <algorithm>

namespace bth::plugins::predicates {

using model::HostPort;
using model::NodeId;
using model::TaskId;

void PortLedger::Place(TaskId task, NodeId node) {
  const std::vector<HostPort>& ports = PortsOf(task);
  if (ports.empty()) return;
  std::vector<HostPort>& held = Own(node);
  held.insert(held.end(), ports.begin(), ports.end());
}

void PortLedger::Remove(TaskId task, NodeId node) {
  const std::vector<HostPort>& ports = PortsOf(task);
  if (ports.empty() || !node.valid()) return;
  std::vector<HostPort>& held = Own(node);
  for (const HostPort& port : ports) {
    if (auto it = std::find(held.begin(), held.end(), port); it != held.end()) held.erase(it);
  }
}

bool PortLedger::Conflicts(const std::vector<HostPort>& wanted, NodeId node) const {
  const std::vector<HostPort>* held = Held(node);
  if (held == nullptr) return false;
  for (const HostPort& port : wanted) {
    for (const HostPort& other : *held) {
      if (model::PortsConflict(port, other)) return true;
    }
  }
  return false;
}

const std::vector<HostPort>& PortLedger::PortsOf(TaskId task) const {
  return base_.constraints_of(base_.tasks[task].shape).ports;
}

const std::vector<HostPort>* PortLedger::Held(NodeId node) const {
  if (!changed_.empty()) {
    if (auto it = changed_.find(node); it != changed_.end()) return &it->second;
  }
  return base_.nodes[node].ports.get();
}

std::vector<HostPort>& PortLedger::Own(NodeId node) {
  auto [it, added] = changed_.try_emplace(node);
  if (added && base_.nodes[node].ports != nullptr) it->second = *base_.nodes[node].ports;
  return it->second;
}

}  // namespace bth::plugins::predicates
