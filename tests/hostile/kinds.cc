#include "tests/hostile/kinds.h"

#include "base/check.h"
#include "base/strings.h"

namespace bth::hostile {
namespace {

constexpr std::string_view kScheduling = "scheduling.volcano.sh/v1beta1";
constexpr std::string_view kStorage = "storage.k8s.io/v1";
constexpr std::string_view kResource = "resource.k8s.io/v1";

void CapReplicas(Json* value) {
  if (value->is_array()) {
    for (Json& item : value->MutableItems()) CapReplicas(&item);
  }
  if (!value->is_object()) return;
  for (auto& [key, member] : value->MutableMembers()) {
    if (key == "replicas" && member.AsInt() > kReplicasMax) member = kReplicasMax;
    CapReplicas(&member);
  }
}

}  // namespace

const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {"Namespace", "v1", "namespaces", false, 3, "ns", 3, FillNamespace},
      {"PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", false, 3, "prio", 5,
       FillPriorityClass},
      {"Queue", kScheduling, "queues", false, 12, "q", 8, FillQueue},
      {"Node", "v1", "nodes", false, 12, "n", 10, FillNode},
      {"PodGroup", kScheduling, "podgroups", true, 16, "g", 8, FillPodGroup},
      {"Pod", "v1", "pods", true, 40, "p", 40, FillPod},
      {"PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", true, 3, "pdb", 4, FillBudget},
      {"ResourceQuota", "v1", "resourcequotas", true, 2, "quota", 3, FillQuota},
      {"Service", "v1", "services", true, 2, "svc", 4, FillService},
      {"ReplicationController", "v1", "replicationcontrollers", true, 1, "rc", 3, FillWorkload},
      {"ReplicaSet", "apps/v1", "replicasets", true, 2, "rs", 4, FillWorkload},
      {"StatefulSet", "apps/v1", "statefulsets", true, 1, "sts", 3, FillWorkload},
      {"ConfigMap", "v1", "configmaps", true, 1, "cm", 3, FillConfigMap},
      {"ConfigMap", "v1", "configmaps", true, 2, "mindx-dl-deviceinfo-n", 10, FillChipsOfNode,
       "kube-system"},
      {"ConfigMap", "v1", "configmaps", true, 1, "mindx-dl-nodeinfo-n", 10, FillStatusOfNode,
       "mindx-dl"},
      {"ConfigMap", "v1", "configmaps", true, 3, "cluster-info-device-", 2, FillChipsOfCluster,
       "mindx-dl"},
      {"ConfigMap", "v1", "configmaps", true, 1, "cluster-info-node-cm", 0, FillStatusOfCluster,
       "mindx-dl"},
      {"PersistentVolume", "v1", "persistentvolumes", false, 4, "pv", 6, FillVolume},
      {"PersistentVolumeClaim", "v1", "persistentvolumeclaims", true, 5, "pvc", 6, FillClaim},
      {"StorageClass", kStorage, "storageclasses", false, 2, "sc", 4, FillStorageClass},
      {"CSINode", kStorage, "csinodes", false, 2, "n", 10, FillCsiNode},
      {"CSIDriver", kStorage, "csidrivers", false, 1, "driver", 3, FillCsiDriver},
      {"CSIStorageCapacity", kStorage, "csistoragecapacities", true, 2, "cap", 4, FillCapacity},
      {"VolumeAttachment", kStorage, "volumeattachments", false, 1, "att", 4, FillAttachment},
      {"ResourceSlice", kResource, "resourceslices", false, 6, "slice", 8, FillSlice},
      {"DeviceClass", kResource, "deviceclasses", false, 3, "class", 3, FillDeviceClass},
      {"DeviceTaintRule", "resource.k8s.io/v1beta2", "devicetaintrules", false, 2, "rule", 4,
       FillTaintRule},
      {"ResourceClaim", kResource, "resourceclaims", true, 6, "claim", 6, FillDeviceClaim},
      {"ResourceClaimTemplate", kResource, "resourceclaimtemplates", true, 2, "claimt", 3,
       FillDeviceClaimTemplate},
      {"Job", "batch.volcano.sh/v1alpha1", "jobs", true, 10, "j", 6, FillBatchJob},
      {"Command", "bus.volcano.sh/v1alpha1", "commands", true, 4, "cmd", 6, FillCommand},
      {"JobFlow", "flow.volcano.sh/v1alpha1", "jobflows", true, 2, "flow", 3, FillJobFlow},
      {"JobTemplate", "flow.volcano.sh/v1alpha1", "jobtemplates", true, 3, "jt", 4,
       FillJobTemplate},
      {"CronJob", "batch.volcano.sh/v1alpha1", "cronjobs", true, 2, "cron", 3, FillCronJob},
      {"HyperNode", "topology.volcano.sh/v1alpha1", "hypernodes", false, 4, "h", 6, FillHyperNode},
      {"Numatopology", "nodeinfo.volcano.sh/v1alpha1", "numatopologies", false, 2, "n", 10,
       FillNumatopology},
      {"NodeShard", "shard.volcano.sh/v1alpha1", "nodeshards", false, 1, "shard", 3, FillNodeShard},
      {"ColocationConfiguration", "config.volcano.sh/v1alpha1", "colocationconfigurations", true, 1,
       "colo", 3, FillColocation},
  };
  return kinds;
}

