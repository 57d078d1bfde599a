// Field tables of the group resource.k8s.io.
#include "api/types/device.h"
#include "api/types/field_table.h"
#include "api/types/resource_claim.h"

namespace bth::types {

BTH_FIELDS(DeviceAttribute, Field<&DeviceAttribute::integer>("int"),
           Field<&DeviceAttribute::boolean>("bool"), Field<&DeviceAttribute::text>("string"),
           Field<&DeviceAttribute::version>("version"), Field<&DeviceAttribute::integers>("ints"),
           Field<&DeviceAttribute::booleans>("bools"), Field<&DeviceAttribute::texts>("strings"),
           Field<&DeviceAttribute::versions>("versions"))

BTH_FIELDS(CapacityRange, Field<&CapacityRange::min>("min"), Field<&CapacityRange::max>("max"),
           Field<&CapacityRange::step>("step"))

BTH_FIELDS(CapacityPolicy, Field<&CapacityPolicy::default_amount>("default"),
           Field<&CapacityPolicy::valid_values>("validValues"),
           Field<&CapacityPolicy::valid_range>("validRange"))

BTH_FIELDS(DeviceCapacity, Field<&DeviceCapacity::value>("value", When::kAlways),
           Field<&DeviceCapacity::request_policy>("requestPolicy"))

BTH_FIELDS(Counter, Field<&Counter::value>("value", When::kAlways))

BTH_FIELDS(CounterSet, Field<&CounterSet::name>("name"), Field<&CounterSet::counters>("counters"))

BTH_FIELDS(CounterConsumption, Field<&CounterConsumption::counter_set>("counterSet"),
           Field<&CounterConsumption::counters>("counters"))

BTH_FIELDS(DeviceTaint, Field<&DeviceTaint::key>("key"), Field<&DeviceTaint::value>("value"),
           Field<&DeviceTaint::effect>("effect"))

BTH_FIELDS(Device, Field<&Device::name>("name"), Field<&Device::attributes>("attributes"),
           Field<&Device::capacity>("capacity"),
           Field<&Device::consumes_counters>("consumesCounters"),
           Field<&Device::node_name>("nodeName"), Field<&Device::node_selector>("nodeSelector"),
           Field<&Device::all_nodes>("allNodes"), Field<&Device::taints>("taints"),
           Field<&Device::binds_to_node>("bindsToNode"),
           Field<&Device::binding_conditions>("bindingConditions"),
           Field<&Device::binding_failure_conditions>("bindingFailureConditions"),
           Field<&Device::allow_multiple_allocations>("allowMultipleAllocations"))

BTH_FIELDS(ResourcePool, Field<&ResourcePool::name>("name"),
           Field<&ResourcePool::generation>("generation", When::kAlways),
           Field<&ResourcePool::resource_slice_count>("resourceSliceCount", When::kAlways))

BTH_FIELDS(ResourceSliceSpec, Field<&ResourceSliceSpec::driver>("driver"),
           Field<&ResourceSliceSpec::pool>("pool"),
           Field<&ResourceSliceSpec::node_name>("nodeName"),
           Field<&ResourceSliceSpec::node_selector>("nodeSelector"),
           Field<&ResourceSliceSpec::all_nodes>("allNodes"),
           Field<&ResourceSliceSpec::per_device_node_selection>("perDeviceNodeSelection"),
           Field<&ResourceSliceSpec::devices>("devices"),
           Field<&ResourceSliceSpec::shared_counters>("sharedCounters"))

BTH_FIELDS(ResourceSlice, Field<&ResourceSlice::meta>("metadata"),
           Field<&ResourceSlice::spec>("spec"))

namespace {
BTH_PART(CelSelectorPart, Field<&DeviceSelector::expression>("expression"))
BTH_PART(OpaqueConfigurationPart, Field<&DeviceConfiguration::driver>("driver"))
}  // namespace

BTH_FIELDS(DeviceSelector, Part("cel", &CelSelectorPart))

BTH_FIELDS(DeviceConfiguration, Field<&DeviceConfiguration::requests>("requests"),
           Part("opaque", &OpaqueConfigurationPart))

BTH_FIELDS(DeviceClassSpec, Field<&DeviceClassSpec::selectors>("selectors"),
           Field<&DeviceClassSpec::config>("config"),
           Field<&DeviceClassSpec::extended_resource_name>("extendedResourceName"))

BTH_FIELDS(DeviceClass, Field<&DeviceClass::meta>("metadata"), Field<&DeviceClass::spec>("spec"))

BTH_FIELDS(DeviceTaintSelector, Field<&DeviceTaintSelector::driver>("driver"),
           Field<&DeviceTaintSelector::pool>("pool"), Field<&DeviceTaintSelector::device>("device"))

BTH_FIELDS(DeviceTaintRuleSpec, Field<&DeviceTaintRuleSpec::device_selector>("deviceSelector"),
           Field<&DeviceTaintRuleSpec::taint>("taint"))

BTH_FIELDS(DeviceTaintRule, Field<&DeviceTaintRule::meta>("metadata"),
           Field<&DeviceTaintRule::spec>("spec"))

namespace {
BTH_PART(DemandCapacityPart, Field<&DeviceDemand::capacity>("requests"))
}  // namespace

BTH_FIELDS(DeviceDemand, Field<&DeviceDemand::name>("name"),
           Field<&DeviceDemand::device_class_name>("deviceClassName"),
           Field<&DeviceDemand::selectors>("selectors"),
           Field<&DeviceDemand::allocation_mode>("allocationMode"),
           Field<&DeviceDemand::count>("count"), Field<&DeviceDemand::admin_access>("adminAccess"),
           Field<&DeviceDemand::tolerations>("tolerations"), Part("capacity", &DemandCapacityPart))

BTH_FIELDS(DeviceRequest, Field<&DeviceRequest::name>("name"),
           Field<&DeviceRequest::exactly>("exactly"),
           Field<&DeviceRequest::first_available>("firstAvailable"))

BTH_FIELDS(DeviceConstraint, Field<&DeviceConstraint::requests>("requests"),
           Field<&DeviceConstraint::match_attribute>("matchAttribute"),
           Field<&DeviceConstraint::distinct_attribute>("distinctAttribute"))

namespace {
BTH_PART(ClaimDevicesPart, Field<&ResourceClaimSpec::requests>("requests"),
         Field<&ResourceClaimSpec::constraints>("constraints"),
         Field<&ResourceClaimSpec::config>("config"))
BTH_PART(AllocatedDevicesPart, Field<&ClaimAllocation::results>("results"))
}  // namespace

BTH_FIELDS(ResourceClaimSpec, Part("devices", &ClaimDevicesPart))

BTH_FIELDS(AllocatedDevice, Field<&AllocatedDevice::request>("request"),
           Field<&AllocatedDevice::driver>("driver"), Field<&AllocatedDevice::pool>("pool"),
           Field<&AllocatedDevice::device>("device"),
           Field<&AllocatedDevice::admin_access>("adminAccess"),
           Field<&AllocatedDevice::tolerations>("tolerations"),
           Field<&AllocatedDevice::binding_conditions>("bindingConditions"),
           Field<&AllocatedDevice::binding_failure_conditions>("bindingFailureConditions"),
           Field<&AllocatedDevice::share_id>("shareID"),
           Field<&AllocatedDevice::consumed_capacity>("consumedCapacity"))

BTH_FIELDS(ClaimAllocation, Part("devices", &AllocatedDevicesPart),
           Field<&ClaimAllocation::node_selector>("nodeSelector"),
           Field<&ClaimAllocation::timestamp>("allocationTimestamp"))

BTH_FIELDS(ClaimConsumer, Field<&ClaimConsumer::api_group>("apiGroup"),
           Field<&ClaimConsumer::resource>("resource"), Field<&ClaimConsumer::name>("name"),
           Field<&ClaimConsumer::uid>("uid"))

BTH_FIELDS(AllocatedDeviceStatus, Field<&AllocatedDeviceStatus::driver>("driver"),
           Field<&AllocatedDeviceStatus::pool>("pool"),
           Field<&AllocatedDeviceStatus::device>("device"),
           Field<&AllocatedDeviceStatus::share_id>("shareID"),
           Field<&AllocatedDeviceStatus::conditions>("conditions"))

BTH_FIELDS(ResourceClaimStatus, Field<&ResourceClaimStatus::allocation>("allocation"),
           Field<&ResourceClaimStatus::reserved_for>("reservedFor"),
           Field<&ResourceClaimStatus::devices>("devices"))

BTH_FIELDS(ResourceClaim, Field<&ResourceClaim::meta>("metadata"),
           Field<&ResourceClaim::spec>("spec"), Field<&ResourceClaim::status>("status"))

BTH_FIELDS(ClaimTemplateMeta, Field<&ClaimTemplateMeta::labels>("labels"),
           Field<&ClaimTemplateMeta::annotations>("annotations"))

BTH_FIELDS(ResourceClaimTemplateSpec, Field<&ResourceClaimTemplateSpec::meta>("metadata"),
           Field<&ResourceClaimTemplateSpec::spec>("spec"))

BTH_FIELDS(ResourceClaimTemplate, Field<&ResourceClaimTemplate::meta>("metadata"),
           Field<&ResourceClaimTemplate::spec>("spec"))

BTH_RESOURCE(ResourceSlice, "resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false)
BTH_RESOURCE(DeviceClass, "resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false)
BTH_RESOURCE(DeviceTaintRule, "resource.k8s.io", "v1beta2", "devicetaintrules", "DeviceTaintRule",
             false)
BTH_RESOURCE(ResourceClaim, "resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", true)
BTH_RESOURCE(ResourceClaimTemplate, "resource.k8s.io", "v1", "resourceclaimtemplates",
             "ResourceClaimTemplate", true)

}  // namespace bth::types
