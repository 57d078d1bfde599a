// Volumes and claims.
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_volumes.h"
#include "sim/cluster.h"

namespace bth::sim {

// What the volume controller would fill in: a volume that names no claim is available, a claim that
// is said to be bound is so completely.
absl::Status Cluster::FillIn(types::PersistentVolume* volume) const {
  if (volume->phase.empty()) volume->phase = volume->spec.claim_ref ? "Bound" : "Available";
  return absl::OkStatus();
}

absl::Status Cluster::FillIn(types::PersistentVolumeClaim* claim) const {
  if (claim->status.phase == "Bound" && !claim->spec.volume_name.empty()) {
    claim->meta.annotations.Set(std::string(cache::kBindCompleted), "yes");
  }
  return absl::OkStatus();
}

absl::Status Cluster::BindVolumes(const model::VolumePlan& plan, absl::Time now,
                                  cache::Mirror* mirror) {
  for (const model::VolumePlan::Choice& choice : plan.choices) {
    types::PersistentVolumeClaim& claim = claims_.objects.at(choice.claim);
    const bool made = choice.volume.empty();
    const std::string name = made ? StrCat("pvc-", claim.meta.uid) : choice.volume;
    types::PersistentVolume& volume = volumes_.objects[name];
    if (made) {
      volume.meta.name = name;
      volume.meta.uid = name;
      volume.meta.creation_time = now;
      volume.spec.capacity = claim.spec.requests;
      volume.spec.access_modes = claim.spec.access_modes;
      volume.spec.storage_class_name = claim.spec.storage_class_name.value_or("");
      volume.spec.volume_mode = claim.spec.volume_mode;
      volume.spec.volume_attributes_class_name = claim.spec.volume_attributes_class_name;
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
    BTH_RETURN_IF_ERROR(Put(&volume, mirror));
    BTH_RETURN_IF_ERROR(Put(&claim, mirror));
  }
  return absl::OkStatus();
}

}  // namespace bth::sim
