// What the mirror can count without an overflow of any sum.
#include <algorithm>

#include "base/status.h"
#include "cache/cluster/mirror.h"

namespace bth::cache {
namespace {

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

absl::Status Mirror::CanCount(const CompiledPod& pod) const {
  const model::TaskId known = pods_.Find(pod.names.Key());
  const NamedAmounts* before = nullptr;
  if (known.valid()) before = &shapes_.Known(pod_records_[known].shape)->requests;
  return Annotate(amounts_.pods.Check(pod.requests, before), "requests");
}

absl::Status Mirror::CanCount(const CompiledNode& node) const {
  NamedAmounts before;
  const auto known = nodes_.find(node.facts->name);
  if (known != nodes_.end() && node_records_[known->second].object) {
    before = AllOf(*node_records_[known->second].object);
  }
  return Annotate(amounts_.nodes.Check(AllOf(node), &before), "allocatable");
}

absl::Status Mirror::CanCount(const CompiledPodGroup& group) const {
  const auto known = jobs_.find(group.facts->Key());
  const NamedAmounts* before = nullptr;
  if (known != jobs_.end() && job_records_[known->second].group) {
    before = &job_records_[known->second].group->min_resources;
  }
  return Annotate(amounts_.groups.Check(group.min_resources, before), "minResources");
}

void Mirror::CountNode(const CompiledNode& node, int sign) {
  if (sign > 0) {
    amounts_.nodes.Add(AllOf(node));
  } else {
    amounts_.nodes.Remove(AllOf(node));
  }
}

}  // namespace bth::cache
