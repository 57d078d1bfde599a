// Nodes, PodGroups and queues.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/intake/compile_task_topology.h"
#include "cache/intake/revocable.h"
#include "cache/intake/whole_number.h"
#include "conf/arguments.h"

namespace bth::cache {
namespace {

model::TaintEffect TaintEffectOf(std::string_view effect) {
  if (effect == "PreferNoSchedule") return model::TaintEffect::kPreferNoSchedule;
  if (effect == "NoExecute") return model::TaintEffect::kNoExecute;
  return model::TaintEffect::kNoSchedule;
}

// Amounts given as bare numbers in annotations: milli-cores and bytes.
absl::Status AddOversubscription(const types::Node& node, std::string_view key,
                                 std::string_view resource, NamedAmounts* out) {
  const std::optional<int64_t> amount = WholeNumber(node.meta.Annotation(key));
  if (amount.value_or(0) <= 0) return absl::OkStatus();
  // Together with what is allocatable it is still one object's amount.
  if (*amount > kAmountMax / 2) {
    return absl::OutOfRangeError(StrCat(key, ": ", *amount, " is too large to count with"));
  }
  out->emplace_back(resource, *amount);
  return absl::OkStatus();
}

std::optional<int64_t> WaitingMs(const types::ObjectMeta& meta) {
  for (std::string_view key : {"volcano.sh/sla-waiting-time", "sla-waiting-time"}) {
    const std::string_view text = meta.Annotation(key);
    if (text.empty()) continue;
    const absl::StatusOr<absl::Duration> wait = conf::ParseGoDuration(text);
    if (wait.ok() && *wait > absl::ZeroDuration()) return absl::ToInt64Milliseconds(*wait);
  }
  return std::nullopt;
}

SubGroup CompileSubGroup(const types::SubGroupPolicy& policy) {
  SubGroup out;
  out.name = policy.name;
  out.size = policy.sub_group_size.value_or(1);
  out.min_sub_groups = policy.min_sub_groups.value_or(0);
  out.match_label_keys = policy.match_label_keys;
  if (!policy.label_selector) return out;
  out.never = !policy.label_selector->Check().ok();
  out.selector = CompileSelector(*policy.label_selector);
  return out;
}

model::NetworkTopologySpec CompileTopologySpec(
    const std::optional<types::NetworkTopology>& wanted) {
  using Mode = model::NetworkTopologySpec::Mode;
  if (!wanted) return {};
  model::NetworkTopologySpec out;
  out.mode = wanted->mode == "soft" ? Mode::kSoft : Mode::kHard;
  out.highest_tier_name = wanted->highest_tier_name;
  if (!wanted->highest_tier_allowed) return out;
  // No HyperNode has a tier as high as the last of these.
  using Tiers = std::numeric_limits<int32_t>;
  out.highest_tier = static_cast<int32_t>(
      std::clamp<int64_t>(*wanted->highest_tier_allowed, Tiers::min(), Tiers::max()));
  return out;
}

// An object of resource lists by group: {"g1": {"cpu": "3", "memory": "8Gi"}}. As in all that a
// queue says, amounts below zero are zero, and very large ones the largest there is.
absl::StatusOr<std::vector<std::pair<std::string, NamedAmounts>>> ReadGroupLimits(
    std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const types::Json json, types::Json::Parse(text));
  if (!json.is_object() && !json.is_null()) return absl::InvalidArgumentError("expected an object");
  std::map<std::string, NamedAmounts> limits;
  for (const auto& [group, list] : json.members()) {
    if (!list.is_object() && !list.is_null()) return absl::InvalidArgumentError(group);
    types::ResourceList amounts;
    for (const auto& [name, value] : list.members()) {
      const std::string quantity = value.is_string() ? std::string(value.AsString()) : value.Dump();
      BTH_ASSIGN_OR_RETURN(const types::Quantity parsed, types::Quantity::Parse(quantity));
      amounts.Set(name, parsed);
    }
    limits[group] = CountedQueueAmounts(amounts).amounts;
  }
  return std::vector<std::pair<std::string, NamedAmounts>>(limits.begin(), limits.end());
}

void CompileNodeGroups(const types::Queue& queue, CompiledQueue* out) {
  model::NodeGroupRules& rules = out->node_groups;
  rules.has_affinity = queue.spec.affinity.has_value();
  if (rules.has_affinity && queue.spec.affinity->node_group) {
    rules.required = queue.spec.affinity->node_group->required;
    rules.preferred = queue.spec.affinity->node_group->preferred;
  }
  if (rules.has_affinity && queue.spec.affinity->node_group_anti) {
    rules.anti_required = queue.spec.affinity->node_group_anti->required;
    rules.anti_preferred = queue.spec.affinity->node_group_anti->preferred;
  }
  const std::string_view text = queue.meta.Annotation("volcano.sh/nodegroup-resource-limits");
  if (text.empty()) return;
  auto limits = ReadGroupLimits(text);
  rules.limits_invalid = !limits.ok();
  if (limits.ok()) out->node_group_limits = *std::move(limits);
}

model::QueueState StateOf(std::string_view state) {
  if (state.empty() || state == "Open") return model::QueueState::kOpen;
  if (state == "Closed") return model::QueueState::kClosed;
  if (state == "Closing") return model::QueueState::kClosing;
  return model::QueueState::kUnknown;
}

}  // namespace