std::string Kind::Path(std::string_view ns) const {
  const bool core = api_version.find('/') == std::string_view::npos;
  std::string out = StrCat(core ? "/api/" : "/apis/", api_version);
  if (namespaced && !ns.empty()) StrAppend(&out, "/namespaces/", ns);
  return StrCat(out, "/", plural);
}

const Kind& KindNamed(std::string_view kind) {
  for (const Kind& known : Kinds()) {
    if (known.kind == kind) return known;
  }
  BTH_CHECK(false);
}

const Kind& DrawKind(Dice& dice) {
  int64_t sum = 0;
  for (const Kind& kind : Kinds()) sum += kind.weight;
  int64_t left = static_cast<int64_t>(dice.Below(static_cast<size_t>(sum)));
  for (const Kind& kind : Kinds()) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  return Kinds().back();
}

std::string DrawName(Dice& dice, const Kind& kind) {
  return kind.names == 0 ? std::string(kind.stem) : dice.NameOf(kind.stem, kind.names);
}

std::string DrawNamespace(Dice& dice) {
  return std::string(dice.OneOf({"default", "default", "default", "default", "ns0", "ns1", "ns2"}));
}

Json OwnerReferences(Dice& dice) {
  Json owner = Json::MakeObject();
  const Kind& kind = KindNamed(dice.OneOf({"Job", "PodGroup", "ReplicaSet", "StatefulSet", "Pod",
                                           "JobFlow", "CronJob", "Queue", "Node"}));
  owner["apiVersion"] = kind.api_version;
  owner["kind"] = kind.kind;
  owner["name"] = dice.NameOf(kind.stem, kind.names);
  owner["uid"] = dice.Word({"u-0", "u-1", "00000000-0000-0000-0000-000000000000"});
  if (dice.Chance(0.7)) owner["controller"] = true;
  if (dice.Chance(0.3)) owner["blockOwnerDeletion"] = dice.Chance(0.5);
  return Json::MakeArray({owner});
}

Json DrawObject(Dice& dice, const Kind& kind, std::string_view ns, std::string_view name) {
  Json object = Json::MakeObject({{"apiVersion", kind.api_version}, {"kind", kind.kind}});
  Json& meta = object["metadata"];
  meta["name"] = name;
  if (kind.namespaced) meta["namespace"] = ns;
  if (dice.Chance(0.3)) meta["labels"] = dice.Labels();
  if (dice.Chance(0.08)) meta["ownerReferences"] = OwnerReferences(dice);
  if (dice.Chance(0.04)) meta["finalizers"] = Json::MakeArray({"example.com/hold"});
  if (dice.Evil()) meta["annotations"][dice.LabelKey()] = dice.Text();
  kind.fill(dice, &object);
  if (dice.Evil()) dice.Spoil(&object);
  CapReplicas(&object);
  if (!kNamelessTasks && kind.kind == "PodGroup") {
    Json* spec = object.Find("spec");
    Json* roles = spec == nullptr ? nullptr : spec->Find("minTaskMember");
    if (roles != nullptr) roles->Erase("");
  }
  return object;
}

}  // namespace bth::hostile
