// Volumes, claims and storage classes.
#include <string>
#include <string_view>

#include "apiserver/table/columns.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

std::string Modes(const Json& modes) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"}};
  std::string text;
  for (const auto& [name, brief] : kShort) {
    for (const Json& mode : modes.items()) {
      if (mode.AsString() != name) continue;
      StrAppend(&text, text.empty() ? "" : ",", brief);
      break;
    }
  }
  return text;
}

Json VolumePhase(const Json& object, absl::Time) {
  if (object["metadata"]["deletionTimestamp"].is_string()) return "Terminating";
  return object["status"]["phase"];
}
Json StorageClassOf(const Json& object, absl::Time) {
  return object["spec"]["storageClassName"].AsString();
}
Json AttributesClass(const Json& object, absl::Time) {
  return TextOr(object["spec"]["volumeAttributesClassName"].AsString(), "<unset>");
}
Json VolumeMode(const Json& object, absl::Time) {
  return TextOr(object["spec"]["volumeMode"].AsString(), "<unset>");
}

Json VolumeCapacity(const Json& object, absl::Time) {
  return object["spec"]["capacity"]["storage"].AsString();
}
Json VolumeModes(const Json& object, absl::Time) {
  return Modes(object["spec"]["accessModes"]);
}
Json Reclaim(const Json& object, absl::Time) {
  return object["spec"]["persistentVolumeReclaimPolicy"].AsString();
}
Json ClaimOf(const Json& object, absl::Time) {
  const Json& claim = object["spec"]["claimRef"];
  if (!claim.is_object()) return "";
  return StrCat(claim["namespace"].AsString(), "/", claim["name"].AsString());
}
Json Reason(const Json& object, absl::Time) {
  return object["status"]["reason"].AsString();
}

Json ClaimVolume(const Json& object, absl::Time) {
  return object["spec"]["volumeName"].AsString();
}
Json ClaimCapacity(const Json& object, absl::Time) {
  return object["status"]["capacity"]["storage"].AsString();
}
Json ClaimModes(const Json& object, absl::Time) {
  return Modes(object["status"]["accessModes"]);
}

Json ClassName(const Json& object, absl::Time) {
  std::string name(object["metadata"]["name"].AsString());
  const Json& marks = object["metadata"]["annotations"];
  if (marks["storageclass.kubernetes.io/is-default-class"].AsString() == "true") {
    name += " (default)";
  }
  return name;
}
Json Provisioner(const Json& object, absl::Time) {
  return object["provisioner"].AsString();
}
Json ReclaimPolicy(const Json& object, absl::Time) {
  return object["reclaimPolicy"].AsString();
}
Json BindingMode(const Json& object, absl::Time) {
  return object["volumeBindingMode"].AsString();
}
Json Expansion(const Json& object, absl::Time) {
  return object["allowVolumeExpansion"].AsBool();
}

constexpr Column kVolume[] = {
    {"Name", "string", 0, NameCell},
    {"Capacity", "string", 0, VolumeCapacity},
    {"Access Modes", "string", 0, VolumeModes},
    {"Reclaim Policy", "string", 0, Reclaim},
    {"Status", "string", 0, VolumePhase},
    {"Claim", "string", 0, ClaimOf},
    {"StorageClass", "string", 0, StorageClassOf},
    {"VolumeAttributesClass", "string", 0, AttributesClass},
    {"Reason", "string", 0, Reason},
    {"Age", "string", 0, AgeCell},
    {"VolumeMode", "string", 1, VolumeMode},
};
constexpr Column kClaim[] = {
    {"Name", "string", 0, NameCell},
    {"Status", "string", 0, VolumePhase},
    {"Volume", "string", 0, ClaimVolume},
    {"Capacity", "string", 0, ClaimCapacity},
    {"Access Modes", "string", 0, ClaimModes},
    {"StorageClass", "string", 0, StorageClassOf},
    {"VolumeAttributesClass", "string", 0, AttributesClass},
    {"Age", "string", 0, AgeCell},
    {"VolumeMode", "string", 1, VolumeMode},
};
constexpr Column kClass[] = {
    {"Name", "string", 0, ClassName},
    {"Provisioner", "string", 0, Provisioner},
    {"ReclaimPolicy", "string", 0, ReclaimPolicy},
    {"VolumeBindingMode", "string", 0, BindingMode},
    {"AllowVolumeExpansion", "string", 0, Expansion},
    {"Age", "string", 0, AgeCell},
};

}  // namespace

std::span<const Column> StorageColumns(std::string_view kind) {
  if (kind == "PersistentVolume") return kVolume;
  if (kind == "PersistentVolumeClaim") return kClaim;
  if (kind == "StorageClass") return kClass;
  return {};
}

}  // namespace bth::apiserver
