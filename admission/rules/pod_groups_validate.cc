#include <optional>
#include <string>
#include <string_view>

#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/types/pod_group.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kTwoTiers =
    "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
    "simultaneously.";

bool HasTwoTiers(const std::optional<types::NetworkTopology>& topology) {
  return topology.has_value() && topology->highest_tier_allowed.has_value() &&
         !topology->highest_tier_name.empty();
}

// Why the group may not wait in its queue, or empty.
std::string QueueFault(const std::string& name, const Known& known) {
  if (name.empty()) return {};
  const types::Queue* queue = known.FindQueue(name);
  if (queue == nullptr) return StrCat("unable to find queue: ", QueueNotFound(name));
  if (IsOpen(*queue)) return {};
  return StrCat("can only submit PodGroup to queue with state `Open`, queue `", name,
                "` status is `", queue->status.state, "`.");
}

// Of the sub-groups only the first that is wrong is told.
std::string TopologyFault(const types::PodGroupSpec& spec) {
  std::string fault;
  if (HasTwoTiers(spec.network_topology)) fault = kTwoTiers;
  for (const types::SubGroupPolicy& policy : spec.sub_group_policy) {
    if (!HasTwoTiers(policy.network_topology)) continue;
    StrAppend(&fault, fault.empty() ? "" : " ", "in subGroupPolicy '", policy.name,
              "': ", kTwoTiers);
    break;
  }
  return fault;
}

}  // namespace

Verdict ValidatePodGroup(const Request& request, const Settings& settings, const Known& known) {
  const absl::StatusOr<types::PodGroup> group = ReadObject<types::PodGroup>(request);
  if (!group.ok()) return RefuseUnreadable(group.status());
  // Only who may submit to a queue is asked about then, beside this rule.
  if (request.operation == "UPDATE" && settings.check_queue_access) return Verdict::Allow();
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", StrCat("unsupported operation ", request.operation));
  }
  const std::string queue = QueueFault(group->spec.queue, known);
  const std::string topology = TopologyFault(group->spec);
  if (queue.empty() && topology.empty()) return Verdict::Allow();
  const std::string_view between = queue.empty() || topology.empty() ? "" : "; ";
  return Verdict::Refuse(queue.empty() ? "network_topology" : "queue_not_open",
                         StrCat(queue, between, topology));
}

}  // namespace bth::admission
