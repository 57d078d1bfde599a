// Objects of the API reduced to what scheduling needs; what the mirror is fed with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "api/model/constraints.h"
#include "api/model/job.h"
#include "api/model/node.h"
#include "api/model/queue.h"
#include "api/model/task_status.h"

namespace bth::cache {

// Counted resources by name in the units of model::DimensionTable; each name once, in order.
using NamedAmounts = std::vector<std::pair<std::string, int64_t>>;
// The largest amount that one object may ask for.
inline constexpr int64_t kAmountMax = int64_t{1} << 48;
// The largest that counts of an amount that stands for many objects: a queue's, or the minimum of a
// PodGroup. No cluster is so large, and a hundred such amounts can be added up.
inline constexpr int64_t kAmountSumMax = int64_t{1} << 56;
using Labels = std::vector<std::pair<std::string, std::string>>;

// How much of a pod matters: all of it, or what it means to others where it is.
enum class PodPart : uint8_t { kAll, kPlaced };

// Who a pod is, and what selectors of others go by.
struct PodIdentity {
  model::TaskNames names;
  Labels labels;
  std::string owner;  // WorkloadKey of the workload that manages it, if of a kind that spreads.
};

// What pods of one shape have in common.
struct PodShape {
  NamedAmounts requests;
  model::NonZeroRequest nonzero;
  std::shared_ptr<const model::PodConstraints> constraints;
  std::string constraints_key;  // Equal keys mean equal constraints.
};

// CPUs by NUMA node, each by its id.
using NumaDecision = std::vector<std::pair<int32_t, int32_t>>;

struct CompiledPod : PodIdentity, PodShape, model::TaskTraits {
  std::string job_key;  // "<ns>/<group>"; empty: no group annotation.
  std::string node_name;
  std::string nominated_node;
  model::TaskStatus status = model::TaskStatus::kPending;
  bool ours = false;    // spec.schedulerName is one of ours.
  int32_t urgency = 0;  // volcano.sh/scheduling-priority: the larger, the sooner.
  // While it runs: when its cooldown ends, in microseconds since the epoch; 0: it has none.
  int64_t protected_until_us = 0;
  int64_t started_us = 0;
  int64_t ends_us = 0;   // When it is to be gone, its grace period included; 0: it is not deleted.
  int64_t grace_us = 0;  // What its deletion gives it, a year at most.
  std::optional<int32_t> pod_priority;
  std::shared_ptr<const std::string> document;
  // What it says that it holds; null: nothing.
  std::shared_ptr<const model::PodDevices> devices;
  std::shared_ptr<const model::PodDeviceClaims> device_claims;  // Null: none.
  NumaDecision numa_decision;    // As its object says, where such reports are read.
  std::string scheduled_reason;  // Of the PodScheduled condition when it is False.
  std::string scheduled_message;
};

struct CompiledNode {
  std::shared_ptr<model::NodeFacts> facts;  // kube_allocatable is filled in by the mirror.
  NamedAmounts allocatable;
  NamedAmounts oversubscription;  // Added for scheduling, not for kube's scores.
};

// One requirement of a label selector.
struct LabelRequirement {
  std::string key;
  model::SelectorOp op = model::SelectorOp::kExists;
  std::vector<std::string> values;  // Sorted.
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

// One policy of spec.subGroupPolicy.
struct SubGroup {
  std::string name;
  int32_t size = 1;  // Pods that make a sub-job ready.
  int32_t min_sub_groups = 0;
  bool never = false;  // A label selector that cannot be parsed.
  std::vector<LabelRequirement> selector;
  std::vector<std::string> match_label_keys;
  friend bool operator==(const SubGroup&, const SubGroup&) = default;
};

// What the PodGroup object shows now; the effect writer compares with it.
struct ShownCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  // Since when it has this status and reason, and which session said so first; nothing: it is new
  // and not written yet.
  std::optional<absl::Time> since = {};
  std::string session = {};
  // That it says the same, be it for how long.
  friend bool operator==(const ShownCondition& a, const ShownCondition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason &&
           a.message == b.message;
  }
};
// The lowest HyperNode that all placed pods of the group are in.
inline constexpr std::string_view kAllocatedHyperNode = "volcano.sh/job-allocated-hypernode";
// "true": pods of a role get nodes in order of their ranks along the tree of HyperNodes.
inline constexpr std::string_view kRankOrder = "batholith.io/network-rank-order";

struct ShownPodGroup {
  std::string resource_version;  // Of the object that shows the rest.
  model::PodGroupPhase phase = model::PodGroupPhase::kNone;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  std::vector<ShownCondition> conditions;
  std::string allocated_hyper_node;  // Annotation kAllocatedHyperNode; empty: it has none.

