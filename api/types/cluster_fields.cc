// Field tables of the kinds around scheduling: leases, events, budgets, quotas, topology, services.
#include "api/types/config_map.h"
#include "api/types/event.h"
#include "api/types/field_table.h"
#include "api/types/hyper_node.h"
#include "api/types/int_or_string.h"
#include "api/types/lease.h"
#include "api/types/network_policy.h"
#include "api/types/node_shard.h"
#include "api/types/numa_topology.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/resource_quota.h"
#include "api/types/service.h"
#include "api/types/workload.h"

namespace bth::types {

BTH_FIELDS(LeaseSpec, Field<&LeaseSpec::holder_identity>("holderIdentity"),
           Field<&LeaseSpec::lease_duration_seconds>("leaseDurationSeconds"),
           Field<&LeaseSpec::acquire_time>("acquireTime"),
           Field<&LeaseSpec::renew_time>("renewTime"),
           Field<&LeaseSpec::lease_transitions>("leaseTransitions"))

BTH_FIELDS(Lease, Field<&Lease::meta>("metadata"), Field<&Lease::spec>("spec"))

namespace {
BTH_PART(EventSourcePart, Field<&Event::source_component>("component"),
         Field<&Event::source_host>("host"))
}  // namespace

BTH_FIELDS(Event, Field<&Event::meta>("metadata"), Field<&Event::involved_object>("involvedObject"),
           Field<&Event::reason>("reason"), Field<&Event::message>("message"),
           Part("source", &EventSourcePart), Field<&Event::first_time>("firstTimestamp"),
           Field<&Event::last_time>("lastTimestamp"), Field<&Event::count>("count"),
           Field<&Event::type>("type"), Field<&Event::event_time>("eventTime"),
           Field<&Event::action>("action"),
           Field<&Event::reporting_component>("reportingComponent"),
           Field<&Event::reporting_instance>("reportingInstance"))

BTH_FIELDS(
    PodDisruptionBudgetSpec, Field<&PodDisruptionBudgetSpec::min_available>("minAvailable"),
    Field<&PodDisruptionBudgetSpec::selector>("selector"),
    Field<&PodDisruptionBudgetSpec::max_unavailable>("maxUnavailable"),
    Field<&PodDisruptionBudgetSpec::unhealthy_pod_eviction_policy>("unhealthyPodEvictionPolicy"))

BTH_FIELDS(PodDisruptionBudgetStatus,
           Field<&PodDisruptionBudgetStatus::observed_generation>("observedGeneration"),
           Field<&PodDisruptionBudgetStatus::disrupted_pods>("disruptedPods"),
           Field<&PodDisruptionBudgetStatus::disruptions_allowed>("disruptionsAllowed",
                                                                  When::kAlways),
           Field<&PodDisruptionBudgetStatus::current_healthy>("currentHealthy", When::kAlways),
           Field<&PodDisruptionBudgetStatus::desired_healthy>("desiredHealthy", When::kAlways),
           Field<&PodDisruptionBudgetStatus::expected_pods>("expectedPods", When::kAlways),
           Field<&PodDisruptionBudgetStatus::conditions>("conditions"))

BTH_FIELDS(PodDisruptionBudget, Field<&PodDisruptionBudget::meta>("metadata"),
           Field<&PodDisruptionBudget::spec>("spec"), Field<&PodDisruptionBudget::status>("status"))

BTH_FIELDS(ScopeRequirement, Field<&ScopeRequirement::scope_name>("scopeName"),
           Field<&ScopeRequirement::op>("operator"), Field<&ScopeRequirement::values>("values"))

namespace {
BTH_PART(ScopeSelectorPart, Field<&ResourceQuota::scope_selector>("matchExpressions"))
BTH_PART(QuotaSpecPart, Field<&ResourceQuota::spec_hard>("hard"),
         Field<&ResourceQuota::scopes>("scopes"), Part("scopeSelector", &ScopeSelectorPart))
BTH_PART(QuotaStatusPart, Field<&ResourceQuota::status_hard>("hard"),
         Field<&ResourceQuota::status_used>("used"))
}  // namespace

BTH_FIELDS(ResourceQuota, Field<&ResourceQuota::meta>("metadata"), Part("spec", &QuotaSpecPart),
           Part("status", &QuotaStatusPart))

namespace {
BTH_PART(ExactMatchPart, Field<&HyperNodeMember::exact_name>("name"))
BTH_PART(RegexMatchPart, Field<&HyperNodeMember::regex_pattern>("pattern"))
BTH_PART(MemberSelectorPart, Part("exactMatch", &ExactMatchPart),
         Part("regexMatch", &RegexMatchPart), Field<&HyperNodeMember::label_match>("labelMatch"))
}  // namespace

BTH_FIELDS(HyperNodeMember, Field<&HyperNodeMember::type>("type"),
           Part("selector", &MemberSelectorPart))

namespace {
BTH_PART(HyperNodeSpecPart, Field<&HyperNode::tier>("tier", When::kAlways),
         Field<&HyperNode::tier_name>("tierName"), Field<&HyperNode::members>("members"))
BTH_PART(HyperNodeStatusPart, Field<&HyperNode::conditions>("conditions"),
         Field<&HyperNode::node_count>("nodeCount"))
}  // namespace

BTH_FIELDS(HyperNode, Field<&HyperNode::meta>("metadata"), Part("spec", &HyperNodeSpecPart),
           Part("status", &HyperNodeStatusPart))

namespace {
BTH_PART(WorkloadSpecPart, Field<&Workload::replicas>("replicas"),
         Field<&Workload::selector>("selector"))
BTH_PART(WorkloadStatusPart, Field<&Workload::update_revision>("updateRevision"))

template <class T>
const TypeOps& WorkloadOps() {
  // The parts take the address of the base, which is that of the whole object.
  static_assert(sizeof(T) == sizeof(Workload));
  BTH_OBJECT_OPS(nullptr, Field<&Workload::meta>("metadata"), Part("spec", &WorkloadSpecPart),
                 Part("status", &WorkloadStatusPart));
}
}  // namespace

template <>
const TypeOps& OpsOf<ReplicaSet>() {
  return WorkloadOps<ReplicaSet>();
}
template <>
const TypeOps& OpsOf<StatefulSet>() {
  return WorkloadOps<StatefulSet>();
}
template <>
const TypeOps& OpsOf<Deployment>() {
  return WorkloadOps<Deployment>();
}
template <>
const TypeOps& OpsOf<DaemonSet>() {
  return WorkloadOps<DaemonSet>();
}

namespace {
BTH_PART(ReplicationSpecPart, Field<&ReplicationController::replicas>("replicas"),
         Field<&ReplicationController::selector>("selector"))
}  // namespace

BTH_FIELDS(ReplicationController, Field<&ReplicationController::meta>("metadata"),
           Part("spec", &ReplicationSpecPart))

BTH_FIELDS(KubeJob, Field<&KubeJob::meta>("metadata"))

BTH_FIELDS(NetworkPolicyPeer, Field<&NetworkPolicyPeer::pod_selector>("podSelector"),
           Field<&NetworkPolicyPeer::namespace_selector>("namespaceSelector"))

BTH_FIELDS(NetworkPolicyIngressRule, Field<&NetworkPolicyIngressRule::from>("from"))

namespace {
BTH_PART(NetworkPolicySpecPart, Field<&NetworkPolicy::pod_selector>("podSelector", When::kAlways),
         Field<&NetworkPolicy::ingress>("ingress"),
         Field<&NetworkPolicy::policy_types>("policyTypes"))
}  // namespace

BTH_FIELDS(NetworkPolicy, Field<&NetworkPolicy::meta>("metadata"),
           Part("spec", &NetworkPolicySpecPart))

BTH_FIELDS(ServicePort, Field<&ServicePort::name>("name"),
           Field<&ServicePort::protocol>("protocol"), Field<&ServicePort::port>("port"),
           Field<&ServicePort::target_port>("targetPort"))

BTH_FIELDS(ServiceSpec, Field<&ServiceSpec::type>("type"),
           Field<&ServiceSpec::cluster_ip>("clusterIP"), Field<&ServiceSpec::selector>("selector"),
           Field<&ServiceSpec::ports>("ports"),
           Field<&ServiceSpec::publish_not_ready_addresses>("publishNotReadyAddresses"))

BTH_FIELDS(Service, Field<&Service::meta>("metadata"), Field<&Service::spec>("spec"))

BTH_FIELDS(ConfigMap, Field<&ConfigMap::meta>("metadata"), Field<&ConfigMap::data>("data"),
           Field<&ConfigMap::immutable>("immutable"))

BTH_FIELDS(Secret, Field<&Secret::meta>("metadata"), Field<&Secret::type>("type"),
           Field<&Secret::data>("data"), Field<&Secret::immutable>("immutable"))

BTH_FIELDS(NumaResource, Field<&NumaResource::allocatable>("allocatable"),
           Field<&NumaResource::capacity>("capacity"))

BTH_FIELDS(CpuPlace, Field<&CpuPlace::numa>("numa"), Field<&CpuPlace::socket>("socket"),
           Field<&CpuPlace::core>("core"))

BTH_FIELDS(NumaContainerAllocation, Field<&NumaContainerAllocation::name>("name"),
           Field<&NumaContainerAllocation::allocations>("allocations"))

BTH_FIELDS(NumaPodAllocation, Field<&NumaPodAllocation::uid>("uid"),
           Field<&NumaPodAllocation::name>("name"), Field<&NumaPodAllocation::ns>("namespace"),
           Field<&NumaPodAllocation::containers>("containerAllocations"))

namespace {
BTH_PART(NumatopologySpecPart, Field<&Numatopology::policies>("policies"),
         Field<&Numatopology::reserved>("resReserved"), Field<&Numatopology::resources>("numares"),
         Field<&Numatopology::cpus>("cpuDetail"),
         Field<&Numatopology::pod_allocations>("podAllocations"))
BTH_PART(ShardSpecPart, Field<&NodeShard::nodes_desired>("nodesDesired", When::kAlways))
BTH_PART(ShardStatusPart, Field<&NodeShard::last_update_time>("lastUpdateTime"),
         Field<&NodeShard::nodes_in_use>("nodesInUse"),
         Field<&NodeShard::nodes_to_remove>("nodesToRemove"),
         Field<&NodeShard::nodes_to_add>("nodesToAdd"))
}  // namespace

BTH_FIELDS(Numatopology, Field<&Numatopology::meta>("metadata"),
           Part("spec", &NumatopologySpecPart))

BTH_FIELDS(NodeShard, Field<&NodeShard::meta>("metadata"), Part("spec", &ShardSpecPart),
           Part("status", &ShardStatusPart))

BTH_RESOURCE(Lease, "coordination.k8s.io", "v1", "leases", "Lease", true)
BTH_RESOURCE(Event, "", "v1", "events", "Event", true)
BTH_RESOURCE(PodDisruptionBudget, "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget",
             true)
BTH_RESOURCE(ResourceQuota, "", "v1", "resourcequotas", "ResourceQuota", true)
BTH_RESOURCE(HyperNode, "topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", false)
BTH_RESOURCE(ReplicaSet, "apps", "v1", "replicasets", "ReplicaSet", true)
BTH_RESOURCE(StatefulSet, "apps", "v1", "statefulsets", "StatefulSet", true)
BTH_RESOURCE(Deployment, "apps", "v1", "deployments", "Deployment", true)
BTH_RESOURCE(DaemonSet, "apps", "v1", "daemonsets", "DaemonSet", true)
BTH_RESOURCE(KubeJob, "batch", "v1", "jobs", "Job", true)
BTH_RESOURCE(NetworkPolicy, "networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true)
BTH_RESOURCE(ReplicationController, "", "v1", "replicationcontrollers", "ReplicationController",
             true)
BTH_RESOURCE(Service, "", "v1", "services", "Service", true)
BTH_RESOURCE(ConfigMap, "", "v1", "configmaps", "ConfigMap", true)
BTH_RESOURCE(Secret, "", "v1", "secrets", "Secret", true)
BTH_RESOURCE(Numatopology, "nodeinfo.volcano.sh", "v1alpha1", "numatopologies", "Numatopology",
             false)
BTH_RESOURCE(NodeShard, "shard.volcano.sh", "v1alpha1", "nodeshards", "NodeShard", false)

}  // namespace bth::types
