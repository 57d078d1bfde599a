#include "api/rules/pod_template.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/rules/affinity.h"
#include "api/rules/containers.h"
#include "api/rules/labels.h"
#include "api/rules/names.h"
#include "api/rules/network.h"
#include "api/rules/part.h"
#include "api/rules/pod_annotations.h"
#include "api/rules/resources.h"
#include "api/rules/security.h"
#include "api/rules/tolerations.h"
#include "api/rules/topology_spread.h"
#include "api/rules/volumes.h"
#include "api/rules/windows.h"

namespace bth::rules {
namespace {

using types::Json;
using Check = std::vector<std::string> (*)(std::string_view name);

void CheckWord(const Part& spec, std::string_view key,
               absl::Span<const std::string_view> supported) {
  const std::string_view word = spec.Text(key);
  if (word.empty()) return spec.Required(key);
  spec.OneOf(key, word, supported);
}

// A name that may be left out.
void CheckName(const Part& spec, std::string_view key, Check check) {
  const std::string_view name = spec.Text(key);
  if (!name.empty()) spec.Invalid(key, name, check(name));
}

void CheckReadinessGates(const Part& spec) {
  spec.ForEach("readinessGates", [](const Part& gate, size_t) {
    const std::string_view type = gate.Text("conditionType");
    gate.Invalid("conditionType", type, CheckQualifiedName(type));
  });
}

void CheckSchedulingGates(const Part& spec) {
  std::set<std::string_view> seen;
  spec.ForEach("schedulingGates", [&seen](const Part& gate, size_t) {
    const std::string_view name = gate.Text("name");
    gate.Invalid("", name, CheckQualifiedName(name));
    if (!seen.insert(name).second) gate.Duplicate("", Json(name));
  });
}

void CheckPullSecrets(const Part& spec) {
  spec.ForEach("imagePullSecrets", [](const Part& ref, size_t) { ref.Text("name"); });
}

void CheckDeadline(const Part& spec) {
  const std::optional<int64_t> seconds = spec.Number("activeDeadlineSeconds");
  if (!seconds || (*seconds >= 1 && *seconds <= INT32_MAX)) return;
  spec.Invalid("activeDeadlineSeconds", Json(*seconds),
               "must be between 1 and 2147483647, inclusive");
}

// From the names of the account and the node to the end.
void CheckNamesAndPlacement(const Part& spec, const PodRuleOptions& options) {
  CheckName(spec, "serviceAccountName", CheckDnsSubdomain);
  CheckName(spec, "nodeName", CheckDnsSubdomain);
  CheckDeadline(spec);
  CheckName(spec, "hostname", CheckDnsLabel);
  CheckName(spec, "subdomain", CheckDnsLabel);
  CheckTolerations(spec, options.relaxed);
  CheckHostAliases(spec);
  CheckName(spec, "priorityClassName", CheckDnsSubdomain);
  if (spec.Has("runtimeClassName")) {
    const std::string_view name = spec.Text("runtimeClassName");
    spec.Invalid("runtimeClassName", name, CheckDnsSubdomain(name));
  }
  if (spec.Has("preemptionPolicy")) {
    CheckWord(spec, "preemptionPolicy", {"Never", "PreemptLowerPriority"});
  }
  CheckOverhead(spec);
  CheckOperatingSystem(spec);
}

void CheckSpec(const Part& spec, const PodRuleOptions& options) {
  if (!spec.Number("terminationGracePeriodSeconds") && !spec.Has("terminationGracePeriodSeconds")) {
    spec.Required("terminationGracePeriodSeconds");
  }
  const VolumeKinds volumes = CheckVolumes(spec, options.pod_name, options.is_pod);
  CheckResourceClaims(spec);
  const ClaimNames claims = NamesOfClaims(spec);
  CheckContainers(spec, {volumes, claims, options});
  if (options.pod_level_resources) CheckPodResources(spec, claims);
  CheckHostNetworkPorts(spec, options.is_pod);
  CheckWord(spec, "restartPolicy", {"Always", "Never", "OnFailure"});
  CheckWord(spec, "dnsPolicy", {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  CheckLabels(spec, "nodeSelector");
  CheckPodSecurity(spec);
  CheckPullSecrets(spec);
  CheckAffinity(spec);
  CheckDnsConfig(spec, options.relaxed);
  CheckReadinessGates(spec);
  CheckSchedulingGates(spec);
  CheckTopologySpread(spec);
  CheckHostProcesses(spec);
  CheckHostUsers(spec);
  CheckNamesAndPlacement(spec, options);
}

void CheckTemplate(const Part& pod_template, const PodRuleOptions& options) {
  static const Json kEmpty = Json::MakeObject();
  const Json& spec = pod_template["spec"];
  pod_template.Within("metadata", [&](const Part& metadata) {
    CheckLabels(metadata, "labels");
    CheckAnnotations(metadata, "annotations");
    CheckPodAnnotations(metadata, spec);
  });
  FieldErrors errors;
  const Place at = pod_template.at().Field("spec");
  const Part part(spec.is_object() ? spec : kEmpty, at, errors);
  CheckSpec(part, options);
  CheckProfileAnnotations(pod_template["metadata"], part);
  if (!options.allow_ephemeral_containers && part.SizeOf("ephemeralContainers") > 0) {
    part.Forbidden("ephemeralContainers", "ephemeral containers not allowed in pod template");
  }
  for (FieldError& error : errors) pod_template.Add(std::move(error));
}

}  // namespace

FieldErrors CheckPodSpec(const Json& spec, std::string_view field, const PodRuleOptions& options) {
  if (!spec.is_object()) return {Required(std::string(field))};
  FieldErrors errors;
  const Place root(field);
  CheckSpec(Part(spec, root, errors), options);
  return errors;
}

FieldErrors CheckPodTemplate(const Json& pod_template, std::string_view field,
                             const PodRuleOptions& options) {
  FieldErrors errors;
  const Place root(field);
  CheckTemplate(Part(pod_template, root, errors), options);
  return errors;
}

FieldErrors CheckPodTemplateObject(const Json& pod_template, std::string_view name,
                                   std::string_view ns, const PodRuleOptions& options) {
  FieldErrors errors;
  if (name.empty()) {
    errors.push_back(Required("metadata.name", "name or generateName is required"));
  } else {
    for (std::string& fault : CheckDnsSubdomain(name)) {
      errors.push_back(Invalid("metadata.name", Json(name), std::move(fault)));
    }
  }
  if (ns.empty()) errors.push_back(Required("metadata.namespace"));
  for (std::string& fault : ns.empty() ? std::vector<std::string>{} : CheckDnsLabel(ns)) {
    errors.push_back(Invalid("metadata.namespace", Json(ns), std::move(fault)));
  }
  for (FieldError& error : CheckPodTemplate(pod_template, "template", options)) {
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace bth::rules
