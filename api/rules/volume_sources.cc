#include "api/rules/volume_sources.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "api/rules/environment.h"
#include "api/rules/labels.h"
#include "api/rules/names.h"
#include "api/rules/paths_in_volumes.h"
#include "api/rules/quantities.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using Paths = std::set<std::string_view>;

void CheckEmptyDir(const Part& source, const VolumeOwner&) {
  if (!source.Has("sizeLimit")) return;
  const std::optional<types::Quantity> size = QuantityOf(source["sizeLimit"]);
  if (size && !size->is_negative()) return;
  source.Forbidden("sizeLimit", "SizeLimit field must be a valid resource quantity");
}

void CheckHostPath(const Part& source, const VolumeOwner&) {
  const std::string_view path = source.Text("path");
  if (path.empty()) return source.Required("path");
  CheckNoBacksteps(source, "path", path);
  if (!source.Has("type")) return;
  source.OneOf("type", source.Text("type"),
               {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                "FileOrCreate", "Socket"});
}

void CheckGitRepo(const Part& source, const VolumeOwner&) {
  if (source.Text("repository").empty()) source.Required("repository");
  CheckDescendingPath(source, "directory", source.Text("directory"));
}

// {key, path, mode} of secrets and config maps.
void CheckItems(const Part& source, Paths* paths, const Part* projection) {
  source.ForEach("items", [&](const Part& item, size_t) {
    if (item.Text("key").empty()) item.Required("key");
    const std::string_view path = item.Text("path");
    if (path.empty()) item.Required("path");
    CheckLocalPath(item, "path", path);
    CheckFileMode(item, item, "mode");
    if (projection == nullptr || path.empty() || paths->insert(path).second) return;
    projection->Invalid("", Json(source["name"].AsString()), "conflicting duplicate paths");
  });
}

void CheckSecret(const Part& source, const VolumeOwner&) {
  if (source.Text("secretName").empty()) source.Required("secretName");
  CheckFileMode(source, source, "defaultMode");
  CheckItems(source, nullptr, nullptr);
}

void CheckConfigMap(const Part& source, const VolumeOwner&) {
  if (source.Text("name").empty()) source.Required("name");
  CheckFileMode(source, source, "defaultMode");
  CheckItems(source, nullptr, nullptr);
}

void CheckNfs(const Part& source, const VolumeOwner&) {
  if (source.Text("server").empty()) source.Required("server");
  const std::string_view path = source.Text("path");
  if (path.empty()) source.Required("path");
  if (!path.starts_with('/')) source.Invalid("path", Json(path), "must be an absolute path");
}

void CheckIscsi(const Part& source, const VolumeOwner&) {
  if (source.Text("targetPortal").empty()) source.Required("targetPortal");
  const std::string_view iqn = source.Text("iqn");
  if (iqn.empty()) {
    source.Required("iqn");
  } else if (!iqn.starts_with("iqn") && !iqn.starts_with("eui") && !iqn.starts_with("naa")) {
    source.Invalid("iqn", Json(iqn), "must be valid format starting with iqn, eui, or naa");
  }
  const int64_t lun = source.Number("lun").value_or(0);
  if (lun < 0 || lun > 255) {
    source.Invalid("lun", Json(lun), "must be between 0 and 255, inclusive");
  }
  const bool secret = source.Flag("chapAuthDiscovery") || source.Flag("chapAuthSession");
  if (secret && !source.Has("secretRef")) source.Required("secretRef");
}

void CheckClaimRef(const Part& source, const VolumeOwner&) {
  if (source.Text("claimName").empty()) source.Required("claimName");
}

void CheckFibre(const Part& source, const VolumeOwner&) {
  const size_t targets = source.SizeOf("targetWWNs");
  const size_t ids = source.SizeOf("wwids");
  if (targets == 0 && ids == 0) {
    source.Required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  }
  if (targets != 0 && ids != 0) {
    source.Invalid("targetWWNs", source["targetWWNs"],
                   "targetWWNs and wwids can not be specified simultaneously");
  }
  if (targets == 0) return;
  const std::optional<int64_t> lun = source.Number("lun");
  if (!lun) return source.Required("lun", "lun is required if targetWWNs is specified");
  if (*lun < 0 || *lun > 255) {
    source.Invalid("lun", Json(*lun), "must be between 0 and 255, inclusive");
  }
}

