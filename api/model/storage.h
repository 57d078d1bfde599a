// Volumes that decide where a pod may run, and what the cluster offers for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bth::model {

// A claim that a pod mounts.
struct ClaimUse {
  std::string name;        // Of the PersistentVolumeClaim, in the pod's namespace.
  bool ephemeral = false;  // Made for this pod from a template: must be owned by the pod.
  bool read_only = false;
  friend bool operator==(const ClaimUse&, const ClaimUse&) = default;
};

// A disk named by the pod itself; two pods of a node clash over one of them unless both only read
// (kinds that can be shared for reading).
struct DiskUse {
  std::string kind;  // gce-pd, aws-ebs, iscsi, rbd, csi …
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

// Volumes, claims, classes and CSI objects as one immutable picture; see api/model/storage_view.h.
struct StorageView;

}  // namespace bth::model
