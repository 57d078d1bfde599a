// The cluster's side of storage: volumes, classes, attachments and the CSI objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"
#include "api/types/volume.h"

namespace bth::types {

struct PersistentVolumeSpec {
  ResourceList capacity;
  std::vector<std::string> access_modes;
  std::string storage_class_name;
  std::string volume_mode;
  std::string volume_attributes_class_name;  // "" and absent are the same.
  std::string reclaim_policy;                // persistentVolumeReclaimPolicy
  std::optional<ObjectReference> claim_ref;
  std::optional<NodeSelector> required_node_affinity;  // nodeAffinity.required
  std::optional<CsiVolumeSource> csi;
  std::optional<GcePersistentDisk> gce_persistent_disk;
  std::optional<AwsElasticBlockStore> aws_elastic_block_store;
  std::optional<AzureDisk> azure_disk;
  std::optional<VolumeOfId> cinder;
  std::optional<VolumeOfId> portworx_volume;
  std::optional<HostPathVolumeSource> host_path;
  std::optional<HostPathVolumeSource> local;
  bool operator==(const PersistentVolumeSpec&) const = default;
};

struct PersistentVolume {
  ObjectMeta meta;
  PersistentVolumeSpec spec;
  std::string phase;  // status.phase: Available, Bound, Released, Failed
  bool operator==(const PersistentVolume&) const = default;
};

struct TopologyLabelRequirement {
  std::string key;
  std::vector<std::string> values;
  bool operator==(const TopologyLabelRequirement&) const = default;
};

struct TopologySelectorTerm {
  std::vector<TopologyLabelRequirement> match_label_expressions;
  bool operator==(const TopologySelectorTerm&) const = default;
};

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  LabelMap parameters;
  std::string volume_binding_mode;  // Immediate (also empty), WaitForFirstConsumer
  std::vector<TopologySelectorTerm> allowed_topologies;
  std::string reclaim_policy;
  std::optional<bool> allow_volume_expansion;
  bool operator==(const StorageClass&) const = default;
};

struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<int32_t> allocatable_count;  // allocatable.count
  bool operator==(const CsiNodeDriver&) const = default;
};

struct CsiNode {
  ObjectMeta meta;
  std::vector<CsiNodeDriver> drivers;  // spec.drivers
  bool operator==(const CsiNode&) const = default;
};

struct CsiDriver {
  ObjectMeta meta;
  std::optional<bool> attach_required;   // spec.attachRequired; absent is true
  std::optional<bool> storage_capacity;  // spec.storageCapacity; absent is false
  bool operator==(const CsiDriver&) const = default;
};

struct CsiStorageCapacity {
  ObjectMeta meta;
  std::string storage_class_name;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
  bool operator==(const CsiStorageCapacity&) const = default;
};

struct VolumeAttachment {
  ObjectMeta meta;
  std::string attacher;                // spec.attacher
  std::string node_name;               // spec.nodeName
  std::string persistent_volume_name;  // spec.source.persistentVolumeName
  bool attached = false;               // status.attached
  bool operator==(const VolumeAttachment&) const = default;
};

}  // namespace bth::types
