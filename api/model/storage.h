// Volumes that decide where a pod may run, and what the cluster offers for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace bth::model {

// A claim that a pod mounts.
struct ClaimUse {
  std::string name;        // Of the PersistentVolumeClaim, in the pod's namespace.
  bool ephemeral = false;  // Made for this pod from a template: must be owned by the pod.
  bool read_only = false;
  friend bool operator==(const ClaimUse&, const ClaimUse&) = default;
};

// A disk named by the pod itself; two pods of a node clash over one of them unless both only read
// (kinds that can be shared for reading), or it is of a kind that only counts as attached.
struct DiskUse {
  std::string kind;  // gce-pd, aws-ebs, azure-disk, cinder, portworx-volume, iscsi, rbd
  std::string id;
  bool read_only = false;
  friend bool operator==(const DiskUse&, const DiskUse&) = default;
};

// Volumes of a pod that no filter may ignore; part of its constraints. Immutable.
struct PodVolumes {
  std::string ns;
  std::vector<ClaimUse> claims;  // In the order of the pod.
  std::vector<DiskUse> disks;
  friend bool operator==(const PodVolumes&, const PodVolumes&) = default;
};

// What the binding of a pod needs done to its claims first. Immutable.
struct VolumePlan {
  struct Choice {
    std::string claim;  // "<namespace>/<name>"
    std::string claim_uid;
    std::string volume;  // The PersistentVolume to bind; empty: one is to be made for the node.
    std::string volume_uid;
    friend bool operator==(const Choice&, const Choice&) = default;
  };
  std::vector<Choice> choices;  // In the order of the pod's claims.
  absl::Duration timeout;       // For the claims to be bound.
};

// Volumes, claims, classes and CSI objects as one immutable picture; see api/model/storage_view.h.
struct StorageView;
struct ClaimPlan;  // api/model/device_claims.h

}  // namespace bth::model
