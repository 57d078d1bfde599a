// From API objects to what the mirror takes.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/device_quota.h"
#include "api/types/node.h"
#include "api/types/node_shard.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource_quota.h"
#include "base/interner.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// The only scheduling gate that the scheduler removes; also the annotation that asks for it.
inline constexpr std::string_view kQueueGate = "scheduling.volcano.sh/queue-allocation-gate";

// Which pods are ours, and on which nodes we place them.
struct Responsibility {
  std::set<std::string, std::less<>> scheduler_names = {"volcano"};
  // Each pod of ours is a job of its own, whatever PodGroup it names (single_pod.h).
  bool single_pods = false;
  // Labels as (key, value): nodes with any of them are ours; without any here, all nodes.
  std::vector<std::pair<std::string, std::string>> node_labels;

  // Without them, a job's priority is zero.
  bool priority_classes = true;
  // Without them, no budget is known.
  bool disruption_budgets = true;
  // Read replica sets and other workloads; without them, spread by default knows services only.
  bool workloads = true;
  // Read what CSI drivers tell of free capacity; without it, every node has enough.
  bool storage_capacity = true;
  // Requests of a pod as a whole count (feature PodLevelResources), and a spread may go by the
  // pod's own labels (MatchLabelKeysInPodTopologySpread).
  bool pod_level_resources = true;
  bool spread_by_own_labels = true;
  // Read reports on the CPUs of nodes.
  bool numa_reports = false;
  // Devices serve extended resources, as their classes say.
  bool extended_devices = true;
  // Read DeviceTaintRules.
  bool device_taint_rules = false;
  // Keep pods and nodes as JSON too.
  bool documents = false;
  // Shared devices that count; null: none.
  std::shared_ptr<const model::DeviceSettings> devices;

  bool OwnsNode(const types::ObjectMeta& node) const;
};

// Errors (kInvalidArgument) name the field; the object then does not take part.
absl::StatusOr<CompiledPod> Compile(const types::Pod& pod, const Responsibility& responsibility,
                                    Interner& symbols);
absl::StatusOr<CompiledNode> Compile(const types::Node& node, Interner& symbols);
absl::StatusOr<CompiledPodGroup> Compile(const types::PodGroup& group);
absl::StatusOr<CompiledQueue> Compile(const types::Queue& queue);
CompiledBudget Compile(const types::PodDisruptionBudget& budget);
CompiledQuota Compile(const types::ResourceQuota& quota);
CompiledShard Compile(const types::NodeShard& shard);

// Counted resources of a list, in the units of model::DimensionTable, rounded up once. `pods` is
// the number of pods; kOutOfRange when an amount does not fit, kInvalidArgument when negative.
absl::StatusOr<NamedAmounts> CountedAmounts(const types::ResourceList& list);
// The same of the minimum of a PodGroup, in which what is too large counts as the largest that
// does.
absl::StatusOr<NamedAmounts> CountedMinimum(const types::ResourceList& list);
// Equal amounts; zero and absent are the same.
bool SameAmounts(const NamedAmounts& a, const NamedAmounts& b);
// `deviceclass/CLASS` or `DIMENSION.deviceclass/CLASS`.
bool IsDeviceAmount(std::string_view name);
// The same for what a queue says, which is never refused as a whole: amounts below zero are zero,
// very large ones the largest there is, and names of device classes are left out.
struct QueueAmounts {
  NamedAmounts amounts;
  bool negative = false;
  bool device_classes = false;
};
QueueAmounts CountedQueueAmounts(const types::ResourceList& list);
// Its amounts per device class. Null: none.
std::shared_ptr<const model::DeviceQuota> DeviceQuotaOf(const types::ResourceList& list);
// Every entry of a list in the units of model::QuotaAmount; what is too large counts as the largest
// number.
std::vector<model::QuotaAmount> QuotaAmounts(const types::ResourceList& list);
std::vector<LabelRequirement> CompileSelector(const types::LabelSelector& selector);
// The reverse of CountedAmounts, for queue statuses: cpu and extended resources in thousandths,
// memory in bytes.
types::ResourceList ToResourceList(const NamedAmounts& amounts);

}  // namespace bth::cache
