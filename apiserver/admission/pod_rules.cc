#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
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

// Whether `list` has all of `items`, as far as their texts tell them apart.
template <typename TextOf>
bool HasAll(const Json& list, const Json& items, TextOf text_of) {
  if (list == items) return true;
  absl::flat_hash_set<std::string> present;
  for (const Json& item : list.items()) present.insert(text_of(item));
  return std::all_of(items.items().begin(), items.items().end(),
                     [&](const Json& item) { return present.contains(text_of(item)); });
}

// The same for what is equal, in whatever order its members come.
std::string SortedText(const Json& item) {
  return item.Pretty();
}

std::string TextWithoutSeconds(Json toleration) {
  toleration.Erase("tolerationSeconds");
  return SortedText(toleration);
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
  if (!HasAll(pod["spec"]["tolerations"], old["spec"]["tolerations"], TextWithoutSeconds)) {
    causes.push_back(
        FieldForbidden("spec.tolerations",
                       "existing toleration can not be modified except its tolerationSeconds"));
  }
  if (!HasAll(old["spec"]["schedulingGates"], pod["spec"]["schedulingGates"], SortedText)) {
    causes.push_back(FieldForbidden("spec.schedulingGates",
                                    "only deletion is allowed, but found new scheduling gate"));
  }
  const Json& was = old["spec"]["terminationGracePeriodSeconds"];
  const Json& is = pod["spec"]["terminationGracePeriodSeconds"];
  if (!(was == is)) {
    causes.push_back(FieldForbidden("spec.terminationGracePeriodSeconds", "may not be changed"));
  }
  return causes;
}

}  // namespace bth::apiserver
