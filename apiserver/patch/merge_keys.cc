#include "apiserver/patch/merge_keys.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using MergeKind = MergeRule::List;

struct MergeKeyRow {
  std::string_view path;
  MergeKind list;
  std::string_view key;
  std::string_view apply_keys;  // Separated by spaces; empty: the key.
};

// Below metadata of every kind.
constexpr MergeKeyRow kMetadata[] = {
    {"finalizers", MergeKind::kSet, "", ""},
    {"ownerReferences", MergeKind::kMap, "uid", ""},
};

// Below a pod spec, wherever it stands.
constexpr MergeKeyRow kPodSpec[] = {
    {"containers", MergeKind::kMap, "name", ""},
    {"initContainers", MergeKind::kMap, "name", ""},
    {"ephemeralContainers", MergeKind::kMap, "name", ""},
    {"volumes", MergeKind::kMap, "name", ""},
    {"imagePullSecrets", MergeKind::kMap, "name", ""},
    {"hostAliases", MergeKind::kMap, "ip", ""},
    {"schedulingGates", MergeKind::kMap, "name", ""},
    {"resourceClaims", MergeKind::kMap, "name", ""},
    {"topologySpreadConstraints", MergeKind::kMap, "topologyKey", "topologyKey whenUnsatisfiable"},
    {"containers.ports", MergeKind::kMap, "containerPort", "containerPort protocol"},
    {"containers.env", MergeKind::kMap, "name", ""},
    {"containers.volumeMounts", MergeKind::kMap, "mountPath", ""},
    {"containers.volumeDevices", MergeKind::kMap, "devicePath", ""},
    {"containers.resources.claims", MergeKind::kMap, "name", ""},
};

struct KindRow {
  std::string_view kind;
  MergeKeyRow row;
};

constexpr KindRow kKinds[] = {
    {"Pod", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"Pod", {"status.podIPs", MergeKind::kMap, "ip", ""}},
    {"Pod", {"status.hostIPs", MergeKind::kMap, "ip", ""}},
    {"Pod", {"status.resourceClaimStatuses", MergeKind::kMap, "name", ""}},
    {"Node", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"Node", {"status.addresses", MergeKind::kMap, "type", ""}},
    {"Node", {"spec.podCIDRs", MergeKind::kSet, "", ""}},
    {"Namespace", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"Service", {"spec.ports", MergeKind::kMap, "port", "port protocol"}},
    {"Service", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"ServiceAccount", {"secrets", MergeKind::kMap, "name", ""}},
    {"ServiceAccount", {"imagePullSecrets", MergeKind::kAtomic, "", ""}},
    {"PersistentVolumeClaim", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"PodDisruptionBudget", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"Deployment", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"ReplicaSet", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"StatefulSet", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"DaemonSet", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"ReplicationController", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"Job", {"status.conditions", MergeKind::kMap, "type", ""}},
    {"CSINode", {"spec.drivers", MergeKind::kMap, "name", ""}},
    {"ValidatingWebhookConfiguration", {"webhooks", MergeKind::kMap, "name", ""}},
    {"MutatingWebhookConfiguration", {"webhooks", MergeKind::kMap, "name", ""}},
    {"CustomResourceDefinition", {"status.conditions", MergeKind::kMap, "type", ""}},
};

// Kinds of custom groups may bear the names of built-in ones.
bool IsBuiltinGroup(std::string_view group) {
  return group.find('.') == group.npos || group.ends_with(".k8s.io");
}

MergeRule Of(const MergeKeyRow& row) {
  MergeRule rule;
  rule.list = row.list;
  rule.key = row.key;
  if (row.list == MergeKind::kMap) {
    for (absl::string_view key :
         SplitText(row.apply_keys.empty() ? row.key : row.apply_keys, ' ')) {
      rule.apply_keys.push_back(ToStd(key));
    }
  }
  return rule;
}

// Where the pod spec of a kind begins; nothing for kinds without one.
std::string_view PodSpecOf(std::string_view group, std::string_view kind) {
  if (kind == "Pod" && group.empty()) return "spec.";
  if (kind == "PodTemplate" && group.empty()) return "template.spec.";
  if (kind == "CronJob" && group == "batch") return "spec.jobTemplate.spec.template.spec.";
  if (group == "apps" || (kind == "Job" && group == "batch") ||
      (kind == "ReplicationController" && group.empty())) {
    return "spec.template.spec.";
  }
  return {};
}

MergeRule InPodSpec(std::string path) {
  for (std::string_view other : {"initContainers", "ephemeralContainers"}) {
    if (path.starts_with(other) && path.size() > other.size()) {
      path = "containers" + path.substr(other.size());
    }
  }
  for (const MergeKeyRow& row : kPodSpec) {
    if (row.path == path) return Of(row);
  }
  return {};
}

}  // namespace

MergeRule RuleAt(std::string_view group, std::string_view kind,
                 const std::vector<std::string>& path) {
  const std::string joined = absl::StrJoin(path, ".");
  const size_t metadata = joined.rfind("metadata.");
  if (metadata != joined.npos && (metadata == 0 || joined[metadata - 1] == '.')) {
    for (const MergeKeyRow& row : kMetadata) {
      if (row.path == joined.substr(metadata + 9)) return Of(row);
    }
    return {};
  }
  for (const KindRow& row : kKinds) {
    if (row.kind == kind && row.row.path == joined && IsBuiltinGroup(group)) {
      return Of(row.row);
    }
  }
  const std::string_view prefix = PodSpecOf(group, kind);
  if (!prefix.empty() && joined.starts_with(prefix)) return InPodSpec(joined.substr(prefix.size()));
  return {};
}

}  // namespace bth::apiserver
