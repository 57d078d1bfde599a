#include "apiserver/patch/merge_keys.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using List = MergeRule::List;

struct Row {
  std::string_view path;
  List list;
  std::string_view key;
  std::string_view apply_keys;  // Separated by spaces; empty: the key.
};

// Below metadata of every kind.
constexpr Row kMetadata[] = {
    {"finalizers", List::kSet, "", ""},
    {"ownerReferences", List::kMap, "uid", ""},
};

// Below a pod spec, wherever it stands.
constexpr Row kPodSpec[] = {
    {"containers", List::kMap, "name", ""},
    {"initContainers", List::kMap, "name", ""},
    {"ephemeralContainers", List::kMap, "name", ""},
    {"volumes", List::kMap, "name", ""},
    {"imagePullSecrets", List::kMap, "name", ""},
    {"hostAliases", List::kMap, "ip", ""},
    {"schedulingGates", List::kMap, "name", ""},
    {"resourceClaims", List::kMap, "name", ""},
    {"topologySpreadConstraints", List::kMap, "topologyKey", "topologyKey whenUnsatisfiable"},
    {"containers.ports", List::kMap, "containerPort", "containerPort protocol"},
    {"containers.env", List::kMap, "name", ""},
    {"containers.volumeMounts", List::kMap, "mountPath", ""},
    {"containers.volumeDevices", List::kMap, "devicePath", ""},
    {"containers.resources.claims", List::kMap, "name", ""},
};

struct KindRow {
  std::string_view kind;
  Row row;
};

constexpr KindRow kKinds[] = {
    {"Pod", {"status.conditions", List::kMap, "type", ""}},
    {"Pod", {"status.podIPs", List::kMap, "ip", ""}},
    {"Pod", {"status.hostIPs", List::kMap, "ip", ""}},
    {"Pod", {"status.resourceClaimStatuses", List::kMap, "name", ""}},
    {"Node", {"status.conditions", List::kMap, "type", ""}},
    {"Node", {"status.addresses", List::kMap, "type", ""}},
    {"Node", {"spec.podCIDRs", List::kSet, "", ""}},
    {"Namespace", {"status.conditions", List::kMap, "type", ""}},
    {"Service", {"spec.ports", List::kMap, "port", "port protocol"}},
    {"Service", {"status.conditions", List::kMap, "type", ""}},
    {"ServiceAccount", {"secrets", List::kMap, "name", ""}},
    {"ServiceAccount", {"imagePullSecrets", List::kAtomic, "", ""}},
    {"PersistentVolumeClaim", {"status.conditions", List::kMap, "type", ""}},
    {"PodDisruptionBudget", {"status.conditions", List::kMap, "type", ""}},
    {"Deployment", {"status.conditions", List::kMap, "type", ""}},
    {"ReplicaSet", {"status.conditions", List::kMap, "type", ""}},
    {"StatefulSet", {"status.conditions", List::kMap, "type", ""}},
    {"DaemonSet", {"status.conditions", List::kMap, "type", ""}},
    {"ReplicationController", {"status.conditions", List::kMap, "type", ""}},
    {"Job", {"status.conditions", List::kMap, "type", ""}},
    {"CSINode", {"spec.drivers", List::kMap, "name", ""}},
    {"ValidatingWebhookConfiguration", {"webhooks", List::kMap, "name", ""}},
    {"MutatingWebhookConfiguration", {"webhooks", List::kMap, "name", ""}},
    {"CustomResourceDefinition", {"status.conditions", List::kMap, "type", ""}},
};

// Kinds of custom groups may bear the names of built-in ones.
bool IsBuiltinGroup(std::string_view group) {
  return group.find('.') == group.npos || group.ends_with(".k8s.io");
}

MergeRule Of(const Row& row) {
  MergeRule rule;
  rule.list = row.list;
  rule.key = row.key;
  if (row.list == List::kMap) {
    for (absl::string_view key :
         absl::StrSplit(ToAbsl(row.apply_keys.empty() ? row.key : row.apply_keys), ' ')) {
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
  for (const Row& row : kPodSpec) {
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
    for (const Row& row : kMetadata) {
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
