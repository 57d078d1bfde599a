#include "controllers/core/trim.h"

#include <utility>
#include <vector>

namespace bth::controllers {
namespace {

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
  Free(pod.status.conditions);
  pod.status.message.clear();
}

void TrimNode(types::Node& node) {
  node.spec = {};
  types::ResourceList capacity = std::move(node.status.capacity);
  node.status = {};
  node.status.capacity = std::move(capacity);
}

}  // namespace bth::controllers