  bool is_over() const { return phase == model::PodGroupPhase::kCompleted; }
};

// What a PodGroup asks for, beside its facts.
struct PodGroupSpec {
  std::string queue;  // Empty: the default queue.
  std::string priority_class;
  int32_t min_member = 0;
  std::vector<std::pair<std::string, int32_t>> role_minimums;  // By role name.
  bool has_min_resources = false;
  NamedAmounts min_resources;
  bool preemptable = false;
  bool opts_out = false;
  bool has_network_topology = false;
  // Stands for a pod that is a job of its own: there is no such object, and it goes with its pod.
  bool single_pod = false;
  int32_t urgency = 0;  // Of that pod.
  std::vector<SubGroup> sub_groups;
  friend bool operator==(const PodGroupSpec&, const PodGroupSpec&) = default;
};

struct CompiledPodGroup : PodGroupSpec {
  std::shared_ptr<model::JobFacts> facts;
  ShownPodGroup shown;
};

// What a queue shows of its status.
struct ShownQueue {
  std::string resource_version;  // Of the object that shows the rest.
  NamedAmounts allocated;
};

struct CompiledQueue {
  model::QueueRow row;  // Without the resource sets.
  NamedAmounts capability;
  NamedAmounts deserved;
  NamedAmounts guarantee;
  ShownQueue shown;
  model::NodeGroupRules node_groups;                                    // Without the limits.
  std::vector<std::pair<std::string, NamedAmounts>> node_group_limits;  // By group.
};

// A PodDisruptionBudget.
struct CompiledBudget {
  std::string ns;
  std::string name;
  bool never = false;  // Selects no pod: no selector, or one that cannot be parsed.
  std::vector<LabelRequirement> selector;
  int32_t disruptions_allowed = 0;
  std::vector<std::string> disrupted;  // Names of pods, sorted.
  std::string Key() const { return ns + "/" + name; }
};

// A Service, as far as it selects pods.
struct CompiledService {
  std::string ns;
  std::string name;
  Labels selector;  // By key; empty: it selects none.
};

// A ReplicationController, ReplicaSet or StatefulSet.
struct CompiledWorkload {
  std::string ns;
  std::string key;  // See WorkloadKey in compile_selectors.h.
  Labels pairs;     // The selector of a ReplicationController.
  std::vector<LabelRequirement> selector;
  friend bool operator==(const CompiledWorkload&, const CompiledWorkload&) = default;
};

// What a scheduler tells in the status of its NodeShard. Lists are in the order of nodesDesired;
// nodes that it does not name come last, by name.
struct ShardUse {
  std::vector<std::string> in_use;
  std::vector<std::string> to_remove;  // In use, and not desired any more.
  std::vector<std::string> to_add;     // Desired, and not in use yet.
  friend bool operator==(const ShardUse&, const ShardUse&) = default;
};

// A NodeShard, with what its status shows.
struct CompiledShard {
  std::string name;
  std::string resource_version;
  std::vector<std::string> desired;
  ShardUse shown;
};

// A ResourceQuota.
struct CompiledQuota {
  std::string ns;
  model::QuotaRow row;
};

}  // namespace bth::cache
