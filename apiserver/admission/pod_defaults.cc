#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/admission/builtin.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Older images are pulled only when missing; "latest" and untagged ones always.
std::string_view PullPolicy(std::string_view image) {
  const size_t slash = image.rfind('/');
  const std::string_view last = slash == image.npos ? image : image.substr(slash + 1);
  if (last.find('@') != last.npos) return "IfNotPresent";
  const size_t colon = last.rfind(':');
  return colon == last.npos || last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void DefaultProbe(Json& container, std::string_view key) {
  Json* probe = container.Find(key);
  if (probe == nullptr || !probe->is_object()) return;
  SetIfAbsent(*probe, "timeoutSeconds", 1);
  SetIfAbsent(*probe, "periodSeconds", 10);
  SetIfAbsent(*probe, "successThreshold", 1);
  SetIfAbsent(*probe, "failureThreshold", 3);
  if (Json* http = probe->Find("httpGet"); http != nullptr && http->is_object()) {
    SetIfAbsent(*http, "path", "/");
    SetIfAbsent(*http, "scheme", "HTTP");
  }
}

void DefaultContainer(Json& container) {
  if (!container.is_object()) return;
  SetIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
  SetIfAbsent(container, "terminationMessagePolicy", "File");
  SetIfAbsent(container, "imagePullPolicy",
              PullPolicy(std::as_const(container)["image"].AsString()));
  SetIfAbsent(container, "resources", Json::MakeObject());
  // A limit without a request asks for as much.
  const Json limits = std::as_const(container)["resources"]["limits"];
  for (const auto& [name, value] : limits.members()) {
    SetIfAbsent(container["resources"]["requests"], name, value);
  }
  if (Json* ports = container.Find("ports"); ports != nullptr && ports->is_array()) {
    for (Json& port : ports->MutableItems()) {
      if (port.is_object()) SetIfAbsent(port, "protocol", "TCP");
    }
  }
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(container, probe);
  }
}

void DefaultVolume(Json& volume) {
  if (!volume.is_object()) return;
  for (const char* kind : {"configMap", "secret", "projected", "downwardAPI"}) {
    if (Json* source = volume.Find(kind); source != nullptr && source->is_object()) {
      SetIfAbsent(*source, "defaultMode", 420);
    }
  }
  if (Json* path = volume.Find("hostPath"); path != nullptr && path->is_object()) {
    SetIfAbsent(*path, "type", "");
  }
}

template <typename Function>
void ForEach(Json& object, std::string_view key, Function function) {
  Json* list = object.Find(key);
  if (list == nullptr || !list->is_array()) return;
  for (Json& item : list->MutableItems()) function(item);
}

}  // namespace

void DefaultPodSpec(Json& spec) {
  if (!spec.is_object()) return;
  SetIfAbsent(spec, "restartPolicy", "Always");
  SetIfAbsent(spec, "terminationGracePeriodSeconds", 30);
  SetIfAbsent(spec, "dnsPolicy", "ClusterFirst");
  SetIfAbsent(spec, "securityContext", Json::MakeObject());
  SetIfAbsent(spec, "schedulerName", "default-scheduler");
  for (const char* list : {"containers", "initContainers"}) ForEach(spec, list, DefaultContainer);
  ForEach(spec, "volumes", DefaultVolume);
  if (const Json* account = std::as_const(spec).Find("serviceAccountName")) {
    SetIfAbsent(spec, "serviceAccount", *account);
  }
}

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
  SetIfAbsent(spec, "serviceAccountName", "default");
  SetIfAbsent(spec, "enableServiceLinks", true);
  DefaultPodSpec(spec);
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
