// The rules about volumes, in the slow twin of the filters.
#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "tests/worlds/filter_twin.h"

namespace bth::test {
namespace {

using Source = MountSpec::Source;

constexpr char kEbsPlugin[] = "kubernetes.io/aws-ebs";
constexpr char kPdPlugin[] = "kubernetes.io/gce-pd";

template <typename T>
const T* Named(const std::vector<T>& all, const std::string& name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

bool IsClaim(const MountSpec& mount) {
  return mount.source == Source::kClaim || mount.source == Source::kEphemeral;
}

std::string ClaimNameOf(const FilterPod& pod, const MountSpec& mount) {
  return mount.source == Source::kEphemeral ? pod.name + "-" + mount.name : mount.id;
}

// Two pods of one node may not both have these, unless nobody writes.
bool SameDisk(const MountSpec& a, const MountSpec& b) {
  if (a.source != b.source) return false;
  switch (a.source) {
    case Source::kClaim:
    case Source::kEphemeral:
      return false;
    case Source::kAws:
      return a.id == b.id;
    case Source::kGce:
    case Source::kIscsi:
      return a.id == b.id && !(a.read_only && b.read_only);
    case Source::kRbd:
      break;
  }
  const auto pool = [](const MountSpec& mount) { return mount.pool.empty() ? "rbd" : mount.pool; };
  const bool common = std::any_of(a.monitors.begin(), a.monitors.end(), [&b](const auto& monitor) {
    return std::find(b.monitors.begin(), b.monitors.end(), monitor) != b.monitors.end();
  });
  return common && a.id == b.id && pool(a) == pool(b) && !(a.read_only && b.read_only);
}

bool IsMigrated(const CsiNodeSpec& csi, const std::string& plugin) {
  for (const absl::string_view part : absl::StrSplit(csi.migrated, ',')) {
    if (absl::StripAsciiWhitespace(part) == plugin) return true;
  }
  return false;
}

// Values of a zone label; empty: it cannot be read and does not count.
std::set<std::string> ZonesIn(const std::string& label) {
  std::set<std::string> out;
  for (const absl::string_view part : absl::StrSplit(label, "__")) {
    if (part.empty()) return {};
    out.emplace(part);
  }
  return out;
}

}  // namespace

const FilterClaim* FilterTwin::ClaimOf(const FilterPod& pod, const MountSpec& mount) const {
  return IsClaim(mount) ? Named(world_.claims, ClaimNameOf(pod, mount)) : nullptr;
}
const FilterVolume* FilterTwin::VolumeNamed(const std::string& name) const {
  return Named(world_.volumes, name);
}
const ClassSpec* FilterTwin::ClassNamed(const std::string& name) const {
  return Named(world_.classes, name);
}

std::string FilterTwin::WhyNoClaim(const FilterPod& pod) const {
  bool waits_in_vain = false;
  for (const MountSpec& mount : pod.mounts) {
    if (!IsClaim(mount)) continue;
    const bool own = mount.source == Source::kEphemeral;
    const std::string quoted = StrCat("persistentvolumeclaim \"", ClaimNameOf(pod, mount), "\"");
    const FilterClaim* const claim = ClaimOf(pod, mount);
    if (claim == nullptr) {
      return own ? "waiting for ephemeral volume controller to create the " + quoted
                 : quoted + " not found";
    }
    if (claim->phase == "Lost") {
      return StrCat(quoted, " bound to non-existent persistentvolume \"", claim->volume, "\"");
    }
    if (claim->deleting) return quoted + " is being deleted";
    if (own && claim->owner != pod.name) {
      return StrCat("PVC ns/", claim->name, " was not created for pod ns/", pod.name,
                    " (pod is not owner)");
    }
    if (!claim->volume.empty() && claim->bind_completed) continue;
    const ClassSpec* const storage_class = ClassNamed(claim->storage_class);
    const bool delayed = claim->volume.empty() && storage_class != nullptr && storage_class->waits;
    if (!delayed) waits_in_vain = true;
  }
  return waits_in_vain ? "pod has unbound immediate PersistentVolumeClaims" : "";
}

std::string FilterTwin::WhyNoZone(const FilterPod& pod) const {
  for (const MountSpec& mount : pod.mounts) {
    if (mount.source != Source::kClaim) continue;
    const FilterClaim* const claim = ClaimOf(pod, mount);
    if (claim == nullptr) return StrCat("persistentvolumeclaim \"", mount.id, "\" not found");
    if (!claim->volume.empty()) {
      if (VolumeNamed(claim->volume) == nullptr) {
        return StrCat("persistentvolume \"", claim->volume, "\" not found");
      }
      continue;
    }
    if (claim->storage_class.empty()) {
      return "PersistentVolumeClaim had no pv name and storageClass name";
    }
    const ClassSpec* const storage_class = ClassNamed(claim->storage_class);
    if (storage_class == nullptr) {
      return StrCat("storageclass.storage.k8s.io \"", claim->storage_class, "\" not found");
    }
    if (!storage_class->waits) return "PersistentVolume had no name";
  }
  return "";
}

std::string FilterTwin::WhyNoCount(const FilterPod& pod) const {
  for (const MountSpec& mount : pod.mounts) {
    if (!IsClaim(mount) || ClaimOf(pod, mount) != nullptr) continue;
    const std::string name = ClaimNameOf(pod, mount);
    return StrCat("looking up PVC ns/", name, ": persistentvolumeclaim \"", name, "\" not found");
  }
  return "";
}

bool FilterTwin::DiskTaken(const FilterPod& pod, const std::string& node) const {
  for (const FilterPod* other : PodsOn(node)) {
    for (const MountSpec& theirs : other->mounts) {
      for (const MountSpec& mine : pod.mounts) {
        if (SameDisk(mine, theirs)) return true;
      }
    }
  }
  return false;
}

bool FilterTwin::ClaimTaken(const FilterPod& pod) const {
  for (const MountSpec& mine : pod.mounts) {
    const FilterClaim* const claim = ClaimOf(pod, mine);
    if (claim == nullptr || mine.source != Source::kClaim) continue;
    const auto& modes = claim->modes;
    if (std::find(modes.begin(), modes.end(), "ReadWriteOncePod") == modes.end()) continue;
    for (const auto& [name, place] : place_) {
      for (const MountSpec& theirs : pods_.at(name)->mounts) {
        if (theirs.source == Source::kClaim && theirs.id == mine.id) return true;
      }
    }
  }
  return false;
}

bool FilterTwin::InZone(const FilterPod& pod, const FilterNode& node) const {
  const std::map<std::string, std::string> successor = {
      {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
      {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
      {"topology.kubernetes.io/zone", ""},
      {"topology.kubernetes.io/region", ""}};
  bool anywhere = true;
  for (const auto& [key, newer] : successor) anywhere = anywhere && !node.labels.contains(key);
  if (anywhere) return true;
  for (const MountSpec& mount : pod.mounts) {
    if (mount.source != Source::kClaim) continue;
    const FilterClaim* const claim = ClaimOf(pod, mount);
    const FilterVolume* const volume = claim == nullptr ? nullptr : VolumeNamed(claim->volume);
    if (volume == nullptr) continue;
    for (const auto& [key, label] : volume->labels) {
      const auto newer = successor.find(key);
      const std::set<std::string> zones = ZonesIn(label);
      if (newer == successor.end() || zones.empty()) continue;
      auto mine = node.labels.find(key);
      if (mine == node.labels.end()) mine = node.labels.find(newer->second);
      if (mine == node.labels.end() || !zones.contains(mine->second)) return false;
    }
  }
  return true;
}

std::set<FilterTwin::Attached> FilterTwin::AttachedBy(const FilterPod& pod,
                                                      const CsiNodeSpec& csi) const {
  const std::map<std::string, std::string> drivers = {{kEbsPlugin, "ebs.csi.aws.com"},
                                                      {kPdPlugin, "pd.csi.storage.gke.io"}};
  std::set<Attached> out;
  const auto add_in_tree = [&](const std::string& plugin, const std::string& handle, bool made) {
    if (IsMigrated(csi, plugin)) out.emplace(drivers.at(plugin), handle, made);
  };
  for (const MountSpec& mount : pod.mounts) {
    if (mount.source == Source::kAws) add_in_tree(kEbsPlugin, mount.id, false);
    if (mount.source == Source::kGce) add_in_tree(kPdPlugin, mount.id, false);
    const FilterClaim* const claim = ClaimOf(pod, mount);
    if (claim == nullptr) continue;
    if (const FilterVolume* volume = VolumeNamed(claim->volume)) {
      using Of = FilterVolume::Source;
      if (volume->source == Of::kCsi) out.emplace(volume->driver, volume->handle, false);
      if (volume->source == Of::kAws) add_in_tree(kEbsPlugin, volume->handle, false);
      if (volume->source == Of::kGce) add_in_tree(kPdPlugin, volume->handle, false);
      continue;
    }
    const ClassSpec* const storage_class = ClassNamed(claim->storage_class);
    if (storage_class == nullptr || storage_class->provisioner.empty()) continue;
    if (drivers.contains(storage_class->provisioner)) {
      add_in_tree(storage_class->provisioner, claim->name, true);
    } else {
      out.emplace(storage_class->provisioner, claim->name, true);
    }
  }
  return out;
}

bool FilterTwin::WithinLimits(const FilterPod& pod, const std::string& node) const {
  const auto csi = std::find_if(world_.csi_nodes.begin(), world_.csi_nodes.end(),
                                [&node](const CsiNodeSpec& one) { return one.node == node; });
  if (csi == world_.csi_nodes.end()) return true;
  std::set<Attached> attached;
  for (const FilterPod* other : PodsOn(node)) attached.merge(AttachedBy(*other, *csi));
  for (const AttachmentSpec& attachment : world_.attachments) {
    const FilterVolume* const volume = VolumeNamed(attachment.volume);
    if (attachment.node != node || volume == nullptr) continue;
    if (volume->source != FilterVolume::Source::kCsi) continue;
    attached.emplace(volume->driver, volume->handle, false);
  }
  std::map<std::string, int64_t> held;
  std::map<std::string, int64_t> fresh;
  for (const auto& [driver, handle, made] : attached) ++held[driver];
  for (const Attached& wanted : AttachedBy(pod, *csi)) {
    if (!attached.contains(wanted)) ++fresh[std::get<0>(wanted)];
  }
  for (const auto& [driver, limit] : csi->drivers) {
    if (limit && fresh[driver] > 0 && held[driver] + fresh[driver] > *limit) return false;
  }
  return true;
}

}  // namespace bth::test
