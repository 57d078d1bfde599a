// Field tables of Pod.
#include "api/types/field_table.h"
#include "api/types/pod.h"

namespace bth::types {

BTH_FIELDS(PreferredNodeTerm, Field<&PreferredNodeTerm::weight>("weight"),
           Field<&PreferredNodeTerm::preference>("preference"))

BTH_FIELDS(NodeAffinity,
           Field<&NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution"),
           Field<&NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution"))

BTH_FIELDS(PodAffinityTerm, Field<&PodAffinityTerm::topology_key>("topologyKey"),
           Field<&PodAffinityTerm::label_selector>("labelSelector"),
           Field<&PodAffinityTerm::namespaces>("namespaces"),
           Field<&PodAffinityTerm::namespace_selector>("namespaceSelector"),
           Field<&PodAffinityTerm::match_label_keys>("matchLabelKeys"),
           Field<&PodAffinityTerm::mismatch_label_keys>("mismatchLabelKeys"))

BTH_FIELDS(WeightedPodAffinityTerm, Field<&WeightedPodAffinityTerm::weight>("weight"),
           Field<&WeightedPodAffinityTerm::term>("podAffinityTerm"))

BTH_FIELDS(PodAffinity,
           Field<&PodAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution"),
           Field<&PodAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution"))

BTH_FIELDS(Affinity, Field<&Affinity::node>("nodeAffinity"), Field<&Affinity::pod>("podAffinity"),
           Field<&Affinity::pod_anti>("podAntiAffinity"))

BTH_FIELDS(ResourceRequirements, Field<&ResourceRequirements::requests>("requests"),
           Field<&ResourceRequirements::limits>("limits"))

BTH_FIELDS(ContainerPort, Field<&ContainerPort::name>("name"),
           Field<&ContainerPort::container_port>("containerPort"),
           Field<&ContainerPort::host_port>("hostPort"), Field<&ContainerPort::host_ip>("hostIP"),
           Field<&ContainerPort::protocol>("protocol"))

BTH_FIELDS(EnvVar, Field<&EnvVar::name>("name"), Field<&EnvVar::value>("value"))

BTH_FIELDS(Container, Field<&Container::name>("name"), Field<&Container::image>("image"),
           Field<&Container::command>("command"), Field<&Container::args>("args"),
           Field<&Container::env>("env"), Field<&Container::ports>("ports"),
           Field<&Container::resources>("resources"),
           Field<&Container::restart_policy>("restartPolicy"))

BTH_FIELDS(Toleration, Field<&Toleration::key>("key"), Field<&Toleration::op>("operator"),
           Field<&Toleration::value>("value"), Field<&Toleration::effect>("effect"),
           Field<&Toleration::toleration_seconds>("tolerationSeconds"))

BTH_FIELDS(TopologySpreadConstraint, Field<&TopologySpreadConstraint::max_skew>("maxSkew"),
           Field<&TopologySpreadConstraint::topology_key>("topologyKey"),
           Field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable"),
           Field<&TopologySpreadConstraint::label_selector>("labelSelector"),
           Field<&TopologySpreadConstraint::min_domains>("minDomains"),
           Field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
           Field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
           Field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys"))

BTH_FIELDS(SchedulingGate, Field<&SchedulingGate::name>("name"))

BTH_FIELDS(PodResourceClaim, Field<&PodResourceClaim::name>("name"),
           Field<&PodResourceClaim::resource_claim_name>("resourceClaimName"),
           Field<&PodResourceClaim::resource_claim_template_name>("resourceClaimTemplateName"))

BTH_FIELDS(
    PodSpec, Field<&PodSpec::volumes>("volumes"),
    Field<&PodSpec::init_containers>("initContainers"), Field<&PodSpec::containers>("containers"),
    Field<&PodSpec::restart_policy>("restartPolicy"),
    Field<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds"),
    Field<&PodSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    Field<&PodSpec::node_selector>("nodeSelector"),
    Field<&PodSpec::service_account_name>("serviceAccountName"),
    Field<&PodSpec::node_name>("nodeName"), Field<&PodSpec::host_network>("hostNetwork"),
    Field<&PodSpec::hostname>("hostname"), Field<&PodSpec::subdomain>("subdomain"),
    Field<&PodSpec::affinity>("affinity"), Field<&PodSpec::scheduler_name>("schedulerName"),
    Field<&PodSpec::tolerations>("tolerations"),
    Field<&PodSpec::priority_class_name>("priorityClassName"),
    Field<&PodSpec::priority>("priority"), Field<&PodSpec::runtime_class_name>("runtimeClassName"),
    Field<&PodSpec::preemption_policy>("preemptionPolicy"), Field<&PodSpec::overhead>("overhead"),
    Field<&PodSpec::topology_spread_constraints>("topologySpreadConstraints"),
    Field<&PodSpec::scheduling_gates>("schedulingGates"),
    Field<&PodSpec::resource_claims>("resourceClaims"), Field<&PodSpec::resources>("resources"))

BTH_FIELDS(ContainerStateRunning, Field<&ContainerStateRunning::started_at>("startedAt"))

BTH_FIELDS(ContainerStateTerminated,
           Field<&ContainerStateTerminated::exit_code>("exitCode", When::kAlways),
           Field<&ContainerStateTerminated::reason>("reason"),
           Field<&ContainerStateTerminated::message>("message"),
           Field<&ContainerStateTerminated::started_at>("startedAt"),
           Field<&ContainerStateTerminated::finished_at>("finishedAt"))

BTH_FIELDS(ContainerStateWaiting, Field<&ContainerStateWaiting::reason>("reason"),
           Field<&ContainerStateWaiting::message>("message"))

BTH_FIELDS(ContainerState, Field<&ContainerState::waiting>("waiting"),
           Field<&ContainerState::running>("running"),
           Field<&ContainerState::terminated>("terminated"))

BTH_FIELDS(ContainerStatus, Field<&ContainerStatus::name>("name"),
           Field<&ContainerStatus::state>("state"),
           Field<&ContainerStatus::last_state>("lastState"),
           Field<&ContainerStatus::ready>("ready", When::kAlways),
           Field<&ContainerStatus::restart_count>("restartCount", When::kAlways),
           Field<&ContainerStatus::image>("image"),
           Field<&ContainerStatus::allocated_resources>("allocatedResources"),
           Field<&ContainerStatus::resources>("resources"))

BTH_FIELDS(PodResourceClaimStatus, Field<&PodResourceClaimStatus::name>("name"),
           Field<&PodResourceClaimStatus::resource_claim_name>("resourceClaimName"))

namespace {
BTH_PART(ExtendedClaimPart, Field<&PodStatus::extended_claim>("resourceClaimName"))
}  // namespace

BTH_FIELDS(PodStatus, Field<&PodStatus::phase>("phase"),
           Field<&PodStatus::conditions>("conditions"), Field<&PodStatus::message>("message"),
           Field<&PodStatus::reason>("reason"),
           Field<&PodStatus::nominated_node_name>("nominatedNodeName"),
           Field<&PodStatus::host_ip>("hostIP"), Field<&PodStatus::pod_ip>("podIP"),
           Field<&PodStatus::start_time>("startTime"),
           Field<&PodStatus::init_container_statuses>("initContainerStatuses"),
           Field<&PodStatus::container_statuses>("containerStatuses"),
           Field<&PodStatus::qos_class>("qosClass"), Field<&PodStatus::resize>("resize"),
           Field<&PodStatus::resource_claim_statuses>("resourceClaimStatuses"),
           Part("extendedResourceClaimStatus", &ExtendedClaimPart),
           Field<&PodStatus::allocated_resources>("allocatedResources"),
           Field<&PodStatus::resources>("resources"))

BTH_FIELDS(Pod, Field<&Pod::meta>("metadata"), Field<&Pod::spec>("spec"),
           Field<&Pod::status>("status"))

BTH_FIELDS(PodTemplate, Field<&PodTemplate::meta>("metadata"), Field<&PodTemplate::spec>("spec"))

BTH_RESOURCE(Pod, "", "v1", "pods", "Pod", true)
BTH_RESOURCE(PodTemplate, "", "v1", "podtemplates", "PodTemplate", true)

}  // namespace bth::types
