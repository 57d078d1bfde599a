#include "plugins/numa_aware/cpu_ledger.h"

namespace bth::plugins::numa_aware {

using model::CpuSet;
using model::NodeId;
using model::TaskId;

CpuAnswer Ask(const model::PodNuma& pod, const model::NodeNuma* node, const CpuSet& free) {
  const auto says = [](CpuVerdict verdict) { return CpuAnswer{.verdict = verdict, .fit = {}}; };
  if (pod.policy.empty()) {
    const bool gives_out = node != nullptr && node->facts->static_cpus &&
                           !node->facts->topology_policy.empty() &&
                           node->facts->topology_policy != "none";
    if (!gives_out) return says(CpuVerdict::kPasses);
  } else {
    if (node == nullptr) return says(CpuVerdict::kNoReport);
    if (!node->facts->static_cpus) return says(CpuVerdict::kNotStatic);
    if (pod.policy != node->facts->topology_policy) return says(CpuVerdict::kOtherPolicy);
    if (node->facts->layout.all.empty()) return says(CpuVerdict::kNoLayout);
    if (free.empty()) return says(CpuVerdict::kNoCpus);
  }
  CpuAnswer answer;
  answer.fit =
      algo::FitNuma(*node, free, algo::NumaPolicyNamed(node->facts->topology_policy), pod.cpus);
  answer.verdict = answer.fit.admitted() ? CpuVerdict::kFits : CpuVerdict::kRefused;
  return answer;
}

CpuSet CpuLedger::FreeOf(NodeId node) const {
  const model::NodeNuma* numa = session_.base().nodes[node].numa.get();
  if (numa == nullptr) return {};
  const auto taken = taken_.find(node);
  return taken == taken_.end() ? numa->free : numa->free - taken->second;
}

void CpuLedger::Change(NodeId node) {
  if (!versions_.Contains(node)) {
    versions_ = IdVector<NodeId, uint32_t>(session_.base().nodes.size(), 1);
  }
  ++versions_[node];
}

void CpuLedger::Place(TaskId task, NodeId node) {
  // What was placed before this session has its CPUs: nobody counts them as free.
  if (session_.base().usage.tasks[task].status != model::TaskStatus::kPending) return;
  const model::PodNuma* pod = PodOf(task);
  if (pod == nullptr || session_.base().nodes[node].numa == nullptr) return;
  const CpuAnswer answer = AnswerOf(*pod, node);
  if (answer.verdict != CpuVerdict::kFits || answer.fit.cpus.empty()) return;
  given_[task] = answer.fit.cpus;
  taken_[node] |= answer.fit.cpus;
  Change(node);
}

void CpuLedger::Remove(TaskId task, NodeId node) {
  const auto given = given_.find(task);
  if (given == given_.end()) return;
  const auto taken = taken_.find(node);
  taken->second -= given->second;
  if (taken->second.empty()) taken_.erase(taken);
  given_.erase(given);
  Change(node);
}

std::shared_ptr<const CpuSet> CpuLedger::PlanOf(TaskId task) const {
  const auto given = given_.find(task);
  return given == given_.end() ? nullptr : std::make_shared<const CpuSet>(given->second);
}

}  // namespace bth::plugins::numa_aware
