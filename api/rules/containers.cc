#include "api/rules/containers.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/rules/environment.h"
#include "api/rules/names.h"
#include "api/rules/network.h"
#include "api/rules/probes.h"
#include "api/rules/security.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using Names = std::set<std::string_view>;

void CheckResizePolicy(const Part& container, std::string_view restart_policy) {
  Names seen;
  const Json& list = container["resizePolicy"];
  const Place at = container.at().Field("resizePolicy");
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view resource = list[i]["resourceName"].AsString();
    const std::string_view policy = list[i]["restartPolicy"].AsString();
    if (!seen.insert(resource).second) {
      container.Add(Duplicate(at.Item(i).Text(), Json(resource)));
    }
    if (resource.empty()) container.Required("resizePolicy");
    if (!resource.empty()) container.OneOf("resizePolicy", resource, {"cpu", "memory"});
    if (policy.empty()) container.Required("resizePolicy");
    if (!policy.empty()) {
      container.OneOf("resizePolicy", policy, {"NotRequired", "RestartContainer"});
    }
    if (restart_policy == "Never" && policy != "NotRequired") {
      container.Invalid("resizePolicy", Json(policy),
                        "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

// What holds of containers of every kind.
void CheckContainer(const Part& spec, const Part& container, const PodParts& pod) {
  const std::string_view name = container.Text("name");
  if (name.empty()) container.Required("name");
  if (!name.empty()) container.Invalid("name", name, CheckDnsLabel(name));
  // Whether it names an image that can be had is known where it is pulled.
  if (container.Text("image").empty()) container.Required("image");
  const std::string_view message = container.Text("terminationMessagePolicy");
  if (message.empty()) container.Required("terminationMessagePolicy");
  if (!message.empty()) {
    container.OneOf("terminationMessagePolicy", message, {"FallbackToLogsOnError", "File"});
  }
  CheckContainerPorts(container);
  CheckEnvironment(container, pod.options.relaxed);
  CheckMounts(container, pod.volumes, !pod.options.claims_volumes);
  const std::string_view pull = container.Text("imagePullPolicy");
  if (pull.empty()) container.Required("imagePullPolicy");
  if (!pull.empty()) container.OneOf("imagePullPolicy", pull, {"Always", "IfNotPresent", "Never"});
  container.Within("resources", [&pod](const Part& resources) {
    CheckContainerResources(resources, pod.claims);
  });
  CheckResizePolicy(container, spec["restartPolicy"].AsString());
  const Json& host_users = spec["hostUsers"];
  CheckContainerSecurity(container, host_users.AsBool(true));
}

void CheckImageBlanks(const Part& container) {
  const std::string_view image = container["image"].AsString();
  if (StripAsciiWhitespace(image).size() == image.size()) return;
  container.Invalid("image", Json(image), "must not have leading or trailing whitespace");
}

HandlerRules HandlersOf(const Part& spec, const PodParts& pod) {
  HandlerRules rules;
  const Json& grace = spec["terminationGracePeriodSeconds"];
  if (grace.is_int()) rules.grace_seconds = grace.AsInt();
  rules.zero_sleep = pod.options.relaxed;
  return rules;
}

void CheckOwnContainers(const Part& spec, const PodParts& pod) {
  const HandlerRules handlers = HandlersOf(spec, pod);
  Names names;
  spec.ForEach("containers", [&](const Part& container, size_t) {
    CheckContainer(spec, container, pod);
    const std::string_view name = container["name"].AsString();
    if (!names.insert(name).second) container.Duplicate("name", Json(name));
    CheckLifecycle(container, handlers);
    CheckProbes(container, handlers);
    if (!container.Has("restartPolicy")) return;
    if (pod.options.relaxed) {
      container.OneOf("restartPolicy", container.Text("restartPolicy"),
                      {"Always", "Never", "OnFailure"});
    } else {
      container.Forbidden("restartPolicy", "may not be set for non-init containers");
    }
  });
  CheckHostPortConflicts(spec, "containers");
}

void CheckInitContainers(const Part& spec, const PodParts& pod, Names names) {
  const HandlerRules handlers = HandlersOf(spec, pod);
  const Place list = spec.at().Field("initContainers");
  spec.ForEach("initContainers", [&](const Part& container, size_t) {
    CheckContainer(spec, container, pod);
    const bool stays = container["restartPolicy"].AsString() == "Always";
    if (container.Has("restartPolicy")) {
      const std::string_view policy = container.Text("restartPolicy");
      if (pod.options.relaxed) {
        container.OneOf("restartPolicy", policy, {"Always", "Never", "OnFailure"});
      } else {
        container.OneOf("restartPolicy", policy, {"Always"});
      }
    }
    const std::string_view name = container["name"].AsString();
    if (!names.insert(name).second && !name.empty()) container.Duplicate("name", Json(name));
    CheckOwnHostPorts(container, list);
    if (stays) {
      CheckLifecycle(container, handlers);
      CheckProbes(container, handlers);
    } else {
      for (const std::string_view key :
           {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
        if (!container.Has(key)) continue;
        container.Forbidden(key, "may not be set for init containers without restartPolicy=Always");
      }
    }
    if (!pod.options.relaxed && container.SizeOf("resizePolicy") > 0) {
      container.Invalid("resizePolicy", container["resizePolicy"],
                        "must not be set for init containers");
    }
  });
}

// In the order in which Kubernetes looks at fields.
constexpr std::string_view kNotEphemeral[] = {"ports",         "resources",     "resizePolicy",
                                              "restartPolicy", "livenessProbe", "readinessProbe",
                                              "startupProbe",  "lifecycle"};

void CheckEphemeralContainers(const Part& spec, const PodParts& pod, const Names& others) {
  Names names = others;
  spec.ForEach("ephemeralContainers", [&](const Part& container, size_t) {
    CheckContainer(spec, container, pod);
    CheckImageBlanks(container);
    const std::string_view name = container["name"].AsString();
    if (!names.insert(name).second) container.Duplicate("name", Json(name));
    const std::string_view target = container.Text("targetContainerName");
    if (!target.empty() && !others.contains(target)) {
      container.NotFound("targetContainerName", Json(target));
    }
    constexpr std::string_view kCannot = "cannot be set for an Ephemeral Container";
    for (const std::string_view key : kNotEphemeral) {
      const Json& value = container[key];
      const bool empty = (value.is_array() || value.is_object()) && value.empty();
      if (!value.is_null() && !(empty && key != "lifecycle")) container.Forbidden(key, kCannot);
    }
    container.ForEach("volumeMounts", [&](const Part& mount, size_t) {
      if (!mount.Text("subPath").empty()) mount.Forbidden("subPath", kCannot);
      if (!mount.Text("subPathExpr").empty()) mount.Forbidden("subPathExpr", kCannot);
    });
  });
}

Names NamesIn(const Part& spec, std::string_view list) {
  Names names;
  for (const Json& container : spec[list].items()) {
    names.insert(container["name"].AsString());
  }
  return names;
}

}  // namespace

void CheckContainers(const Part& spec, const PodParts& pod) {
  if (spec["containers"].empty()) {
    spec.Required("containers");
  } else {
    CheckOwnContainers(spec, pod);
  }
  if (spec.Has("initContainers") || spec.Has("ephemeralContainers")) {
    Names names = NamesIn(spec, "containers");
    CheckInitContainers(spec, pod, names);
    names.merge(NamesIn(spec, "initContainers"));
    CheckEphemeralContainers(spec, pod, names);
  }
  if (!pod.options.is_pod) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    spec.ForEachAgain(list, [](const Part& container, size_t) { CheckImageBlanks(container); });
  }
}

}  // namespace bth::rules
