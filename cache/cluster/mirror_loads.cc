// What plugins read beside resources and constraints: node loads, and pods as documents.
#include <algorithm>

#include "cache/cluster/mirror.h"

namespace bth::cache {
namespace {

bool SameText(const std::shared_ptr<const std::string>& a,
              const std::shared_ptr<const std::string>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

void Mirror::PutLoads(std::shared_ptr<const model::NodeLoads> loads) {
  now_.loads = std::move(loads);
  const bool some_wait = now_.active_jobs != nullptr && !now_.active_jobs->empty();
  changed_ |= some_wait;
}

std::vector<std::string> Mirror::ReadyNodes() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes_) {
    if (now_.nodes[node].ready()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Mirror::RefreshExtras(model::TaskId id, const CompiledPod& pod) {
  const model::TaskRow& row = now_.tasks[id];
  if (row.started_us == pod.started_us && row.pod_priority == pod.pod_priority &&
      SameText(row.document, pod.document)) {
    return;
  }
  model::TaskRow& changed = ChangeRow(id);
  changed.started_us = pod.started_us;
  changed.pod_priority = pod.pod_priority;
  changed.document = pod.document;
}

}  // namespace bth::cache