absl::StatusOr<CompiledNode> Compile(const types::Node& node, Interner& interner) {
  CompiledNode out;
  out.facts = std::make_shared<model::NodeFacts>();
  const auto hold = std::make_shared<SymbolHold>(interner);
  out.facts->symbols = hold;
  SymbolHold& symbols = *hold;
  out.facts->name = node.meta.name;
  for (const auto& [key, value] : node.meta.labels) {
    model::NodeLabel label{.key = symbols.Intern(key), .value = symbols.Intern(value)};
    label.number = WholeNumber(value);
    out.facts->labels.push_back(label);
  }
  std::sort(out.facts->labels.begin(), out.facts->labels.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const types::Taint& taint : node.spec.taints) {
    out.facts->taints.push_back(
        {symbols.Intern(taint.key), symbols.Intern(taint.value), TaintEffectOf(taint.effect)});
  }
  out.facts->unschedulable = node.spec.unschedulable;
  out.facts->revocable_zone = std::string(node.meta.Label(kRevocableZoneKey));
  out.facts->node_group = std::string(node.meta.Label("volcano.sh/nodegroup-name"));
  for (const types::NodeImage& image : node.status.images) {
    for (const std::string& name : image.names) {
      // Sizes are added up and scaled.
      constexpr int64_t kImageBytesMax = int64_t{1} << 44;
      out.facts->images.emplace_back(symbols.Intern(name),
                                     std::clamp<int64_t>(image.size_bytes, 0, kImageBytesMax));
    }
  }
  std::sort(out.facts->images.begin(), out.facts->images.end());
  BTH_ASSIGN_OR_RETURN(out.allocatable, CountedAmounts(node.status.allocatable));
  BTH_ASSIGN_OR_RETURN(const NamedAmounts capacity, CountedAmounts(node.status.capacity));
  for (const auto& [name, amount] : capacity) {
    if (name == "cpu") out.facts->capacity_cpu_milli = amount;
    if (name == "memory") out.facts->capacity_memory_bytes = amount;
  }
  if (IsTrue(node.meta.Label("volcano.sh/oversubscription"))) {
    BTH_RETURN_IF_ERROR(
        AddOversubscription(node, "volcano.sh/oversubscription-cpu", "cpu", &out.oversubscription));
    BTH_RETURN_IF_ERROR(AddOversubscription(node, "volcano.sh/oversubscription-memory", "memory",
                                            &out.oversubscription));
  }
  return out;
}

