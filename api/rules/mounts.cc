#include "api/rules/mounts.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "api/rules/paths_in_volumes.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using Texts = std::set<std::string_view>;

Texts TextsOf(const Json& list, std::string_view key) {
  Texts texts;
  for (const Json& item : list.items()) texts.insert(item[key].AsString());
  return texts;
}

void CheckPropagation(const Part& container, const Part& list, const Part& mount) {
  if (!mount.Has("mountPropagation")) return;
  const std::string_view mode = mount.Text("mountPropagation");
  list.OneOf("mountPropagation", mode, {"Bidirectional", "HostToContainer", "None"});
  const bool privileged = container["securityContext"]["privileged"].AsBool();
  if (mode == "Bidirectional" && !privileged) {
    list.Forbidden("mountPropagation",
                   "Bidirectional mount propagation is available only to privileged containers");
  }
}

void CheckRecursiveReadOnly(const Part& list, const Part& mount) {
  if (!mount.Has("recursiveReadOnly")) return;
  const std::string_view mode = mount.Text("recursiveReadOnly");
  if (mode == "Disabled") return;
  if (mode != "Enabled" && mode != "IfPossible") {
    return list.OneOf("recursiveReadOnly", mode, {"Disabled", "Enabled", "IfPossible"});
  }
  if (!mount.Flag("readOnly")) {
    list.Forbidden("recursiveReadOnly", "may only be specified when readOnly is true");
  }
  const std::string_view propagation = mount.Text("mountPropagation");
  if (mount.Has("mountPropagation") && propagation != "None") {
    list.Forbidden("recursiveReadOnly",
                   "may only be specified when mountPropagation is None or not specified");
  }
}

void CheckSubPaths(const Part& list, const Part& mount, bool image) {
  const std::string_view path = mount.Text("subPath");
  const std::string_view expression = mount.Text("subPathExpr");
  constexpr std::string_view kNotOfImages = "not allowed in image volume sources";
  if (image && !path.empty()) mount.Invalid("subPath", Json(path), kNotOfImages);
  if (image && !expression.empty()) mount.Invalid("subPathExpr", Json(expression), kNotOfImages);
  if (!path.empty()) CheckDescendingPath(list, "subPath", path);
  if (expression.empty()) return;
  if (!path.empty()) {
    list.Add(Invalid(mount.at().Field("subPathExpr").Text(), Json(expression),
                     "subPathExpr and subPath are mutually exclusive"));
  }
  CheckDescendingPath(list, "subPathExpr", expression);
}

void CheckVolumeMounts(const Part& container, const VolumeKinds& volumes, bool all_known) {
  const Json& devices = container["volumeDevices"];
  const Texts device_names = TextsOf(devices, "name");
  const Texts device_paths = TextsOf(devices, "devicePath");
  const Place at = container.at().Field("volumeMounts");
  FieldErrors errors;
  const Part list(container.value(), at, errors);
  Texts paths;
  container.ForEach("volumeMounts", [&](const Part& mount, size_t) {
    const std::string_view name = mount.Text("name");
    const std::string_view path = mount.Text("mountPath");
    const auto volume = volumes.find(name);
    if (name.empty()) mount.Required("name");
    if (volume == volumes.end() && all_known) mount.NotFound("name", Json(name));
    if (path.empty()) mount.Required("mountPath");
    if (!paths.insert(path).second) mount.Invalid("mountPath", Json(path), "must be unique");
    if (device_names.contains(name)) {
      mount.Invalid("name", Json(name), "must not already exist in volumeDevices");
    }
    if (device_paths.contains(path)) {
      mount.Invalid("mountPath", Json(path), "must not already exist as a path in volumeDevices");
    }
    // Kubernetes' paths leave out which of the mounts it is.
    const bool image = volume != volumes.end() && volume->second == VolumeKind::kImage;
    CheckSubPaths(list, mount, image);
    CheckPropagation(container, list, mount);
    CheckRecursiveReadOnly(list, mount);
    for (FieldError& error : errors) mount.Add(std::move(error));
    errors.clear();
  });
}

bool HasBackstep(std::string_view path) {
  for (const absl::string_view element : SplitText(path, '/')) {
    if (element == "..") return true;
  }
  return false;
}

void CheckVolumeDevices(const Part& container, const VolumeKinds& volumes, bool all_known) {
  if (!container.Has("volumeDevices")) return;
  const Json& mounts = container["volumeMounts"];
  const Texts mount_names = TextsOf(mounts, "name");
  const Texts mount_paths = TextsOf(mounts, "mountPath");
  Texts names;
  Texts paths;
  container.ForEach("volumeDevices", [&](const Part& device, size_t) {
    const std::string_view name = device.Text("name");
    const std::string_view path = device.Text("devicePath");
    const auto volume = volumes.find(name);
    if (name.empty()) device.Required("name");
    if (names.contains(name)) device.Invalid("name", Json(name), "must be unique");
    if (volume == volumes.end()) {
      if (all_known) device.NotFound("name", Json(name));
    } else if (volume->second != VolumeKind::kClaim) {
      device.Invalid("name", Json(name),
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                     "block mode");
    }
    if (path.empty()) device.Required("devicePath");
    if (paths.contains(path)) device.Invalid("devicePath", Json(path), "must be unique");
    if (HasBackstep(path)) {
      device.Invalid("devicePath", Json(path), "can not contain backsteps ('..')");
    } else {
      paths.insert(path);
    }
    if (mount_names.contains(name)) {
      device.Invalid("name", Json(name), "must not already exist in volumeMounts");
    }
    if (mount_paths.contains(path)) {
      device.Invalid("devicePath", Json(path), "must not already exist as a path in volumeMounts");
    }
    if (!name.empty()) names.insert(name);
  });
}

}  // namespace

void CheckMounts(const Part& container, const VolumeKinds& volumes, bool all_known) {
  CheckVolumeMounts(container, volumes, all_known);
  CheckVolumeDevices(container, volumes, all_known);
}

}  // namespace bth::rules
