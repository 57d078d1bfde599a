#include "api/types/pod_requests.h"

#include <string_view>

#include "base/status.h"

namespace bth::types {
namespace {

constexpr int64_t kDefaultMilliCpu = 100;
constexpr int64_t kDefaultMemoryBytes = int64_t{200} << 20;

const ContainerStatus* FindStatus(const std::vector<ContainerStatus>& statuses,
                                  std::string_view name) {
  for (const ContainerStatus& status : statuses) {
    if (status.name == name) return &status;
  }
  return nullptr;
}

// `status` may be null.
ResourceList ContainerRequests(const Container& container, const ContainerStatus* status,
                               bool infeasible, const PodRequestOptions& options) {
  ResourceList requests = container.resources.requests;
  if (options.use_status && status != nullptr && status->resources.has_value()) {
    // What can never be granted does not count.
    if (infeasible) requests.clear();
    RaiseResources(status->resources->requests, &requests);
    RaiseResources(status->allocated_resources, &requests);
  }
  if (options.non_zero) {
    if (!requests.Contains("cpu")) requests.Set("cpu", Quantity::FromMilli(kDefaultMilliCpu));
    if (!requests.Contains("memory")) {
      requests.Set("memory", Quantity::FromValue(kDefaultMemoryBytes, Quantity::Format::kBinarySI));
    }
  }
  return requests;
}

bool IsPodLevelDimension(std::string_view name) {
  return name == "cpu" || name == "memory" || name.substr(0, 10) == "hugepages-";
}

}  // namespace

absl::Status AddResources(const ResourceList& added, ResourceList* total) {
  for (const auto& [name, quantity] : added) {
    Quantity& sum = (*total)[name];
    absl::StatusOr<Quantity> result = sum.Plus(quantity);
    if (!result.ok()) return Annotate(result.status(), name);
    sum = *result;
  }
  return absl::OkStatus();
}

void RaiseResources(const ResourceList& other, ResourceList* total) {
  for (const auto& [name, quantity] : other) {
    Quantity* present = total->Find(name);
    if (present == nullptr) {
      total->Set(name, quantity);
    } else if (present->Compare(quantity) < 0) {
      *present = quantity;
    }
  }
}

bool IsResizeInfeasible(const Pod& pod) {
  if (pod.status.resize == "Infeasible") return true;
  const Condition* pending = FindCondition(pod.status.conditions, "PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

absl::StatusOr<ResourceList> PodRequests(const Pod& pod, const PodRequestOptions& options) {
  const bool infeasible = options.use_status && IsResizeInfeasible(pod);
  ResourceList total;
  for (const Container& container : pod.spec.containers) {
    const ContainerStatus* status = FindStatus(pod.status.container_statuses, container.name);
    BTH_RETURN_IF_ERROR(
        AddResources(ContainerRequests(container, status, infeasible, options), &total));
  }
  ResourceList sidecars;
  ResourceList init_max;
  for (const Container& container : pod.spec.init_containers) {
    const bool sidecar = IsSidecar(container);
    const ContainerStatus* status =
        sidecar ? FindStatus(pod.status.init_container_statuses, container.name) : nullptr;
    ResourceList need = ContainerRequests(container, status, infeasible, options);
    if (sidecar) {
      BTH_RETURN_IF_ERROR(AddResources(need, &total));
      BTH_RETURN_IF_ERROR(AddResources(need, &sidecars));
      need = sidecars;
    } else {
      BTH_RETURN_IF_ERROR(AddResources(sidecars, &need));
    }
    RaiseResources(need, &init_max);
  }
  RaiseResources(init_max, &total);
  if (options.count_pod) {
    BTH_RETURN_IF_ERROR(AddResources({{"pods", Quantity::FromValue(1)}}, &total));
  }
  if (options.pod_level && pod.spec.resources.has_value()) {
    for (const auto& [name, quantity] : pod.spec.resources->requests) {
      if (IsPodLevelDimension(name)) total.Set(name, quantity);
    }
  }
  BTH_RETURN_IF_ERROR(AddResources(pod.spec.overhead, &total));
  return total;
}

absl::StatusOr<ResourceList> NonZeroPodRequests(const Pod& pod) {
  PodRequestOptions options;
  options.non_zero = true;
  options.count_pod = false;
  return PodRequests(pod, options);
}

}  // namespace bth::types
