#include <string>
#include <string_view>
#include <utility>

#include "api/rules/pod_defaults.h"
#include "apiserver/admission/builtin.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using rules::SetIfAbsent;

void DefaultNamespace(const WriteContext& write, Json& object) {
  object["metadata"]["labels"].Set("kubernetes.io/metadata.name", write.name);
  if (write.operation != Operation::kCreate) return;
  object["spec"].Set("finalizers", Json::MakeArray({"kubernetes"}));
  object.Set("status", Json::MakeObject({{"phase", "Active"}}));
}

void DefaultService(Json& spec) {
  SetIfAbsent(spec, "type", "ClusterIP");
  SetIfAbsent(spec, "sessionAffinity", "None");
  Json* ports = spec.Find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  for (Json& port : ports->MutableItems()) {
    if (!port.is_object()) continue;
    SetIfAbsent(port, "protocol", "TCP");
    SetIfAbsent(port, "targetPort", std::as_const(port)["port"]);
  }
}

void DefaultSecret(Json& object) {
  SetIfAbsent(object, "type", "Opaque");
  const Json plain = std::as_const(object)["stringData"];
  for (const auto& [key, value] : plain.members()) {
    object["data"].Set(key, Base64Escape(value.AsString()));
  }
  object.Erase("stringData");
}

// apps and batch: the counts and policies that printers and controllers read.
void DefaultWorkload(const ResourceType& type, Json& spec) {
  if (type.kind == "Deployment" || type.kind == "ReplicaSet" || type.kind == "StatefulSet" ||
      type.kind == "ReplicationController") {
    SetIfAbsent(spec, "replicas", 1);
  }
  if (type.kind == "Deployment") {
    SetIfAbsent(spec, "progressDeadlineSeconds", 600);
    SetIfAbsent(spec, "revisionHistoryLimit", 10);
    SetIfAbsent(
        spec, "strategy",
        Json::MakeObject({{"type", "RollingUpdate"},
                          {"rollingUpdate",
                           Json::MakeObject({{"maxSurge", "25%"}, {"maxUnavailable", "25%"}})}}));
  }
  if (type.kind == "StatefulSet") {
    SetIfAbsent(spec, "podManagementPolicy", "OrderedReady");
    SetIfAbsent(spec, "revisionHistoryLimit", 10);
    SetIfAbsent(spec, "updateStrategy",
                Json::MakeObject({{"type", "RollingUpdate"},
                                  {"rollingUpdate", Json::MakeObject({{"partition", 0}})}}));
  }
  if (type.kind == "Job") {
    if (std::as_const(spec)["completions"].is_null()) {
      // Without a parallelism either, a job is one pod.
      if (std::as_const(spec)["parallelism"].is_null()) spec.Set("completions", 1);
    }
    SetIfAbsent(spec, "parallelism", 1);
    SetIfAbsent(spec, "backoffLimit", 6);
    SetIfAbsent(spec, "completionMode", "NonIndexed");
    SetIfAbsent(spec, "suspend", false);
  }
  if (type.kind == "CronJob") {
    SetIfAbsent(spec, "concurrencyPolicy", "Allow");
    SetIfAbsent(spec, "suspend", false);
    SetIfAbsent(spec, "successfulJobsHistoryLimit", 3);
    SetIfAbsent(spec, "failedJobsHistoryLimit", 1);
  }
  Json* holder = &spec;
  if (type.kind == "CronJob") {
    for (const char* step : {"jobTemplate", "spec"}) {
      holder = holder->Find(step);
      if (holder == nullptr) return;
    }
  }
  Json* templ = holder->Find("template");
  if (templ == nullptr || !templ->is_object()) return;
  if (Json* pod = templ->Find("spec")) rules::DefaultPodSpec(*pod);
}

void DefaultStorage(const WriteContext& write, Json& object) {
  const std::string& kind = write.type->kind;
  if (kind == "StorageClass") {
    SetIfAbsent(object, "reclaimPolicy", "Delete");
    SetIfAbsent(object, "volumeBindingMode", "Immediate");
  } else if (kind == "PersistentVolume") {
    SetIfAbsent(object["spec"], "persistentVolumeReclaimPolicy", "Retain");
    SetIfAbsent(object["spec"], "volumeMode", "Filesystem");
    if (write.operation == Operation::kCreate) {
      object.Set("status", Json::MakeObject({{"phase", "Pending"}}));
    }
  } else if (kind == "PersistentVolumeClaim") {
    SetIfAbsent(object["spec"], "volumeMode", "Filesystem");
    if (write.operation == Operation::kCreate) {
      object.Set("status", Json::MakeObject({{"phase", "Pending"}}));
    }
  }
}

}  // namespace

void DefaultObject(const WriteContext& write, Json& object) {
  const ResourceType& type = *write.type;
  if (type.custom) return;
  if (write.Is("", "namespaces")) return DefaultNamespace(write, object);
  if (write.Is("", "secrets")) return DefaultSecret(object);
  if (write.Is("scheduling.k8s.io", "priorityclasses")) {
    SetIfAbsent(object, "preemptionPolicy", "PreemptLowerPriority");
    SetIfAbsent(object, "value", 0);
    return;
  }
  if (write.Is("", "nodes")) {
    // A node that does not say what may be used gives all it has.
    const Json capacity = std::as_const(object)["status"]["capacity"];
    if (capacity.is_object()) SetIfAbsent(object["status"], "allocatable", capacity);
    return;
  }
  DefaultStorage(write, object);
  if (type.group == "resource.k8s.io") DefaultDevices(write, object);
  Json* spec = object.Find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  if (write.Is("", "services")) DefaultService(*spec);
  if (type.group == "apps" || type.group == "batch" || type.kind == "ReplicationController") {
    DefaultWorkload(type, *spec);
  }
}

}  // namespace bth::apiserver
