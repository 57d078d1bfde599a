#include <algorithm>
#include <string>
#include <vector>

#include "api/rules/pod_template.h"
#include "apiserver/admission/builtin.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

// The spec without what may change while a pod lives.
Json Fixed(const Json& pod) {
  Json spec = pod["spec"];
  for (const char* list : {"containers", "initContainers"}) {
    if (Json* items = spec.Find(list)) {
      for (Json& container : items->MutableItems()) container.Erase("image");
    }
  }
  for (const char* key : {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds",
                          "schedulingGates"}) {
    spec.Erase(key);
  }
  // A gated pod may still be steered.
  if (!pod["spec"]["schedulingGates"].empty()) {
    spec.Erase("nodeSelector");
    spec.Erase("affinity");
  }
  return spec;
}

bool Contains(const Json& list, const Json& item) {
  return std::find(list.items().begin(), list.items().end(), item) != list.items().end();
}

// Whether a toleration is still there, though perhaps for another number of seconds.
bool StillTolerates(const Json& tolerations, const Json& item) {
  const auto without_seconds = [](Json toleration) {
    toleration.Erase("tolerationSeconds");
    return toleration;
  };
  const Json wanted = without_seconds(item);
  return std::any_of(tolerations.items().begin(), tolerations.items().end(),
                     [&](const Json& other) { return without_seconds(other) == wanted; });
}

}  // namespace

Causes CheckPod(const Json& pod) {
  rules::PodRuleOptions options;
  options.is_pod = true;
  options.relaxed = true;
  options.pod_name = pod["metadata"]["name"].AsString();
  Causes causes = CausesOf(rules::CheckPodSpec(pod["spec"], "spec", options));
  if (!pod["spec"]["ephemeralContainers"].empty()) {
    causes.push_back(FieldForbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (!pod["spec"]["nodeName"].AsString().empty() && !pod["spec"]["schedulingGates"].empty()) {
    causes.push_back(FieldForbidden("spec.nodeName",
                                    "cannot be set until all schedulingGates have been cleared"));
  }
  return causes;
}

std::vector<Cause> CheckPodUpdate(const Json& old, const Json& pod) {
  Causes causes;
  if (!(Fixed(old) == Fixed(pod))) {
    // Both sides are fixed by the old gates, so that lifting the last one may also steer.
    Json before = Fixed(old);
    Json after = pod;
    after["spec"].Set("schedulingGates", old["spec"]["schedulingGates"]);
    if (!(before == Fixed(after))) {
      causes.push_back(FieldForbidden(
          "spec",
          "pod updates may not change fields other than `spec.containers[*].image`,"
          "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
          "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
          "set to 1 if it was previously negative)"));
    }
  }
  const Json& tolerations = pod["spec"]["tolerations"];
  for (const Json& item : old["spec"]["tolerations"].items()) {
    if (!StillTolerates(tolerations, item)) {
      causes.push_back(
          FieldForbidden("spec.tolerations",
                         "existing toleration can not be modified except its tolerationSeconds"));
      break;
    }
  }
  for (const Json& gate : pod["spec"]["schedulingGates"].items()) {
    if (!Contains(old["spec"]["schedulingGates"], gate)) {
      causes.push_back(FieldForbidden("spec.schedulingGates",
                                      "only deletion is allowed, but found new scheduling gate"));
      break;
    }
  }
  const Json& was = old["spec"]["terminationGracePeriodSeconds"];
  const Json& is = pod["spec"]["terminationGracePeriodSeconds"];
  if (!(was == is)) {
    causes.push_back(FieldForbidden("spec.terminationGracePeriodSeconds", "may not be changed"));
  }
  return causes;
}

}  // namespace bth::apiserver
