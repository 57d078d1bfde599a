#include "controllers/pod_group/build.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/status.h"
#include "base/strings.h"
#include "controllers/core/keys.h"
#include "controllers/core/ownership.h"
#include "controllers/core/quota_usage.h"

namespace bth::controllers {
namespace {

using types::LabelMap;
using types::Pod;
using types::PodGroup;
using types::PodGroupSpec;

constexpr std::string_view kMinMember = "scheduling.volcano.sh/group-min-member";
constexpr std::string_view kQueueName = "scheduling.volcano.sh/queue-name";
constexpr std::string_view kInheritedPrefix = "volcano.sh/";
constexpr std::string_view kTopologyMode = "volcano.sh/network-topology-mode";
constexpr std::string_view kTopologyTier = "volcano.sh/network-topology-highest-tier";

int32_t MinMemberOf(const LabelMap& inherited) {
  const std::string* text = inherited.Find(kMinMember);
  int32_t members = 0;
  if (text == nullptr || !absl::SimpleAtoi(*text, &members) || members < 0) return 1;
  return members;
}

// Copies the entry of that key; says whether there is one.
bool TakeOver(const LabelMap& from, std::string_view key, LabelMap* to) {
  const std::string* value = from.Find(key);
  if (value == nullptr) return false;
  to->Set(key, *value);
  return true;
}

LabelMap AnnotationsOf(const Pod& pod, const LabelMap& inherited) {
  LabelMap annotations;
  for (const auto& [key, value] : inherited) {
    if (std::string_view(key).starts_with(kInheritedPrefix)) annotations.Set(key, value);
  }
  for (const std::string_view key : {kPreemptableKey, kCooldownTimeKey, kRevocableZoneKey}) {
    TakeOver(pod.meta.annotations, key, &annotations);
  }
  // The two exclude each other, and what the pod says comes first.
  if (!TakeOver(pod.meta.annotations, kJdbMinAvailableKey, &annotations)) {
    TakeOver(pod.meta.annotations, kJdbMaxUnavailableKey, &annotations);
  }
  return annotations;
}

std::optional<types::NetworkTopology> AskedTopology(const Pod& pod) {
  const std::string* mode = pod.meta.annotations.Find(kTopologyMode);
  const std::string* tier = pod.meta.annotations.Find(kTopologyTier);
  if (mode == nullptr && tier == nullptr) return std::nullopt;
  types::NetworkTopology topology;
  const std::string lower = mode == nullptr ? "" : absl::AsciiStrToLower(*mode);
  topology.mode = lower == "soft" ? "soft" : "hard";
  int64_t highest = 0;
  if (tier != nullptr && absl::SimpleAtoi(*tier, &highest)) topology.highest_tier_allowed = highest;
  return topology;
}

// Its owners may be of any kind, and only who may change their finalizers may hold up their
// deletion.
std::vector<types::OwnerReference> OwnersOf(const Pod& pod) {
  std::vector<types::OwnerReference> owners = pod.meta.owner_references;
  for (types::OwnerReference& owner : owners) {
    if (owner.block_owner_deletion.has_value()) owner.block_owner_deletion = false;
  }
  return owners;
}

bool HasAll(const LabelMap& existing, const LabelMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&existing](const auto& entry) {
    const std::string* value = existing.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

}  // namespace

std::string GroupNameOf(std::string_view owner_uid) {
  return StrCat("podgroup-", owner_uid);
}

std::string GroupNameOf(const Pod& pod) {
  const types::OwnerReference* owner = pod.meta.Controller();
  return GroupNameOf(owner != nullptr ? owner->uid : pod.meta.uid);
}

absl::StatusOr<PodGroup> BuildPodGroup(const Pod& pod, const LabelMap& inherited) {
  PodGroup group;
  group.meta.ns = pod.meta.ns;
  group.meta.name = GroupNameOf(pod);
  if (pod.meta.Controller() != nullptr) {
    group.meta.owner_references = OwnersOf(pod);
  } else {
    group.meta.owner_references = {ControllerReferenceTo(pod)};
  }
  group.meta.annotations = AnnotationsOf(pod, inherited);
  for (const std::string_view key : {kPreemptableKey, kCooldownTimeKey}) {
    TakeOver(pod.meta.labels, key, &group.meta.labels);
  }
  group.spec.min_member = MinMemberOf(inherited);
  group.spec.priority_class_name = pod.spec.priority_class_name;
  group.spec.queue = std::string(pod.meta.Annotation(kQueueName));
  group.spec.network_topology = AskedTopology(pod);
  group.status.phase = "Pending";
  BTH_ASSIGN_OR_RETURN(const types::ResourceList usage, QuotaUsage(pod.spec));
  BTH_RETURN_IF_ERROR(AddUsage(usage, group.spec.min_member, &group.spec.min_resources));
  return group;
}

PodGroupSpec UpdatedSpec(PodGroupSpec existing, const PodGroupSpec& built) {
  existing.min_member = built.min_member;
  existing.min_resources = built.min_resources;
  existing.priority_class_name = built.priority_class_name;
  existing.network_topology = built.network_topology;
  if (!built.queue.empty()) existing.queue = built.queue;
  return existing;
}

bool NeedsUpdate(const PodGroup& existing, const PodGroup& built) {
  return existing.spec != UpdatedSpec(existing.spec, built.spec) ||
         !HasAll(existing.meta.labels, built.meta.labels) ||
         !HasAll(existing.meta.annotations, built.meta.annotations);
}

}  // namespace bth::controllers
