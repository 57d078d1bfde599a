#include "api/rules/volumes.h"

#include <set>
#include <string>

#include "api/rules/names.h"
#include "api/rules/volume_sources.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

VolumeKind VolumeKindOf(const Json& volume) {
  const auto has = [&volume](std::string_view key) { return !volume[key].is_null(); };
  if (has("persistentVolumeClaim") || has("ephemeral")) return VolumeKind::kClaim;
  return has("image") ? VolumeKind::kImage : VolumeKind::kOther;
}

// Claims that are made for ephemeral volumes of this pod.
std::set<std::string> MadeClaims(const Json& volumes, std::string_view pod_name) {
  std::set<std::string> claims;
  if (pod_name.empty()) return claims;
  for (const Json& volume : volumes.items()) {
    if (!volume["ephemeral"].is_null()) {
      claims.insert(StrCat(pod_name, "-", volume["name"].AsString()));
    }
  }
  return claims;
}

}  // namespace

VolumeKinds CheckVolumes(const Part& spec, std::string_view pod_name, bool is_pod) {
  VolumeKinds well;
  const std::set<std::string> made = MadeClaims(spec["volumes"], pod_name);
  FieldErrors errors;
  spec.ForEach("volumes", [&](const Part& at, size_t) {
    errors.clear();
    const Part volume(at.value(), at.at(), errors);
    CheckVolumeSource(volume, {.pod_name = pod_name, .is_pod = is_pod});
    const std::string_view name = volume.Text("name");
    if (name.empty()) volume.Required("name");
    if (!name.empty()) volume.Invalid("name", name, CheckDnsLabel(name));
    if (well.contains(name)) volume.Duplicate("name", Json(name));
    if (errors.empty()) well.emplace(name, VolumeKindOf(at.value()));
    for (FieldError& error : errors) at.Add(std::move(error));
    at.Within("persistentVolumeClaim", [&made](const Part& source) {
      const std::string_view claim = source["claimName"].AsString();
      if (!made.contains(std::string(claim))) return;
      source.Invalid("claimName", Json(claim),
                     "must not reference a PVC that gets created for an ephemeral volume");
    });
  });
  return well;
}

}  // namespace bth::rules
