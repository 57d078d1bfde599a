// Field tables of Node, Namespace, PriorityClass, PodGroup and Queue.
#include "api/types/field_table.h"
#include "api/types/namespace.h"
#include "api/types/node.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"

namespace bth::types {

BTH_FIELDS(Taint, Field<&Taint::key>("key"), Field<&Taint::value>("value"),
           Field<&Taint::effect>("effect"), Field<&Taint::time_added>("timeAdded"))

BTH_FIELDS(NodeImage, Field<&NodeImage::names>("names"), Field<&NodeImage::size_bytes>("sizeBytes"))

BTH_FIELDS(NodeAddress, Field<&NodeAddress::type>("type"), Field<&NodeAddress::address>("address"))

BTH_FIELDS(AttachedVolume, Field<&AttachedVolume::name>("name"),
           Field<&AttachedVolume::device_path>("devicePath"))

BTH_FIELDS(NodeSystemInfo, Field<&NodeSystemInfo::kubelet_version>("kubeletVersion"),
           Field<&NodeSystemInfo::operating_system>("operatingSystem"),
           Field<&NodeSystemInfo::architecture>("architecture"),
           Field<&NodeSystemInfo::kernel_version>("kernelVersion"),
           Field<&NodeSystemInfo::os_image>("osImage"),
           Field<&NodeSystemInfo::container_runtime_version>("containerRuntimeVersion"))

BTH_FIELDS(NodeSpec, Field<&NodeSpec::provider_id>("providerID"),
           Field<&NodeSpec::unschedulable>("unschedulable"), Field<&NodeSpec::taints>("taints"))

BTH_FIELDS(NodeStatus, Field<&NodeStatus::capacity>("capacity"),
           Field<&NodeStatus::allocatable>("allocatable"),
           Field<&NodeStatus::conditions>("conditions"), Field<&NodeStatus::addresses>("addresses"),
           Field<&NodeStatus::node_info>("nodeInfo"), Field<&NodeStatus::images>("images"),
           Field<&NodeStatus::volumes_in_use>("volumesInUse"),
           Field<&NodeStatus::volumes_attached>("volumesAttached"))

BTH_FIELDS(Node, Field<&Node::meta>("metadata"), Field<&Node::spec>("spec"),
           Field<&Node::status>("status"))

namespace {
BTH_PART(NamespaceStatusPart, Field<&Namespace::phase>("phase"))
}  // namespace

BTH_FIELDS(Namespace, Field<&Namespace::meta>("metadata"), Part("status", &NamespaceStatusPart))

BTH_FIELDS(PriorityClass, Field<&PriorityClass::meta>("metadata"),
           Field<&PriorityClass::value>("value", When::kAlways),
           Field<&PriorityClass::global_default>("globalDefault"),
           Field<&PriorityClass::description>("description"),
           Field<&PriorityClass::preemption_policy>("preemptionPolicy"))

BTH_FIELDS(NetworkTopology, Field<&NetworkTopology::mode>("mode"),
           Field<&NetworkTopology::highest_tier_allowed>("highestTierAllowed"),
           Field<&NetworkTopology::highest_tier_name>("highestTierName"))

BTH_FIELDS(SubGroupPolicy, Field<&SubGroupPolicy::name>("name"),
           Field<&SubGroupPolicy::network_topology>("networkTopology"),
           Field<&SubGroupPolicy::sub_group_size>("subGroupSize"),
           Field<&SubGroupPolicy::min_sub_groups>("minSubGroups"),
           Field<&SubGroupPolicy::label_selector>("labelSelector"),
           Field<&SubGroupPolicy::match_label_keys>("matchLabelKeys"))

BTH_FIELDS(PodGroupSpec, Field<&PodGroupSpec::min_member>("minMember"),
           Field<&PodGroupSpec::min_task_member>("minTaskMember"),
           Field<&PodGroupSpec::queue>("queue"),
           Field<&PodGroupSpec::priority_class_name>("priorityClassName"),
           Field<&PodGroupSpec::min_resources>("minResources"),
           Field<&PodGroupSpec::network_topology>("networkTopology"),
           Field<&PodGroupSpec::sub_group_policy>("subGroupPolicy"))

BTH_FIELDS(PodGroupStatus, Field<&PodGroupStatus::phase>("phase"),
           Field<&PodGroupStatus::conditions>("conditions"),
           Field<&PodGroupStatus::running>("running"),
           Field<&PodGroupStatus::succeeded>("succeeded"), Field<&PodGroupStatus::failed>("failed"))

BTH_FIELDS(PodGroup, Field<&PodGroup::meta>("metadata"), Field<&PodGroup::spec>("spec"),
           Field<&PodGroup::status>("status"))

BTH_FIELDS(NodeGroupRule,
           Field<&NodeGroupRule::required>("requiredDuringSchedulingIgnoredDuringExecution"),
           Field<&NodeGroupRule::preferred>("preferredDuringSchedulingIgnoredDuringExecution"))

BTH_FIELDS(QueueAffinity, Field<&QueueAffinity::node_group>("nodeGroupAffinity"),
           Field<&QueueAffinity::node_group_anti>("nodeGroupAntiAffinity"))

BTH_FIELDS(QueueCluster, Field<&QueueCluster::name>("name"), Field<&QueueCluster::weight>("weight"),
           Field<&QueueCluster::capacity>("capacity"))

namespace {
BTH_PART(GuaranteePart, Field<&QueueSpec::guarantee>("resource"))
}  // namespace

BTH_FIELDS(QueueSpec, Field<&QueueSpec::weight>("weight"),
           Field<&QueueSpec::capability>("capability"),
           Field<&QueueSpec::reclaimable>("reclaimable"),
           Field<&QueueSpec::extend_clusters>("extendClusters"), Part("guarantee", &GuaranteePart),
           Field<&QueueSpec::affinity>("affinity"), Field<&QueueSpec::type>("type"),
           Field<&QueueSpec::parent>("parent"), Field<&QueueSpec::deserved>("deserved"),
           Field<&QueueSpec::priority>("priority"),
           Field<&QueueSpec::dequeue_strategy>("dequeueStrategy"))

BTH_FIELDS(QueueReservation, Field<&QueueReservation::nodes>("nodes"),
           Field<&QueueReservation::resource>("resource"))

BTH_FIELDS(QueueStatus, Field<&QueueStatus::state>("state"),
           Field<&QueueStatus::unknown>("unknown"), Field<&QueueStatus::pending>("pending"),
           Field<&QueueStatus::running>("running"), Field<&QueueStatus::inqueue>("inqueue"),
           Field<&QueueStatus::completed>("completed"),
           Field<&QueueStatus::reservation>("reservation"),
           Field<&QueueStatus::allocated>("allocated"))

BTH_FIELDS(Queue, Field<&Queue::meta>("metadata"), Field<&Queue::spec>("spec"),
           Field<&Queue::status>("status"))

BTH_RESOURCE(Node, "", "v1", "nodes", "Node", false)
BTH_RESOURCE(Namespace, "", "v1", "namespaces", "Namespace", false)
BTH_RESOURCE(PriorityClass, "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false)
BTH_RESOURCE(PodGroup, "scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true)
BTH_RESOURCE(Queue, "scheduling.volcano.sh", "v1beta1", "queues", "Queue", false)

}  // namespace bth::types
