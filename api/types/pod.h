// v1 Pod: what scheduling, controllers and simulated nodes read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/meta.h"
#include "api/types/pod_affinity.h"
#include "api/types/volume.h"

namespace bth::types {

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  bool operator==(const ResourceRequirements&) const = default;
};

struct ContainerPort {
  std::string name;
  int32_t container_port = 0;
  int32_t host_port = 0;
  std::string host_ip;
  std::string protocol;  // empty stands for TCP
  bool operator==(const ContainerPort&) const = default;
};

struct EnvVar {
  std::string name;
  std::string value;
  bool operator==(const EnvVar&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<EnvVar> env;  // literal values only; references are not kept
  std::vector<ContainerPort> ports;
  ResourceRequirements resources;
  std::string restart_policy;  // "Always" on an init container makes it a sidecar
  bool operator==(const Container&) const = default;
};

struct Toleration {
  std::string key;
  std::string op;  // "operator": Equal (also empty), Exists, Lt, Gt
  std::string value;
  std::string effect;  // empty: every effect
  std::optional<int64_t> toleration_seconds;
  bool operator==(const Toleration&) const = default;
};

struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;  // DoNotSchedule, ScheduleAnyway
  std::optional<LabelSelector> label_selector;
  std::optional<int32_t> min_domains;
  std::string node_affinity_policy;  // Honor (also empty), Ignore
  std::string node_taints_policy;    // Ignore (also empty), Honor
  std::vector<std::string> match_label_keys;
  bool operator==(const TopologySpreadConstraint&) const = default;
};

struct SchedulingGate {
  std::string name;
  bool operator==(const SchedulingGate&) const = default;
};

struct PodResourceClaim {
  std::string name;
  std::string resource_claim_name;
  std::string resource_claim_template_name;
  bool operator==(const PodResourceClaim&) const = default;
};

struct PodSpec {
  std::string node_name;
  std::string scheduler_name;
  std::optional<int32_t> priority;
  std::string priority_class_name;
  std::string preemption_policy;  // PreemptLowerPriority (also empty), Never
  LabelMap node_selector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::optional<ResourceRequirements> resources;  // pod level
  std::vector<SchedulingGate> scheduling_gates;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<Volume> volumes;
  std::vector<PodResourceClaim> resource_claims;
  std::string restart_policy;
  std::optional<int64_t> termination_grace_period_seconds;
  std::optional<int64_t> active_deadline_seconds;
  bool host_network = false;
  std::string hostname;
  std::string subdomain;
  std::string service_account_name;
  std::string runtime_class_name;
  bool operator==(const PodSpec&) const = default;
};

struct ContainerStateRunning {
  std::optional<absl::Time> started_at;
  bool operator==(const ContainerStateRunning&) const = default;
};

struct ContainerStateTerminated {
  int32_t exit_code = 0;
  std::string reason;
  std::string message;
  std::optional<absl::Time> started_at;
  std::optional<absl::Time> finished_at;
  bool operator==(const ContainerStateTerminated&) const = default;
};

struct ContainerStateWaiting {
  std::string reason;
  std::string message;
  bool operator==(const ContainerStateWaiting&) const = default;
};

// At most one member is set; none stands for waiting.
struct ContainerState {
  std::optional<ContainerStateWaiting> waiting;
  std::optional<ContainerStateRunning> running;
  std::optional<ContainerStateTerminated> terminated;
  bool operator==(const ContainerState&) const = default;
};

struct ContainerStatus {
  std::string name;
  std::string image;
  ContainerState state;
  ContainerState last_state;
  bool ready = false;
  int32_t restart_count = 0;
  ResourceList allocated_resources;
  std::optional<ResourceRequirements> resources;  // what the node has actually set
  bool operator==(const ContainerStatus&) const = default;
};

struct PodResourceClaimStatus {
  std::string name;
  std::string resource_claim_name;
  bool operator==(const PodResourceClaimStatus&) const = default;
};

struct PodStatus {
  std::string phase;  // Pending, Running, Succeeded, Failed, Unknown; empty is Pending
  std::vector<Condition> conditions;
  std::string reason;
  std::string message;
  std::string nominated_node_name;
  std::string host_ip;
  std::string pod_ip;
  std::optional<absl::Time> start_time;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::string extended_claim;                     // extendedResourceClaimStatus.resourceClaimName
  ResourceList allocated_resources;               // pod level
  std::optional<ResourceRequirements> resources;  // pod level
  std::string resize;  // Infeasible, Deferred ...: the field of older servers
  std::string qos_class;
  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  ObjectMeta meta;
  PodSpec spec;
  PodStatus status;
  bool operator==(const Pod&) const = default;
};

// The view of a pod template; its owner keeps the raw JSON beside it.
struct PodTemplate {
  ObjectMeta meta;
  PodSpec spec;
  bool operator==(const PodTemplate&) const = default;
};

}  // namespace bth::types