void CheckDownward(const Part& source, const VolumeOwner&) {
  CheckFileMode(source, source, "defaultMode");
  source.ForEach("items", [&source](const Part& file, size_t) { CheckDownwardFile(source, file); });
}

void CheckServiceAccountToken(const Part& projection, const Part& token) {
  const int64_t seconds = token.Number("expirationSeconds").value_or(0);
  if (seconds < 600) {
    token.Invalid("expirationSeconds", Json(seconds),
                  "may not specify a duration less than 10 minutes");
  }
  if (seconds > (int64_t{1} << 32)) {
    token.Invalid("expirationSeconds", Json(seconds),
                  "may not specify a duration larger than 2^32 seconds");
  }
  const std::string_view path = token.Text("path");
  if (path.empty()) return projection.Required("path");
  CheckLocalPath(projection, "path", path);
}

void CheckTrustBundle(const Part& projection, const Part& bundle, Paths* paths) {
  const bool named = bundle.Has("name");
  const bool signed_by = bundle.Has("signerName");
  if (named && signed_by) {
    bundle.Invalid("", bundle.value(), "only one of name and signerName may be used");
  } else if (named) {
    if (bundle.Text("name").empty()) bundle.Required("name", "must be a valid object name");
    if (bundle.Has("labelSelector")) {
      bundle.Invalid("labelSelector", bundle["labelSelector"],
                     "labelSelector must be unset if name is specified");
    }
  } else if (signed_by) {
    if (bundle.Text("signerName").empty()) {
      bundle.Required("signerName", "must be a valid signer name");
    }
    CheckLabelSelector(bundle, "labelSelector");
  } else {
    bundle.Required("", "either name or signerName must be specified");
  }
  const std::string_view path = bundle.Text("path");
  if (path.empty()) bundle.Required("path");
  CheckLocalPath(bundle, "path", path);
  if (!paths->insert(path).second) {
    projection.Invalid("", Json(path), "conflicting duplicate paths");
  }
}

constexpr std::string_view kProjections[] = {
    "secret",        "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle",
    "podCertificate"};

void CheckProjected(const Part& projection, const VolumeOwner&) {
  CheckFileMode(projection, projection, "defaultMode");
  Paths paths;
  projection.ForEach("sources", [&](const Part& source, size_t) {
    for (const std::string_view kind : {"secret", "configMap"}) {
      source.Within(kind, [&](const Part& inner) {
        if (inner.Text("name").empty()) inner.Required("name");
        CheckItems(inner, &paths, &projection);
      });
    }
    source.Within("downwardAPI", [&](const Part& inner) {
      inner.ForEach("items", [&](const Part& file, size_t) {
        CheckDownwardFile(inner, file);
        const std::string_view path = file["path"].AsString();
        if (path.empty() || paths.insert(path).second) return;
        projection.Invalid("", Json(path), "conflicting duplicate paths");
      });
    });
    source.Within("serviceAccountToken",
                  [&](const Part& token) { CheckServiceAccountToken(projection, token); });
    source.Within("clusterTrustBundle",
                  [&](const Part& bundle) { CheckTrustBundle(projection, bundle, &paths); });
    const auto given = std::count_if(std::begin(kProjections), std::end(kProjections),
                                     [&](std::string_view kind) { return source.Has(kind); });
    if (given > 1) source.Forbidden("", "may not specify more than 1 volume type per source");
  });
}

