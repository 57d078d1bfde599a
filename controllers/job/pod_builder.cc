#include "controllers/job/pod_builder.h"

#include <set>
#include <string>
#include <utility>

#include "api/types/fragment.h"
#include "base/strings.h"
#include "controllers/core/ownership.h"
#include "controllers/job/keys.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::Json;

// Members of a template's map that are texts; anything else would be refused as it stands.
Json MapOf(const Json& map) {
  return map.is_object() ? map : Json::MakeObject();
}

void SetDefault(Json& spec, std::string_view key, const std::string& value) {
  if (!value.empty() && spec[key].AsString().empty()) spec.Set(key, value);
}

void Copy(const BatchJob& job, std::string_view key, PodDraft* pod, bool as_label) {
  const types::LabelMap& from = as_label ? job.meta.labels : job.meta.annotations;
  const std::string* value = from.Find(key);
  if (value == nullptr) return;
  if (as_label) {
    pod->SetLabel(key, *value);
  } else {
    pod->SetAnnotation(key, *value);
  }
}

void AddVolumes(const BatchJob& job, PodDraft* pod) {
  std::set<std::string> claims;
  for (const types::BatchVolume& volume : job.spec.volumes) {
    if (!claims.insert(volume.claim_name).second) continue;
    const auto is_taken = [pod](const std::string& name) {
      for (const Json& other : std::as_const(*pod).spec()["volumes"].items()) {
        if (other["name"].AsString() == name) return true;
      }
      return false;
    };
    const std::string name =
        NameWithSuffix(StrCat(job.meta.name, "-"), volume.claim_name, is_taken);
    Json source = Json::MakeObject({{"claimName", volume.claim_name}});
    pod->AddVolume(Json::MakeObject({{"name", name}, {"persistentVolumeClaim", source}}));
    for (Json* container : pod->Containers()) {
      PodDraft::AddMount(*container,
                         Json::MakeObject({{"name", name}, {"mountPath", volume.mount_path}}));
    }
  }
}

void AddMarks(const BatchJob& job, const BatchTask& task, PodDraft* pod) {
  const std::string index = StrCat(pod->index());
  const std::string_view task_name = task.name.empty() ? kDefaultTask : task.name;
  pod->SetAnnotation(kTaskIndexKey, index);
  pod->SetAnnotation(kTaskSpecKey, task_name);
  pod->SetAnnotation(kGroupNameKey, PodGroupName(job));
  pod->SetAnnotation(kJobNameKey, job.meta.name);
  pod->SetAnnotation(kQueueNameKey, job.spec.queue);
  pod->SetAnnotation(kJobVersionKey, StrCat(job.status.version));
  pod->SetAnnotation(kTemplateUidKey, StrCat(job.meta.name, "-", task.name));
  pod->SetAnnotation(kJobRetryCountKey, StrCat(job.status.retry_count));
  if (!task.topology_policy.empty()) pod->SetAnnotation(kNumaPolicyKey, task.topology_policy);
  Copy(job, kPreemptableKey, pod, false);
  Copy(job, kCooldownTimeKey, pod, false);
  Copy(job, kRevocableZoneKey, pod, false);
  const bool has_minimum = job.meta.annotations.Contains(kJdbMinAvailableKey);
  Copy(job, has_minimum ? kJdbMinAvailableKey : kJdbMaxUnavailableKey, pod, false);

  pod->SetLabel(kTaskIndexKey, index);
  pod->SetLabel(kJobNameKey, job.meta.name);
  pod->SetLabel(kTaskSpecKey, task_name);
  pod->SetLabel(kJobNamespaceKey, job.meta.ns);
  pod->SetLabel(kQueueNameKey, job.spec.queue);
  Copy(job, kPreemptableKey, pod, true);
  Copy(job, kCooldownTimeKey, pod, true);
}

}  // namespace

int32_t PartitionOf(int32_t index, int32_t partition_size) {
  return partition_size <= 0 ? 0 : index / partition_size;
}

PodDraft BuildPod(const BatchJob& job, const BatchTask& task, int32_t index, bool is_forwarded) {
  const Json& written = task.pod_template.raw;
  Json annotations = MapOf(written.At({"metadata", "annotations"}));
  annotations.Erase(kOutOfSyncKey);  // Ours to set: a pod that is made with it is deleted at once.
  Json owner = types::FragmentToJson(ControllerReferenceTo(job));
  Json meta = Json::MakeObject({{"name", PodName(job.meta.name, task.name, index)},
                                {"namespace", job.meta.ns},
                                {"labels", MapOf(written.At({"metadata", "labels"}))}});
  meta.Set("annotations", std::move(annotations));
  meta.Set("ownerReferences", Json::MakeArray({std::move(owner)}));
  Json object = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "Pod"}});
  object.Set("metadata", std::move(meta));
  object.Set("spec", MapOf(written["spec"]));

  PodDraft pod(std::move(object), task.name, index);
  SetDefault(pod.spec(), "schedulerName", job.spec.scheduler_name);
  SetDefault(pod.spec(), "priorityClassName", job.spec.priority_class_name);
  AddVolumes(job, &pod);
  AddMarks(job, task, &pod);
  if (is_forwarded) {
    pod.SetAnnotation(kJobForwardingKey, "true");
    pod.SetLabel(kJobForwardingKey, "true");
  }
  if (task.partition_policy.has_value()) {
    const int32_t partition = PartitionOf(index, task.partition_policy->partition_size);
    pod.SetLabel(kPartitionIdKey, StrCat(partition));
  }
  return pod;
}

}  // namespace bth::controllers
