#include "controllers/core/trim.h"

#include <string>
#include <utility>
#include <vector>

namespace bth::controllers {
namespace {

// Of what conditions say: thousands of pods may wait.
constexpr size_t kWordsKept = 256;

template <typename T>
void Free(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

void TrimContainers(std::vector<types::Container>& containers) {
  for (types::Container& container : containers) {
    Free(container.command);
    Free(container.args);
    Free(container.env);
    Free(container.ports);
    container.image.clear();
  }
}

void TrimStatuses(std::vector<types::ContainerStatus>& statuses) {
  for (types::ContainerStatus& status : statuses) {
    status.image.clear();
    status.last_state = {};
    status.allocated_resources = {};
    status.resources.reset();
  }
}

void Shorten(std::string& text) {
  if (text.size() <= kWordsKept) return;
  size_t end = kWordsKept;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // UTF-8
  text.resize(end);
  text += " …";
  text.shrink_to_fit();
}

// Jobs tell of it: the pod is being evicted, or has no place.
bool IsTold(const types::Condition& condition) {
  return condition.type == "DisruptionTarget" ||
         (condition.type == "PodScheduled" && condition.status == "False");
}

}  // namespace

void TrimPod(types::Pod& pod) {
  TrimContainers(pod.spec.containers);
  TrimContainers(pod.spec.init_containers);
  TrimStatuses(pod.status.container_statuses);
  TrimStatuses(pod.status.init_container_statuses);
  pod.spec.affinity.reset();
  pod.spec.node_selector = {};
  Free(pod.spec.tolerations);
  Free(pod.spec.topology_spread_constraints);
  Free(pod.spec.volumes);
  std::erase_if(pod.status.conditions, [](const types::Condition& c) { return !IsTold(c); });
  for (types::Condition& condition : pod.status.conditions) {
    Shorten(condition.message);
  }
  pod.status.conditions.shrink_to_fit();
  pod.status.message.clear();
}

void TrimNode(types::Node& node) {
  node.spec = {};
  types::ResourceList capacity = std::move(node.status.capacity);
  node.status = {};
  node.status.capacity = std::move(capacity);
}

}  // namespace bth::controllers
