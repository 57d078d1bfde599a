// Volumes of pods, and v1 PersistentVolumeClaim.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/selector.h"

namespace bth::types {

struct PersistentVolumeClaimSpec {
  std::vector<std::string> access_modes;
  std::optional<LabelSelector> selector;
  ResourceList requests;  // resources.requests
  std::string volume_name;
  std::optional<std::string> storage_class_name;  // "" asks for no class, absent for the default
  std::string volume_mode;
  std::string volume_attributes_class_name;  // "" and absent are the same.
  bool operator==(const PersistentVolumeClaimSpec&) const = default;
};

struct ClaimVolumeSource {
  std::string claim_name;
  bool read_only = false;
  bool operator==(const ClaimVolumeSource&) const = default;
};

struct EphemeralVolumeSource {
  PersistentVolumeClaimSpec spec;  // volumeClaimTemplate.spec
  bool operator==(const EphemeralVolumeSource&) const = default;
};

struct CsiVolumeSource {
  std::string driver;
  std::string volume_handle;  // of PersistentVolumes only
  std::string fs_type;
  bool read_only = false;
  bool operator==(const CsiVolumeSource&) const = default;
};

// In-tree sources conflict when two pods of a node write to them, and count as attached.
struct GcePersistentDisk {
  std::string pd_name;
  bool read_only = false;
  bool operator==(const GcePersistentDisk&) const = default;
};

struct AwsElasticBlockStore {
  std::string volume_id;
  bool read_only = false;
  bool operator==(const AwsElasticBlockStore&) const = default;
};

// These only count as attached.
struct AzureDisk {
  std::string disk_uri;
  bool operator==(const AzureDisk&) const = default;
};

// Of Cinder and Portworx.
struct VolumeOfId {
  std::string volume_id;
  bool operator==(const VolumeOfId&) const = default;
};

struct IscsiVolumeSource {
  std::string iqn;
  bool read_only = false;
  bool operator==(const IscsiVolumeSource&) const = default;
};

struct RbdVolumeSource {
  std::vector<std::string> monitors;
  std::string image;
  std::string pool;  // Empty: "rbd".
  bool read_only = false;
  bool operator==(const RbdVolumeSource&) const = default;
};

struct HostPathVolumeSource {
  std::string path;
  std::string type;
  bool operator==(const HostPathVolumeSource&) const = default;
};

struct NamedVolumeSource {
  std::string name;
  bool operator==(const NamedVolumeSource&) const = default;
};

struct ImageVolumeSource {
  std::string reference;
  bool operator==(const ImageVolumeSource&) const = default;
};

struct EmptyDirVolumeSource {
  std::string medium;
  std::optional<Quantity> size_limit;
  bool operator==(const EmptyDirVolumeSource&) const = default;
};

// A volume of a pod. All members absent: a source that needs no attention here.
struct Volume {
  std::string name;
  std::optional<ClaimVolumeSource> persistent_volume_claim;
  std::optional<EphemeralVolumeSource> ephemeral;
  std::optional<CsiVolumeSource> csi;
  std::optional<GcePersistentDisk> gce_persistent_disk;
  std::optional<AwsElasticBlockStore> aws_elastic_block_store;
  std::optional<AzureDisk> azure_disk;
  std::optional<VolumeOfId> cinder;
  std::optional<VolumeOfId> portworx_volume;
  std::optional<IscsiVolumeSource> iscsi;
  std::optional<RbdVolumeSource> rbd;
  std::optional<HostPathVolumeSource> host_path;
  std::optional<EmptyDirVolumeSource> empty_dir;
  std::optional<NamedVolumeSource> config_map;
  std::string secret_name;  // secret.secretName
  std::optional<ImageVolumeSource> image;
  bool operator==(const Volume&) const = default;
};

struct PersistentVolumeClaimStatus {
  std::string phase;  // Pending, Bound, Lost
  ResourceList capacity;
  bool operator==(const PersistentVolumeClaimStatus&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  PersistentVolumeClaimSpec spec;
  PersistentVolumeClaimStatus status;
  bool operator==(const PersistentVolumeClaim&) const = default;
};

}  // namespace bth::types
