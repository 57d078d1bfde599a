#include "api/rules/pod_defaults.h"

#include <string_view>
#include <utility>

#include "apiserver/admission/builtin.h"

namespace bth::apiserver {

std::string_view QosClass(const Json& spec) {
  bool any = false;
  bool guaranteed = !spec["containers"].empty();
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& container : spec[list].items()) {
      const Json& requests = container["resources"]["requests"];
      const Json& limits = container["resources"]["limits"];
      for (const char* resource : {"cpu", "memory"}) {
        const Json& request = requests[resource];
        const Json& limit = limits[resource];
        any |= !request.is_null() || !limit.is_null();
        guaranteed &= !limit.is_null() && (request.is_null() || request == limit);
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

void DefaultPod(Json& pod) {
  Json& spec = pod["spec"];
  if (!spec.is_object()) return;
  rules::SetIfAbsent(spec, "serviceAccountName", "default");
  rules::SetIfAbsent(spec, "enableServiceLinks", true);
  rules::DefaultPodSpec(spec);
  rules::DefaultPodOnly(spec);
  Json status = Json::MakeObject({{"phase", "Pending"}, {"qosClass", QosClass(spec)}});
  // A gated pod says so from its first moment.
  if (!std::as_const(spec)["schedulingGates"].empty()) {
    status.Set(
        "conditions",
        Json::MakeArray({Json::MakeObject(
            {{"type", "PodScheduled"},
             {"status", "False"},
             {"reason", "SchedulingGated"},
             {"message", "Scheduling is blocked due to non-empty scheduling gates"},
             {"lastProbeTime", nullptr},
             {"lastTransitionTime", std::as_const(pod)["metadata"]["creationTimestamp"]}})}));
  }
  pod.Set("status", std::move(status));
}

// Without a word of its own, a pod leaves a node that fell silent after five minutes.
void TolerateSilentNodes(Json& pod) {
  constexpr int64_t kSeconds = 300;
  Json& spec = pod["spec"];
  if (!spec.is_object()) return;
  const Json* present = std::as_const(spec).Find("tolerations");
  if (present != nullptr && !present->is_null() && !present->is_array()) return;
  const auto tolerated = [&spec](std::string_view taint) {
    for (const Json& item : std::as_const(spec)["tolerations"].items()) {
      const std::string_view key = item["key"].AsString();
      const std::string_view effect = item["effect"].AsString();
      if ((key.empty() || key == taint) && (effect.empty() || effect == "NoExecute")) return true;
    }
    return false;
  };
  for (const char* taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (tolerated(taint)) continue;
    spec["tolerations"].MutableItems().push_back(
        Json::MakeObject({{"key", taint},
                          {"operator", "Exists"},
                          {"effect", "NoExecute"},
                          {"tolerationSeconds", kSeconds}}));
  }
}

}  // namespace bth::apiserver