absl::StatusOr<CompiledPodGroup> Compile(const types::PodGroup& group) {
  CompiledPodGroup out;
  const types::ObjectMeta& meta = group.meta;
  out.facts = std::make_shared<model::JobFacts>();
  out.facts->ns = meta.ns;
  out.facts->name = meta.name;
  out.facts->uid = meta.uid;
  out.facts->created_us = absl::ToUnixMicros(meta.creation_time);
  out.facts->waiting_ms = WaitingMs(meta);
  out.facts->budget_min_available = std::string(meta.Annotation("volcano.sh/jdb-min-available"));
  if (out.facts->budget_min_available.empty()) {
    out.facts->budget_max_unavailable =
        std::string(meta.Annotation("volcano.sh/jdb-max-unavailable"));
  }
  if (MayUseRevocableNodes(meta)) out.facts->revocable_zone.assign(1, '*');
  const std::optional<bool> preemptable = PreemptableMark(meta);
  out.preemptable = preemptable.value_or(false);
  out.opts_out = !preemptable.value_or(true);
  out.queue = group.spec.queue;
  out.priority_class = group.spec.priority_class_name;
  out.min_member = group.spec.min_member;
  for (const auto& [role, minimum] : group.spec.min_task_member) {
    out.role_minimums.emplace_back(role, minimum);
  }
  out.has_min_resources = !group.spec.min_resources.empty();
  BTH_ASSIGN_OR_RETURN(out.min_resources, CountedMinimum(group.spec.min_resources));
  out.facts->quota_request = QuotaAmounts(group.spec.min_resources);
  out.facts->task_topology = CompileTaskTopology(meta);
  out.facts->keeps_rank_order = IsTrue(meta.Annotation(kRankOrder));
  out.has_network_topology = group.spec.network_topology.has_value();
  for (const types::SubGroupPolicy& policy : group.spec.sub_group_policy) {
    out.has_network_topology |= policy.network_topology.has_value();
    out.sub_groups.push_back(CompileSubGroup(policy));
  }
  if (out.has_network_topology) {
    out.facts->topology.push_back(CompileTopologySpec(group.spec.network_topology));
    for (const types::SubGroupPolicy& policy : group.spec.sub_group_policy) {
      out.facts->topology.push_back(CompileTopologySpec(policy.network_topology));
    }
  }
  out.shown.allocated_hyper_node = std::string(meta.Annotation(kAllocatedHyperNode));
  out.shown.resource_version = meta.resource_version;
  out.shown.phase = model::ParsePhase(group.status.phase);
  out.shown.running = group.status.running;
  out.shown.succeeded = group.status.succeeded;
  out.shown.failed = group.status.failed;
  for (const types::Condition& condition : group.status.conditions) {
    out.shown.conditions.push_back({condition.type, condition.status, condition.reason,
                                    condition.message, condition.last_transition_time,
                                    condition.transition_id});
  }
  return out;
}

bool Responsibility::OwnsNode(const types::ObjectMeta& node) const {
  return node_labels.empty() ||
         std::any_of(node_labels.begin(), node_labels.end(), [&node](const auto& label) {
           const std::string* value = node.labels.Find(label.first);
           return value != nullptr && *value == label.second;
         });
}

absl::StatusOr<CompiledQueue> Compile(const types::Queue& queue) {
  CompiledQueue out;
  out.row.name = std::make_shared<const std::string>(queue.meta.name);
  out.row.uid = queue.meta.uid;
  out.row.created_us = absl::ToUnixMicros(queue.meta.creation_time);
  out.row.weight = queue.spec.weight;
  out.row.priority = queue.spec.priority;
  out.row.reclaimable = queue.spec.reclaimable.value_or(true);
  out.row.state = StateOf(queue.status.state);
  out.row.parent = queue.spec.parent;
  out.row.hierarchy = std::string(queue.meta.Annotation("volcano.sh/hierarchy"));
  out.row.hierarchy_weights = std::string(queue.meta.Annotation("volcano.sh/hierarchy-weights"));
  out.row.dequeue_strategy = queue.spec.dequeue_strategy;
  CompileNodeGroups(queue, &out);
  for (const auto& [list, amounts] : {std::pair(&queue.spec.capability, &out.capability),
                                      std::pair(&queue.spec.deserved, &out.deserved),
                                      std::pair(&queue.spec.guarantee, &out.guarantee)}) {
    QueueAmounts counted = CountedQueueAmounts(*list);
    out.row.has_negative_quota |= counted.negative;
    if (list != &queue.spec.capability) {
      out.row.has_idle_device_quota |= counted.device_classes;
    } else if (counted.device_classes) {
      out.row.device_quota = DeviceQuotaOf(*list);
    }
    *amounts = std::move(counted.amounts);
  }
  out.shown = {queue.meta.resource_version, CountedQueueAmounts(queue.status.allocated).amounts};
  for (const auto& [name, quantity] : queue.status.allocated) {
    if (!IsDeviceAmount(name)) continue;
    out.shown.allocated.emplace_back(name, quantity.MilliValue().value_or(0));
  }
  return out;
}

}  // namespace bth::cache
