// Field tables of volumes and of the storage kinds.
#include "api/types/field_table.h"
#include "api/types/storage.h"
#include "api/types/volume.h"

namespace bth::types {

namespace {
BTH_PART(ClaimResourcesPart, Field<&PersistentVolumeClaimSpec::requests>("requests"))
}  // namespace

BTH_FIELDS(
    PersistentVolumeClaimSpec, Field<&PersistentVolumeClaimSpec::access_modes>("accessModes"),
    Field<&PersistentVolumeClaimSpec::selector>("selector"), Part("resources", &ClaimResourcesPart),
    Field<&PersistentVolumeClaimSpec::volume_name>("volumeName"),
    Field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName"),
    Field<&PersistentVolumeClaimSpec::volume_mode>("volumeMode"),
    Field<&PersistentVolumeClaimSpec::volume_attributes_class_name>("volumeAttributesClassName"))

BTH_FIELDS(ClaimVolumeSource, Field<&ClaimVolumeSource::claim_name>("claimName"),
           Field<&ClaimVolumeSource::read_only>("readOnly"))

namespace {
BTH_PART(EphemeralTemplatePart, Field<&EphemeralVolumeSource::spec>("spec"))
BTH_PART(SecretPart, Field<&Volume::secret_name>("secretName"))
}  // namespace

BTH_FIELDS(EphemeralVolumeSource, Part("volumeClaimTemplate", &EphemeralTemplatePart))

BTH_FIELDS(CsiVolumeSource, Field<&CsiVolumeSource::driver>("driver"),
           Field<&CsiVolumeSource::volume_handle>("volumeHandle"),
           Field<&CsiVolumeSource::fs_type>("fsType"),
           Field<&CsiVolumeSource::read_only>("readOnly"))

BTH_FIELDS(GcePersistentDisk, Field<&GcePersistentDisk::pd_name>("pdName"),
           Field<&GcePersistentDisk::read_only>("readOnly"))

BTH_FIELDS(AwsElasticBlockStore, Field<&AwsElasticBlockStore::volume_id>("volumeID"),
           Field<&AwsElasticBlockStore::read_only>("readOnly"))

BTH_FIELDS(AzureDisk, Field<&AzureDisk::disk_uri>("diskURI"))

BTH_FIELDS(VolumeOfId, Field<&VolumeOfId::volume_id>("volumeID"))

BTH_FIELDS(IscsiVolumeSource, Field<&IscsiVolumeSource::iqn>("iqn"),
           Field<&IscsiVolumeSource::read_only>("readOnly"))

BTH_FIELDS(RbdVolumeSource, Field<&RbdVolumeSource::monitors>("monitors"),
           Field<&RbdVolumeSource::image>("image"), Field<&RbdVolumeSource::pool>("pool"),
           Field<&RbdVolumeSource::read_only>("readOnly"))

BTH_FIELDS(HostPathVolumeSource, Field<&HostPathVolumeSource::path>("path"),
           Field<&HostPathVolumeSource::type>("type"))

BTH_FIELDS(NamedVolumeSource, Field<&NamedVolumeSource::name>("name"))

BTH_FIELDS(ImageVolumeSource, Field<&ImageVolumeSource::reference>("reference"))

BTH_FIELDS(EmptyDirVolumeSource, Field<&EmptyDirVolumeSource::medium>("medium"),
           Field<&EmptyDirVolumeSource::size_limit>("sizeLimit"))

BTH_FIELDS(Volume, Field<&Volume::name>("name"),
           Field<&Volume::persistent_volume_claim>("persistentVolumeClaim"),
           Field<&Volume::ephemeral>("ephemeral"), Field<&Volume::csi>("csi"),
           Field<&Volume::gce_persistent_disk>("gcePersistentDisk"),
           Field<&Volume::aws_elastic_block_store>("awsElasticBlockStore"),
           Field<&Volume::azure_disk>("azureDisk"), Field<&Volume::cinder>("cinder"),
           Field<&Volume::portworx_volume>("portworxVolume"), Field<&Volume::iscsi>("iscsi"),
           Field<&Volume::rbd>("rbd"), Field<&Volume::host_path>("hostPath"),
           Field<&Volume::empty_dir>("emptyDir"), Field<&Volume::config_map>("configMap"),
           Part("secret", &SecretPart), Field<&Volume::image>("image"))

BTH_FIELDS(PersistentVolumeClaimStatus, Field<&PersistentVolumeClaimStatus::phase>("phase"),
           Field<&PersistentVolumeClaimStatus::capacity>("capacity"))

BTH_FIELDS(PersistentVolumeClaim, Field<&PersistentVolumeClaim::meta>("metadata"),
           Field<&PersistentVolumeClaim::spec>("spec"),
           Field<&PersistentVolumeClaim::status>("status"))

namespace {
BTH_PART(VolumeAffinityPart, Field<&PersistentVolumeSpec::required_node_affinity>("required"))
BTH_PART(VolumeStatusPart, Field<&PersistentVolume::phase>("phase"))
}  // namespace

BTH_FIELDS(PersistentVolumeSpec, Field<&PersistentVolumeSpec::capacity>("capacity"),
           Field<&PersistentVolumeSpec::access_modes>("accessModes"),
           Field<&PersistentVolumeSpec::claim_ref>("claimRef"),
           Field<&PersistentVolumeSpec::reclaim_policy>("persistentVolumeReclaimPolicy"),
           Field<&PersistentVolumeSpec::storage_class_name>("storageClassName"),
           Field<&PersistentVolumeSpec::volume_mode>("volumeMode"),
           Field<&PersistentVolumeSpec::volume_attributes_class_name>("volumeAttributesClassName"),
           Part("nodeAffinity", &VolumeAffinityPart), Field<&PersistentVolumeSpec::csi>("csi"),
           Field<&PersistentVolumeSpec::gce_persistent_disk>("gcePersistentDisk"),
           Field<&PersistentVolumeSpec::aws_elastic_block_store>("awsElasticBlockStore"),
           Field<&PersistentVolumeSpec::azure_disk>("azureDisk"),
           Field<&PersistentVolumeSpec::cinder>("cinder"),
           Field<&PersistentVolumeSpec::portworx_volume>("portworxVolume"),
           Field<&PersistentVolumeSpec::host_path>("hostPath"),
           Field<&PersistentVolumeSpec::local>("local"))

BTH_FIELDS(PersistentVolume, Field<&PersistentVolume::meta>("metadata"),
           Field<&PersistentVolume::spec>("spec"), Part("status", &VolumeStatusPart))

BTH_FIELDS(TopologyLabelRequirement, Field<&TopologyLabelRequirement::key>("key"),
           Field<&TopologyLabelRequirement::values>("values"))

BTH_FIELDS(TopologySelectorTerm,
           Field<&TopologySelectorTerm::match_label_expressions>("matchLabelExpressions"))

BTH_FIELDS(StorageClass, Field<&StorageClass::meta>("metadata"),
           Field<&StorageClass::provisioner>("provisioner"),
           Field<&StorageClass::parameters>("parameters"),
           Field<&StorageClass::reclaim_policy>("reclaimPolicy"),
           Field<&StorageClass::allow_volume_expansion>("allowVolumeExpansion"),
           Field<&StorageClass::volume_binding_mode>("volumeBindingMode"),
           Field<&StorageClass::allowed_topologies>("allowedTopologies"))

namespace {
BTH_PART(DriverAllocatablePart, Field<&CsiNodeDriver::allocatable_count>("count"))
BTH_PART(CsiNodeSpecPart, Field<&CsiNode::drivers>("drivers", When::kAlways))
BTH_PART(CsiDriverSpecPart, Field<&CsiDriver::attach_required>("attachRequired"),
         Field<&CsiDriver::storage_capacity>("storageCapacity"))
BTH_PART(AttachmentSourcePart,
         Field<&VolumeAttachment::persistent_volume_name>("persistentVolumeName"))
BTH_PART(AttachmentSpecPart, Field<&VolumeAttachment::attacher>("attacher"),
         Field<&VolumeAttachment::node_name>("nodeName"), Part("source", &AttachmentSourcePart))
BTH_PART(AttachmentStatusPart, Field<&VolumeAttachment::attached>("attached"))
}  // namespace

BTH_FIELDS(CsiNodeDriver, Field<&CsiNodeDriver::name>("name"),
           Field<&CsiNodeDriver::node_id>("nodeID"),
           Field<&CsiNodeDriver::topology_keys>("topologyKeys"),
           Part("allocatable", &DriverAllocatablePart))

BTH_FIELDS(CsiNode, Field<&CsiNode::meta>("metadata"), Part("spec", &CsiNodeSpecPart))

BTH_FIELDS(CsiDriver, Field<&CsiDriver::meta>("metadata"), Part("spec", &CsiDriverSpecPart))

BTH_FIELDS(CsiStorageCapacity, Field<&CsiStorageCapacity::meta>("metadata"),
           Field<&CsiStorageCapacity::node_topology>("nodeTopology"),
           Field<&CsiStorageCapacity::storage_class_name>("storageClassName"),
           Field<&CsiStorageCapacity::capacity>("capacity"),
           Field<&CsiStorageCapacity::maximum_volume_size>("maximumVolumeSize"))

BTH_FIELDS(VolumeAttachment, Field<&VolumeAttachment::meta>("metadata"),
           Part("spec", &AttachmentSpecPart), Part("status", &AttachmentStatusPart))

BTH_RESOURCE(PersistentVolumeClaim, "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
             true)
BTH_RESOURCE(PersistentVolume, "", "v1", "persistentvolumes", "PersistentVolume", false)
BTH_RESOURCE(StorageClass, "storage.k8s.io", "v1", "storageclasses", "StorageClass", false)
BTH_RESOURCE(CsiNode, "storage.k8s.io", "v1", "csinodes", "CSINode", false)
BTH_RESOURCE(CsiDriver, "storage.k8s.io", "v1", "csidrivers", "CSIDriver", false)
BTH_RESOURCE(CsiStorageCapacity, "storage.k8s.io", "v1", "csistoragecapacities",
             "CSIStorageCapacity", true)
BTH_RESOURCE(VolumeAttachment, "storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment",
             false)

}  // namespace bth::types
