#include "admission/rules/semantic_equal.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/rules/part.h"
#include "api/rules/quantities.h"
#include "api/types/duration.h"

namespace bth::admission {
namespace {

using types::Json;

// All tables are sorted. Fields whose zero is a value of its own: optional numbers, texts, flags.
constexpr std::string_view kOptionalScalars[] = {
    "activeDeadlineSeconds",
    "allowPrivilegeEscalation",
    "automountServiceAccountToken",
    "blockOwnerDeletion",
    "controller",
    "defaultMode",
    "enableServiceLinks",
    "exitCode",
    "expirationSeconds",
    "fsGroup",
    "fsGroupChangePolicy",
    "fsType",
    "gmsaCredentialSpec",
    "gmsaCredentialSpecName",
    "highestTierAllowed",
    "hostProcess",
    "hostUsers",
    "hostnameOverride",
    "initiatorName",
    "localhostProfile",
    "lun",
    "minDomains",
    "minSuccess",
    "mode",
    "mountPropagation",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "optional",
    "preemptionPolicy",
    "priority",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "recursiveReadOnly",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "runAsUserName",
    "runningEstimate",
    "runtimeClassName",
    "seLinuxChangePolicy",
    "service",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "signerName",
    "storageClassName",
    "supplementalGroupsPolicy",
    "terminationGracePeriodSeconds",
    "timeout",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "volumeAttributesClassName",
    "volumeMode",
};

// Objects that mean something though they are empty.
constexpr std::string_view kOptionalObjects[] = {
    "affinity",
    "appArmorProfile",
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "capabilities",
    "cephfs",
    "cinder",
    "clusterTrustBundle",
    "configMap",
    "configMapKeyRef",
    "configMapRef",
    "csi",
    "dataSource",
    "dataSourceRef",
    "dependsOn",
    "dnsConfig",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "exec",
    "fc",
    "fieldRef",
    "fileKeyRef",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "grpc",
    "hostPath",
    "httpGet",
    "image",
    "iscsi",
    "labelSelector",
    "lifecycle",
    "livenessProbe",
    "namespaceSelector",
    "networkTopology",
    "nfs",
    "nodeAffinity",
    "nodePublishSecretRef",
    "os",
    "partitionPolicy",
    "persistentVolumeClaim",
    "photonPersistentDisk",
    "podAffinity",
    "podAntiAffinity",
    "portworxVolume",
    "postStart",
    "preStop",
    "projected",
    "quobyte",
    "rbd",
    "readinessProbe",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "resourceFieldRef",
    "scaleIO",
    "seLinuxOptions",
    "seccompProfile",
    "secret",
    "secretKeyRef",
    "secretRef",
    "securityContext",
    "selector",
    "serviceAccountToken",
    "sleep",
    "startupProbe",
    "storageos",
    "tcpSocket",
    "valueFrom",
    "volumeClaim",
    "volumeClaimTemplate",
    "vsphereVolume",
    "windowsOptions",
};

// Objects whose keys are the user's: each of them counts, whatever its value.
constexpr std::string_view kMaps[] = {
    "annotations", "labels",   "limits",  "matchLabels", "nodeSelector",
    "options",     "overhead", "plugins", "requests",    "volumeAttributes",
};
constexpr std::string_view kAmounts[] = {"limits", "overhead", "requests"};
constexpr std::string_view kSingleAmounts[] = {"divisor", "sizeLimit"};
constexpr std::string_view kDurations[] = {"runningEstimate", "timeout"};

template <size_t n>
bool IsIn(const std::string_view (&table)[n], std::string_view key) {
  return std::binary_search(std::begin(table), std::end(table), key);
}

static_assert(std::is_sorted(std::begin(kOptionalScalars), std::end(kOptionalScalars)));
static_assert(std::is_sorted(std::begin(kOptionalObjects), std::end(kOptionalObjects)));
static_assert(std::is_sorted(std::begin(kMaps), std::end(kMaps)));

bool EqualAt(std::string_view key, const Json& a, const Json& b);

bool EqualAmounts(const Json& a, const Json& b) {
  const std::optional<types::Quantity> left = rules::QuantityOf(a);
  const std::optional<types::Quantity> right = rules::QuantityOf(b);
  return left && right ? *left == *right : a == b;
}

bool EqualDurations(const Json& a, const Json& b) {
  const absl::StatusOr<absl::Duration> left = types::ParseDuration(a.AsString());
  const absl::StatusOr<absl::Duration> right = types::ParseDuration(b.AsString());
  return left.ok() && right.ok() ? *left == *right : a == b;
}

bool EqualMaps(std::string_view key, const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  const auto left = rules::SortedMembers(a);
  const auto right = rules::SortedMembers(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].first != right[i].first) return false;
    const Json& one = *left[i].second;
    const Json& other = *right[i].second;
    const bool equal = IsIn(kAmounts, key) ? EqualAmounts(one, other) : EqualAt("", one, other);
    if (!equal) return false;
  }
  return true;
}

// Members of both sides by name; one that is missing is null on that side.
bool EqualObjects(const Json& a, const Json& b) {
  static const Json* const none = new Json();
  const auto left = rules::SortedMembers(a);
  const auto right = rules::SortedMembers(b);
  for (auto l = left.begin(), r = right.begin(); l != left.end() || r != right.end();) {
    const bool only_left = r == right.end() || (l != left.end() && l->first < r->first);
    const bool only_right = l == left.end() || (r != right.end() && r->first < l->first);
    const std::string_view key = only_right ? r->first : l->first;
    if (!EqualAt(key, only_right ? *none : *l->second, only_left ? *none : *r->second)) {
      return false;
    }
    if (!only_right) ++l;
    if (!only_left) ++r;
  }
  return true;
}

bool EqualLists(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!EqualAt("", a[i], b[i])) return false;
  }
  return true;
}

// Whether a value says as much as its absence.
bool IsNothing(std::string_view key, const Json& value) {
  if (value.is_null()) return true;
  if (value.is_array()) return value.empty();
  if (value.is_object()) {
    if (IsIn(kMaps, key)) return value.empty();
    return !IsIn(kOptionalObjects, key) && EqualObjects(value, Json::MakeObject());
  }
  if (IsIn(kOptionalScalars, key)) return false;
  if (value.is_string()) return value.AsString().empty();
  if (value.is_bool()) return !value.AsBool();
  return value.AsDouble() == 0;
}

// An empty key: an item of a list, or a value of a map.
bool EqualAt(std::string_view key, const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return IsNothing(key, a.is_null() ? b : a);
  if (IsIn(kSingleAmounts, key)) return EqualAmounts(a, b);
  if (IsIn(kDurations, key) && a.is_string() && b.is_string()) return EqualDurations(a, b);
  if (a.is_array() && b.is_array()) return EqualLists(a, b);
  if (!a.is_object() || !b.is_object()) return a == b;
  return IsIn(kMaps, key) ? EqualMaps(key, a, b) : EqualObjects(a, b);
}

}  // namespace

bool SemanticallyEqual(const Json& a, const Json& b) {
  return EqualAt("", a, b);
}

}  // namespace bth::admission
