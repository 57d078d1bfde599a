#include "cache/routing/router.h"

#include <utility>

#include "api/types/resource.h"
#include "base/cut_text.h"
#include "base/digest.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "cache/intake/compile_extras.h"
#include "cache/intake/compile_hyper_node.h"
#include "cache/intake/compile_numa.h"
#include "cache/intake/compile_selectors.h"
#include "cache/intake/compile_volumes.h"
#include "cache/intake/single_pod.h"
#include "devices/read.h"

namespace bth::cache {
namespace {

std::string KeyText(const ObjectName& object) {
  return StrCat(object.ns, "/", object.name);
}

template <typename T>
std::string WorkloadOf(const ObjectName& object) {
  return WorkloadKey(types::ResourceTraits<T>::type().kind, object.ns, object.name);
}

// Another scheduler's business until it is bound.
bool IsForeign(const CompiledPod& pod) {
  return !pod.ours && pod.node_name.empty();
}

// No task has so long a name, and the text may be as long as all annotations together: a digest
// that is longer than any name keeps roles apart.
void BoundRole(std::string* role) {
  constexpr size_t kNameMax = 253;
  if (role->size() <= kNameMax) return;
  Digest digest;
  digest.Add(*role);
  *role = StrCat(CutText(*role, kNameMax), "~", absl::Hex(digest.value(), absl::kZeroPad16));
}

// What only a family of devices counts is no amount to anybody else.
void DropIgnored(const model::DeviceSettings* settings, NamedAmounts* amounts) {
  if (settings == nullptr) return;
  std::erase_if(*amounts, [settings](const auto& amount) {
    return devices::IsIgnored(amount.first, *settings);
  });
}

}  // namespace

absl::StatusOr<CompiledPod> Router::Read(const types::Pod& pod) const {
  absl::StatusOr<CompiledPod> compiled =
      Compile(pod, responsibility_, mirror_.vocabulary().symbols());
  if (!compiled.ok() || IsForeign(*compiled)) return compiled;
  BoundRole(&compiled->names.role);
  BTH_RETURN_IF_ERROR(mirror_.CanCount(*compiled));
  if (responsibility_.documents) compiled->document = DocumentOf(pod);
  if (responsibility_.devices != nullptr) {
    compiled->devices = devices::ReadHeld(pod, *responsibility_.devices);
  }
  return compiled;
}

absl::StatusOr<CompiledPodGroup> Router::Read(const types::PodGroup& group) const {
  absl::StatusOr<CompiledPodGroup> compiled = Compile(group);
  if (compiled.ok()) DropIgnored(responsibility_.devices.get(), &compiled->min_resources);
  if (compiled.ok()) BTH_RETURN_IF_ERROR(mirror_.CanCount(*compiled));
  return compiled;
}

void Router::Take(CompiledPod pod) {
  if (IsForeign(pod)) {
    mirror_.NoteForeignPod(pod.names.Key(), responsibility_.single_pods ? "" : pod.job_key);
  } else if (responsibility_.single_pods) {
    PutSingle(std::move(pod));
  } else {
    mirror_.PutPod(std::move(pod));
  }
}

// Where pods are jobs of their own, those of others are nobody's.
void Router::PutSingle(CompiledPod pod) {
  if (!pod.ours) {
    pod.job_key.clear();
    mirror_.PutPod(std::move(pod));
    return;
  }
  CompiledPodGroup group = MakeSingle(pod);
  mirror_.PutPod(std::move(pod));
  mirror_.PutPodGroup(std::move(group));
}

absl::Status Router::Put(const types::Pod& pod) {
  BTH_ASSIGN_OR_RETURN(CompiledPod compiled, Read(pod));
  Take(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::PodGroup& group) {
  BTH_ASSIGN_OR_RETURN(CompiledPodGroup compiled, Read(group));
  Take(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::Node& node) {
  if (!responsibility_.OwnsNode(node.meta)) {
    mirror_.RemoveNode(node.meta.name);
    return absl::OkStatus();
  }
  BTH_ASSIGN_OR_RETURN(CompiledNode compiled, Compile(node, symbols()));
  BTH_RETURN_IF_ERROR(mirror_.CanCount(compiled));
  if (responsibility_.documents) compiled.facts->document = DocumentOf(node);
  if (responsibility_.devices != nullptr) {
    compiled.facts->devices = devices::ReadNode(node, *responsibility_.devices);
    DropIgnored(responsibility_.devices.get(), &compiled.allocatable);
  }
  mirror_.PutNode(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::HyperNode& hyper_node) {
  BTH_ASSIGN_OR_RETURN(CompiledHyperNode compiled, Compile(hyper_node));
  mirror_.PutHyperNode(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::Numatopology& report) {
  BTH_ASSIGN_OR_RETURN(CompiledNuma compiled, Compile(report));
  mirror_.numa().Put(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::Queue& queue) {
  BTH_ASSIGN_OR_RETURN(CompiledQueue compiled, Compile(queue));
  for (NamedAmounts* amounts : {&compiled.capability, &compiled.deserved, &compiled.guarantee}) {
    DropIgnored(responsibility_.devices.get(), amounts);
  }
  mirror_.PutQueue(std::move(compiled));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::PriorityClass& priority) {
  mirror_.PutPriorityClass(priority.meta.name, priority.value, priority.global_default);
  return absl::OkStatus();
}

absl::Status Router::Put(const types::PodDisruptionBudget& budget) {
  mirror_.PutBudget(Compile(budget));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ResourceQuota& quota) {
  mirror_.PutQuota(Compile(quota));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::Namespace& ns) {
  Labels labels;
  for (const auto& [key, value] : ns.meta.labels) labels.emplace_back(key, value);
  mirror_.PutNamespace(ns.meta.name, labels);
  return absl::OkStatus();
}

absl::Status Router::Put(const types::StorageClass& object) {
  mirror_.storage().PutClass(object.meta.name, Compile(object, symbols()));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::CsiDriver& object) {
  mirror_.storage().PutCsiDriver(object.meta.name, object.storage_capacity.value_or(false));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::CsiNode& object) {
  mirror_.storage().PutCsiNode(object.meta.name, Compile(object));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::CsiStorageCapacity& object) {
  mirror_.storage().PutCapacity(object.meta.Key(), object.storage_class_name,
                                Compile(object, symbols()));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::PersistentVolume& object) {
  mirror_.storage().Put(Compile(object, symbols()));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::PersistentVolumeClaim& object) {
  mirror_.storage().Put(Compile(object, symbols()));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::VolumeAttachment& object) {
  mirror_.storage().PutAttachment(object.meta.name, object.node_name,
                                  object.persistent_volume_name);
  return absl::OkStatus();
}

absl::Status Router::Put(const types::DeviceClass& object) {
  std::shared_ptr<model::DeviceClassFacts> device_class =
      Compile(object, mirror_.device_claims().tests());
  device_class->serves_extended = responsibility_.extended_devices;
  mirror_.device_claims().Put(std::move(device_class));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::DeviceTaintRule& object) {
  mirror_.device_claims().PutTaintRule(object.meta.name, Compile(object));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ResourceSlice& object) {
  BTH_ASSIGN_OR_RETURN(std::shared_ptr<const model::SliceFacts> slice, Compile(object, symbols()));
  mirror_.device_claims().Put(std::move(slice));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ResourceClaim& object) {
  mirror_.device_claims().Put(Compile(object, symbols(), mirror_.device_claims().tests()));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::Service& service) {
  mirror_.selectors().Put(Compile(service));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ReplicationController& controller) {
  mirror_.selectors().Put(Compile(controller));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ReplicaSet& set) {
  mirror_.selectors().Put(Compile(set));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::StatefulSet& set) {
  mirror_.selectors().Put(Compile(set));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::NodeShard& shard) {
  mirror_.PutShard(Compile(shard));
  return absl::OkStatus();
}

absl::Status Router::Put(const types::ConfigMap& object) {
  if (responsibility_.devices == nullptr) return absl::OkStatus();
  BTH_ASSIGN_OR_RETURN(std::vector<model::ChipNews> news,
                       devices::ReadChips(object, *responsibility_.devices));
  mirror_.PutChips(KeyText({object.meta.ns, object.meta.name}), std::move(news));
  return absl::OkStatus();
}

void Router::Remove(Kind<types::Pod>, const ObjectName& object) {
  mirror_.RemovePod(KeyText(object));
}
void Router::Remove(Kind<types::PodGroup>, const ObjectName& object) {
  mirror_.RemovePodGroup(KeyText(object));
}
void Router::Remove(Kind<types::Node>, const ObjectName& object) {
  mirror_.RemoveNode(object.name);
}
void Router::Remove(Kind<types::HyperNode>, const ObjectName& object) {
  mirror_.RemoveHyperNode(object.name);
}
void Router::Remove(Kind<types::Numatopology>, const ObjectName& object) {
  mirror_.numa().Remove(object.name);
}
void Router::Remove(Kind<types::Queue>, const ObjectName& object) {
  mirror_.RemoveQueue(object.name);
}
void Router::Remove(Kind<types::PriorityClass>, const ObjectName& object) {
  mirror_.RemovePriorityClass(object.name);
}
void Router::Remove(Kind<types::PodDisruptionBudget>, const ObjectName& object) {
  mirror_.RemoveBudget(KeyText(object));
}
void Router::Remove(Kind<types::ResourceQuota>, const ObjectName& object) {
  mirror_.RemoveQuota(object.ns, object.name);
}
void Router::Remove(Kind<types::Namespace>, const ObjectName& object) {
  mirror_.RemoveNamespace(object.name);
}
void Router::Remove(Kind<types::StorageClass>, const ObjectName& object) {
  mirror_.storage().RemoveClass(object.name);
}
void Router::Remove(Kind<types::CsiDriver>, const ObjectName& object) {
  mirror_.storage().RemoveCsiDriver(object.name);
}
void Router::Remove(Kind<types::CsiNode>, const ObjectName& object) {
  mirror_.storage().RemoveCsiNode(object.name);
}
void Router::Remove(Kind<types::CsiStorageCapacity>, const ObjectName& object) {
  mirror_.storage().RemoveCapacity(KeyText(object));
}
void Router::Remove(Kind<types::PersistentVolume>, const ObjectName& object) {
  mirror_.storage().RemoveVolume(object.name);
}
void Router::Remove(Kind<types::PersistentVolumeClaim>, const ObjectName& object) {
  mirror_.storage().RemoveClaim(KeyText(object));
}
void Router::Remove(Kind<types::VolumeAttachment>, const ObjectName& object) {
  mirror_.storage().RemoveAttachment(object.name);
}
void Router::Remove(Kind<types::DeviceClass>, const ObjectName& object) {
  mirror_.device_claims().RemoveClass(object.name);
}
void Router::Remove(Kind<types::DeviceTaintRule>, const ObjectName& object) {
  mirror_.device_claims().RemoveTaintRule(object.name);
}
void Router::Remove(Kind<types::ResourceSlice>, const ObjectName& object) {
  mirror_.device_claims().RemoveSlice(object.name);
}
void Router::Remove(Kind<types::ResourceClaim>, const ObjectName& object) {
  mirror_.device_claims().RemoveClaim(KeyText(object));
}
void Router::Remove(Kind<types::Service>, const ObjectName& object) {
  mirror_.selectors().RemoveService(object.ns, object.name);
}
void Router::Remove(Kind<types::ReplicationController>, const ObjectName& object) {
  mirror_.selectors().RemoveWorkload(WorkloadOf<types::ReplicationController>(object));
}
void Router::Remove(Kind<types::ReplicaSet>, const ObjectName& object) {
  mirror_.selectors().RemoveWorkload(WorkloadOf<types::ReplicaSet>(object));
}
void Router::Remove(Kind<types::StatefulSet>, const ObjectName& object) {
  mirror_.selectors().RemoveWorkload(WorkloadOf<types::StatefulSet>(object));
}
void Router::Remove(Kind<types::NodeShard>, const ObjectName& object) {
  mirror_.RemoveShard(object.name);
}

bool Router::IsTold(const types::Pod& pod, const absl::Status& status) const {
  return absl::IsResourceExhausted(status) ||
         responsibility_.scheduler_names.contains(pod.spec.scheduler_name);
}
void Router::Remove(Kind<types::ConfigMap>, const ObjectName& object) {
  mirror_.PutChips(KeyText(object), {});
}

}  // namespace bth::cache
