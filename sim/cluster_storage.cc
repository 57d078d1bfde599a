// Volumes, claims, classes and what CSI drivers tell.
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/intake/compile_volumes.h"
#include "sim/cluster.h"

namespace bth::sim {

absl::Status Cluster::Put(types::StorageClass& object, cache::Mirror* mirror) const {
  mirror->storage().PutClass(object.meta.name,
                             cache::Compile(object, mirror->vocabulary().symbols()));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::CsiDriver& object, cache::Mirror* mirror) const {
  mirror->storage().PutCsiDriver(object.meta.name, object.storage_capacity.value_or(false));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::CsiNode& object, cache::Mirror* mirror) const {
  mirror->storage().PutCsiNode(object.meta.name, cache::Compile(object));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::CsiStorageCapacity& object, cache::Mirror* mirror) const {
  mirror->storage().PutCapacity(object.meta.Key(), object.storage_class_name,
                                cache::Compile(object, mirror->vocabulary().symbols()));
  return absl::OkStatus();
}

// What the volume controller would fill in: a volume that names no claim is available, a claim that
// is said to be bound is so completely.
absl::Status Cluster::Put(types::PersistentVolume& object, cache::Mirror* mirror) const {
  if (object.phase.empty()) object.phase = object.spec.claim_ref ? "Bound" : "Available";
  mirror->storage().Put(cache::Compile(object, mirror->vocabulary().symbols()));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::PersistentVolumeClaim& object, cache::Mirror* mirror) const {
  if (object.status.phase == "Bound" && !object.spec.volume_name.empty()) {
    object.meta.annotations.Set(std::string(cache::kBindCompleted), "yes");
  }
  mirror->storage().Put(cache::Compile(object, mirror->vocabulary().symbols()));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::VolumeAttachment& object, cache::Mirror* mirror) const {
  mirror->storage().PutAttachment(object.meta.name, object.node_name,
                                  object.persistent_volume_name);
  return absl::OkStatus();
}

absl::Status Cluster::BindVolumes(const model::VolumePlan& plan, absl::Time now,
                                  cache::Mirror* mirror) {
  for (const model::VolumePlan::Choice& choice : plan.choices) {
    types::PersistentVolumeClaim& claim = claims_.objects.at(choice.claim);
    const bool made = choice.volume.empty();
    const std::string name = made ? absl::StrCat("pvc-", claim.meta.uid) : choice.volume;
    types::PersistentVolume& volume = volumes_.objects[name];
    if (made) {
      volume.meta.name = name;
      volume.meta.uid = name;
      volume.meta.creation_time = now;
      volume.spec.capacity = claim.spec.requests;
      volume.spec.access_modes = claim.spec.access_modes;
      volume.spec.storage_class_name = claim.spec.storage_class_name.value_or("");
      volume.spec.volume_mode = claim.spec.volume_mode;
    }
    types::ObjectReference reference;
    reference.kind = "PersistentVolumeClaim";
    reference.ns = claim.meta.ns;
    reference.name = claim.meta.name;
    reference.uid = claim.meta.uid;
    volume.spec.claim_ref = reference;
    volume.phase = "Bound";
    claim.spec.volume_name = name;
    claim.status.phase = "Bound";
    BTH_RETURN_IF_ERROR(Put(volume, mirror));
    BTH_RETURN_IF_ERROR(Put(claim, mirror));
  }
  return absl::OkStatus();
}

}  // namespace bth::sim