void CheckCsi(const Part& source, const VolumeOwner&) {
  const std::string_view driver = source.Text("driver");
  if (driver.empty()) source.Required("driver");
  if (driver.size() > 63) source.Add(TooLong(source.at().Field("driver").Text(), 63));
  const std::string lower = AsciiStrToLower(driver);
  source.Invalid("driver", driver, CheckDnsSubdomain(lower));
  source.Within("nodePublishSecretRef", [&source](const Part& ref) {
    const std::string_view name = ref.Text("name");
    if (name.empty()) return ref.Required("name");
    source.Invalid("name", name, CheckDnsSubdomain(name));
  });
}

void CheckFlex(const Part& source, const VolumeOwner&) {
  if (source.Text("driver").empty()) source.Required("driver");
  const Place options = source.at().Field("options");
  for (const auto& [key, value] : source.Members("options")) {
    const std::string_view ns = key.substr(0, key.find('/'));
    const std::string dotted = StrCat(".", AsciiStrToLower(ns));
    if (!dotted.ends_with(".kubernetes.io") && !dotted.ends_with(".k8s.io")) continue;
    source.Add(Invalid(options.Key(key).Text(), Json(key),
                       "kubernetes.io and k8s.io namespaces are reserved"));
  }
}

void CheckFlocker(const Part& source, const VolumeOwner&) {
  const std::string_view name = source.Text("datasetName");
  const bool by_id = !source.Text("datasetUUID").empty();
  if (name.empty() && !by_id) {
    source.Required("", "one of datasetName and datasetUUID is required");
  }
  if (!name.empty() && by_id) {
    source.Invalid("", Json("resource"),
                   "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.find('/') != name.npos) {
    source.Invalid("datasetName", Json(name), "must not contain '/'");
  }
}

void CheckAccessModes(const Part& spec) {
  const auto modes = spec.Texts("accessModes");
  if (modes.empty()) spec.Required("accessModes", "at least 1 access mode is required");
  bool alone = false;
  bool shared = false;
  for (const std::string_view mode : modes) {
    spec.OneOf("accessModes", mode,
               {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    (mode == "ReadWriteOncePod" ? alone : shared) = true;
  }
  if (alone && shared) {
    spec.Forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
  }
}

void CheckClaimSpec(const Part& spec) {
  CheckLabelSelector(spec, "selector");
  CheckAccessModes(spec);
  const Json& storage = spec["resources"]["requests"]["storage"];
  const Place resources = spec.at().Field("resources");
  const Place requests = resources.Field("requests");
  const Place place = requests.Key("storage");
  if (storage.is_null()) {
    spec.Add(Required(place.Text()));
  } else {
    const std::optional<types::Quantity> amount = QuantityOf(storage);
    if (!amount || amount->is_negative() || amount->is_zero()) {
      spec.Add(Invalid(place.Text(), amount ? Json(amount->ToString()) : storage,
                       "must be greater than zero"));
    }
  }
  if (spec.Has("storageClassName") && !spec.Text("storageClassName").empty()) {
    const std::string_view name = spec.Text("storageClassName");
    spec.Invalid("storageClassName", name, CheckDnsSubdomain(name));
  }
  if (spec.Has("volumeMode")) {
    spec.OneOf("volumeMode", spec.Text("volumeMode"), {"Block", "Filesystem"});
  }
}

void CheckEphemeral(const Part& source, const VolumeOwner&) {
  if (!source.Has("volumeClaimTemplate")) return source.Required("volumeClaimTemplate");
  source.Within("volumeClaimTemplate", [](const Part& claim) {
    claim.Within("metadata", [](const Part& metadata) {
      CheckAnnotations(metadata, "annotations");
      CheckLabels(metadata, "labels");
    });
    static const Json kEmpty = Json::MakeObject();
    if (!claim.Has("spec")) {
      FieldErrors errors;
      const Place at = claim.at().Field("spec");
      CheckClaimSpec(Part(kEmpty, at, errors));
      for (FieldError& error : errors) claim.Add(std::move(error));
    }
    claim.Within("spec", CheckClaimSpec);
  });
}

void CheckImageVolume(const Part& source, const VolumeOwner& owner) {
  if (owner.is_pod && source.Text("reference").empty()) source.Required("reference");
  const std::string_view pull = source.Text("pullPolicy");
  if (pull.empty()) return source.Required("pullPolicy");
  source.OneOf("pullPolicy", pull, {"Always", "IfNotPresent", "Never"});
}

struct SourceRow {
  std::string_view key;
  // Texts, or lists, that must be there.
  std::string_view required[3] = {};
  // More than that; may be null.
  void (*check)(const Part& source, const VolumeOwner& owner) = nullptr;
  // The name under which Kubernetes tells of it, where that differs.
  std::string_view told_as = {};
};

// In the order of Kubernetes, in which the first of several sources is looked at.
constexpr SourceRow kSources[] = {
    {"emptyDir", {}, CheckEmptyDir},
    {"hostPath", {}, CheckHostPath},
    {"gitRepo", {}, CheckGitRepo},
    {"gcePersistentDisk", {"pdName"}, nullptr, "persistentDisk"},
    {"awsElasticBlockStore", {"volumeID"}},
    {"secret", {}, CheckSecret},
    {"nfs", {}, CheckNfs},
    {"iscsi", {}, CheckIscsi},
    {"glusterfs", {"endpoints", "path"}},
    {"flocker", {}, CheckFlocker},
    {"persistentVolumeClaim", {}, CheckClaimRef},
    {"rbd", {"monitors", "image"}},
    {"cinder", {"volumeID"}},
    {"cephfs", {"monitors"}},
    {"quobyte", {"registry", "volume"}},
    {"downwardAPI", {}, CheckDownward},
    {"fc", {}, CheckFibre},
    {"flexVolume", {}, CheckFlex},
    {"configMap", {}, CheckConfigMap},
    {"azureFile", {"secretName", "shareName"}},
    {"vsphereVolume", {"volumePath"}},
    {"photonPersistentDisk", {"pdID"}},
    {"portworxVolume", {"volumeID"}},
    {"azureDisk", {"diskName", "diskURI"}},
    {"storageos", {"volumeName"}},
    {"projected", {}, CheckProjected},
    {"scaleIO", {"gateway", "system", "volumeName"}},
    {"csi", {}, CheckCsi},
    {"ephemeral", {}, CheckEphemeral},
    {"image", {}, CheckImageVolume},
};

void CheckRow(const Part& volume, const SourceRow& row, const VolumeOwner& owner) {
  if (!volume[row.key].is_object()) {
    volume.Within(row.key, [](const Part&) {});  // Tells that it is none.
    return;
  }
  const Place at = volume.at().Field(row.told_as.empty() ? row.key : row.told_as);
  FieldErrors errors;
  const Part source(volume[row.key], at, errors);
  for (const std::string_view key : row.required) {
    const Json& value = key.empty() ? volume.value() : source[key];
    const bool given = value.is_string() ? !value.AsString().empty() : !value.empty();
    if (!given) source.Required(key);
  }
  if (row.check != nullptr) row.check(source, owner);
  for (FieldError& error : errors) volume.Add(std::move(error));
}

}  // namespace

void CheckVolumeSource(const Part& volume, const VolumeOwner& owner) {
  const SourceRow* first = nullptr;
  for (const SourceRow& row : kSources) {
    if (!volume.Has(row.key)) continue;
    if (first != nullptr) {
      volume.Forbidden(row.key, "may not specify more than 1 volume type");
      continue;
    }
    first = &row;
    CheckRow(volume, row, owner);
  }
  if (first == nullptr) volume.Required("", "must specify a volume type");
  const std::string_view name = volume["name"].AsString();
  if (first == nullptr || first->key != "ephemeral" || owner.pod_name.empty() || name.empty()) {
    return;
  }
  const std::string claim = StrCat(owner.pod_name, "-", name);
  for (const std::string& fault : CheckDnsSubdomain(claim)) {
    volume.Invalid("name", Json(name), StrCat("PVC name \"", claim, "\": ", fault));
  }
}

}  // namespace bth::rules
