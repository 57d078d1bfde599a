#include "admission/rules/whole_cpus.h"

#include <string_view>
#include <vector>

#include "api/types/fragment_view.h"
#include "api/types/quantity.h"

namespace bth::admission {
namespace {

bool AsksForWholeCpus(const types::Container& container) {
  const types::ResourceRequirements& resources = container.resources;
  const types::ResourceList& asked =
      resources.requests.empty() ? resources.limits : resources.requests;
  for (const auto& [name, amount] : asked) {
    if (std::string_view(name) != "cpu") continue;
    return !amount.is_zero() && types::Quantity::FromValue(amount.Value()) == amount;
  }
  return false;
}

}  // namespace

std::optional<size_t> ContainerWithoutWholeCpus(const types::BatchTask& task,
                                                const types::Json& pod_template) {
  if (task.topology_policy.empty() || task.topology_policy == "none") return std::nullopt;
  const auto read = types::FragmentViewFromJson<types::PodTemplate>(pod_template);
  if (!read.ok()) return 0;  // Not of a job that was read.
  const types::PodSpec& spec = read->spec;
  size_t index = 0;
  for (const std::vector<types::Container>* list : {&spec.containers, &spec.init_containers}) {
    for (const types::Container& container : *list) {
      if (!AsksForWholeCpus(container)) return index;
      ++index;
    }
  }
  return std::nullopt;
}

}  // namespace bth::admission
