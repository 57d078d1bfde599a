// /pods/mutate
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/resource_groups.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/types/pod.h"

namespace bth::admission {
namespace {

constexpr std::string_view kGate = "scheduling.volcano.sh/queue-allocation-gate";

// A pod that asks for it waits until its queue has room.
void AddGate(const types::Pod& pod, const Json& spec, std::vector<PatchOperation>* patch) {
  const std::string* wanted = pod.meta.annotations.Find(kGate);
  if (wanted == nullptr || *wanted != "true") return;
  for (const types::SchedulingGate& gate : pod.spec.scheduling_gates) {
    if (gate.name == kGate) return;
  }
  Json gate = Json::MakeObject({{"name", kGate}});
  if (spec["schedulingGates"].is_null()) {
    patch->push_back({"add", "/spec/schedulingGates", Json::MakeArray({std::move(gate)})});
  } else {
    patch->push_back({"add", "/spec/schedulingGates/-", std::move(gate)});
  }
}

// The pod's own selector, over which the group's labels go.
Json Selector(const types::Pod& pod, const ResourceGroup& group) {
  std::map<std::string, std::string> selector = group.labels;
  for (const auto& [key, value] : pod.spec.node_selector) selector.emplace(key, value);
  Json merged = Json::MakeObject();
  for (const auto& [key, value] : selector) merged.MutableMembers().emplace_back(key, value);
  return merged;
}

void ApplyGroup(const ResourceGroup& group, const types::Pod& pod, const Json& spec,
                std::vector<PatchOperation>* patch) {
  if (!group.labels.empty()) {
    patch->push_back({"add", "/spec/nodeSelector", Selector(pod, group)});
  }
  if (!group.affinity.is_null() && spec["affinity"].is_null()) {
    patch->push_back({"add", "/spec/affinity", group.affinity});
  }
  if (!group.tolerations.empty()) {
    Json tolerations = Json::MakeArray();
    Json::Array& all = tolerations.MutableItems();
    const Json::Array& own = spec["tolerations"].items();
    all.insert(all.end(), own.begin(), own.end());
    all.insert(all.end(), group.tolerations.begin(), group.tolerations.end());
    patch->push_back({"add", "/spec/tolerations", std::move(tolerations)});
  }
  if (!group.scheduler_name.empty()) {
    patch->push_back({"add", "/spec/schedulerName", group.scheduler_name});
  }
}

}  // namespace

Verdict MutatePod(const Request& request, const Settings& settings, const Known&) {
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE' ");
  }
  const absl::StatusOr<types::Pod> pod = ReadObject<types::Pod>(request);
  if (!pod.ok()) return RefuseUnreadable(pod.status());
  if (settings.resource_groups == nullptr) return Verdict::Allow();
  static const Json* const none = new Json();
  const Json& spec = request.object == nullptr ? *none : std::as_const(*request.object)["spec"];
  std::vector<PatchOperation> patch;
  if (settings.scheduling_gates_queue_admission) AddGate(*pod, spec, &patch);
  const std::string& ns = pod->meta.ns.empty() ? request.ns : pod->meta.ns;
  const ResourceGroup* group = settings.resource_groups->Find(*pod, ns);
  if (group != nullptr) ApplyGroup(*group, *pod, spec, &patch);
  Verdict verdict;
  verdict.patch = std::move(patch);
  return verdict;
}

}  // namespace bth::admission
