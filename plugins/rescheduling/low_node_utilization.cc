#include "plugins/rescheduling/low_node_utilization.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "api/model/pod_extras.h"

namespace bth::plugins::rescheduling {
namespace {

using framework::Session;
using model::NodeId;
using model::TaskId;

struct BusyNode {
  NodeId node;
  double cpu = 0;  // Percent.
  double memory = 0;

  bool above(const Share& share) const {
    return cpu > static_cast<double>(share.cpu) || memory > static_cast<double>(share.memory);
  }
  bool reaches(const Share& share) const {
    return cpu >= static_cast<double>(share.cpu) || memory >= static_cast<double>(share.memory);
  }
  bool below(const Share& share) const {
    return cpu < static_cast<double>(share.cpu) && memory < static_cast<double>(share.memory);
  }
};

// Room that idle nodes offer, in milli-cores and bytes.
struct Headroom {
  int64_t cpu = 0;
  int64_t memory = 0;
  bool used_up() const { return cpu <= 0 || memory <= 0; }
};

int64_t PartOf(double percent, int64_t amount) {
  return static_cast<int64_t>(percent * static_cast<double>(amount) * 0.01);
}

int64_t CpuOf(const model::NodeFacts& facts) {
  const int64_t allocatable = facts.kube_allocatable[model::kCpu];
  return allocatable > 0 ? allocatable : facts.capacity_cpu_milli;
}
int64_t MemoryOf(const model::NodeFacts& facts) {
  const int64_t allocatable = facts.kube_allocatable[model::kMemory];
  return allocatable > 0 ? allocatable : facts.capacity_memory_bytes;
}

struct Division {
  std::vector<BusyNode> high;  // Busiest first, then by name.
  Headroom headroom;
  size_t low = 0;
  size_t judged = 0;
};

Division Divide(const LowNodeUtilization& strategy, const Session& session,
                int64_t trusted_since_us) {
  Division out;
  for (NodeId id : *session.base().nodes_by_name) {
    const model::NodeFacts& facts = session.node(id);
    const auto load = session.base().loads->find(facts.name);
    if (load == session.base().loads->end()) continue;
    if (load->second.measured_at_us < trusted_since_us) continue;
    const BusyNode node{
        .node = id, .cpu = load->second.cpu_percent, .memory = load->second.memory_percent};
    ++out.judged;
    if (!facts.unschedulable && node.below(strategy.thresholds)) {
      ++out.low;
      const Share& target = strategy.target_thresholds;
      out.headroom.cpu +=
          PartOf(static_cast<double>(target.cpu), CpuOf(facts)) - PartOf(node.cpu, CpuOf(facts));
      out.headroom.memory += PartOf(static_cast<double>(target.memory), MemoryOf(facts)) -
                             PartOf(node.memory, MemoryOf(facts));
    } else if (node.above(strategy.target_thresholds)) {
      out.high.push_back(node);
    }
  }
  std::stable_sort(out.high.begin(), out.high.end(), [](const BusyNode& a, const BusyNode& b) {
    return a.cpu + a.memory > b.cpu + b.memory;
  });
  return out;
}

model::QosClass QosOf(const Session& session, TaskId task) {
  const auto& extras = session.base().constraints_of(session.task(task).shape).extras;
  return extras == nullptr ? model::QosClass::kBestEffort : extras->qos;
}

// Who goes first: no priority, low priority, a weak quality of service, age.
bool GoesBefore(const Session& session, TaskId a, TaskId b) {
  const model::TaskRow& left = session.task(a);
  const model::TaskRow& right = session.task(b);
  if (left.pod_priority != right.pod_priority) return left.pod_priority < right.pod_priority;
  const model::QosClass left_qos = QosOf(session, a);
  const model::QosClass right_qos = QosOf(session, b);
  if (left_qos != right_qos) return left_qos < right_qos;
  if (left.names->created_us != right.names->created_us) {
    return left.names->created_us < right.names->created_us;
  }
  return left.names->uid < right.names->uid;
}

// What one request takes off a node's percentage.
double PercentOf(int64_t request, int64_t capacity) {
  return capacity > 0 ? 100.0 * static_cast<double>(request) / static_cast<double>(capacity) : 0;
}

}  // namespace

std::vector<TaskId> ChooseVictims(const LowNodeUtilization& strategy, const Session& session,
                                  absl::Span<const TaskId> tasks, int64_t trusted_since_us) {
  std::vector<TaskId> victims;
  if (session.base().loads == nullptr) return victims;
  Division division = Divide(strategy, session, trusted_since_us);
  if (division.low == 0 || division.low == division.judged || division.high.empty()) return victims;
  absl::flat_hash_map<NodeId, std::vector<TaskId>> by_node;
  for (const BusyNode& node : division.high) by_node[node.node];
  for (TaskId task : tasks) {
    const auto node = by_node.find(session.state(task).node);
    if (node != by_node.end()) node->second.push_back(task);
  }
  Headroom& headroom = division.headroom;
  for (BusyNode& node : division.high) {
    const model::NodeFacts& facts = session.node(node.node);
    const int64_t cpu = facts.capacity_cpu_milli > 0 ? facts.capacity_cpu_milli : CpuOf(facts);
    const int64_t memory =
        facts.capacity_memory_bytes > 0 ? facts.capacity_memory_bytes : MemoryOf(facts);
    std::vector<TaskId>& pods = by_node[node.node];
    std::sort(pods.begin(), pods.end(),
              [&session](TaskId a, TaskId b) { return GoesBefore(session, a, b); });
    for (TaskId task : pods) {
      if (!node.reaches(strategy.target_thresholds) || headroom.used_up()) break;
      const model::ResourceVec& request = session.request(task);
      headroom.cpu -= request[model::kCpu];
      headroom.memory -= request[model::kMemory];
      node.cpu -= PercentOf(request[model::kCpu], cpu);
      node.memory -= PercentOf(request[model::kMemory], memory);
      victims.push_back(task);
    }
  }
  return victims;
}

}  // namespace bth::plugins::rescheduling
