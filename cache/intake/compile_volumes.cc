#include "cache/intake/compile_volumes.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "cache/intake/compile_terms.h"

namespace bth::cache {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

// Labels that say where a volume is, and those that nodes may have instead.
constexpr std::pair<std::string_view, std::string_view> kZoneLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", ""},
    {"topology.kubernetes.io/region", ""},
};

void AddDisks(const types::Volume& volume, std::vector<model::DiskUse>* disks) {
  if (volume.gce_persistent_disk) {
    const auto& disk = *volume.gce_persistent_disk;
    disks->push_back({.kind = "gce-pd", .id = disk.pd_name, .read_only = disk.read_only});
  }
  if (volume.aws_elastic_block_store) {
    // Never shared, not even for reading.
    disks->push_back({.kind = "aws-ebs", .id = volume.aws_elastic_block_store->volume_id});
  }
  if (volume.azure_disk) {
    disks->push_back({.kind = "azure-disk", .id = volume.azure_disk->disk_uri});
  }
  if (volume.cinder) disks->push_back({.kind = "cinder", .id = volume.cinder->volume_id});
  if (volume.portworx_volume) {
    disks->push_back({.kind = "portworx-volume", .id = volume.portworx_volume->volume_id});
  }
  if (volume.iscsi) {
    disks->push_back(
        {.kind = "iscsi", .id = volume.iscsi->iqn, .read_only = volume.iscsi->read_only});
  }
  if (volume.rbd) {
    // The same image behind any common monitor.
    const types::RbdVolumeSource& rbd = *volume.rbd;
    const std::string pool = rbd.pool.empty() ? "rbd" : rbd.pool;
    for (const std::string& monitor : rbd.monitors) {
      disks->push_back({.kind = "rbd",
                        .id = StrCat(monitor, "|", pool, "|", rbd.image),
                        .read_only = rbd.read_only});
    }
  }
}

model::AccessModes ModesOf(const std::vector<std::string>& words) {
  model::AccessModes out = 0;
  for (const std::string& word : words) {
    if (word == "ReadWriteOnce") {
      out |= model::kReadWriteOnce;
    } else if (word == "ReadOnlyMany") {
      out |= model::kReadOnlyMany;
    } else if (word == "ReadWriteMany") {
      out |= model::kReadWriteMany;
    } else if (word == "ReadWriteOncePod") {
      out |= model::kReadWriteOncePod;
    } else {
      out |= model::kOtherAccessMode;
    }
  }
  return out;
}

std::optional<int64_t> StorageIn(const types::ResourceList& list) {
  const types::Quantity* found = list.Find("storage");
  return found == nullptr ? std::nullopt : std::optional(found->Value());
}

std::vector<model::ZoneLabel> ZonesOf(const types::LabelMap& labels, SymbolHold& symbols) {
  std::vector<model::ZoneLabel> out;
  for (const auto& [key, stable] : kZoneLabels) {
    const std::string* value = labels.Find(key);
    if (value == nullptr) continue;
    model::ZoneLabel zone;
    zone.key = symbols.Intern(key);
    if (!stable.empty()) zone.stable_key = symbols.Intern(stable);
    bool readable = true;
    for (const absl::string_view part : absl::StrSplit(*value, "__")) {
      const std::string_view name = ToStd(absl::StripAsciiWhitespace(part));
      readable &= !name.empty();
      zone.values.push_back(symbols.Intern(name));
    }
    if (!readable) continue;  // As if the label were not there.
    std::sort(zone.values.begin(), zone.values.end());
    out.push_back(std::move(zone));
  }
  return out;
}

model::AttachedAs AttachedAsOf(const types::PersistentVolumeSpec& spec) {
  if (spec.csi) return {.plugin = spec.csi->driver, .handle = spec.csi->volume_handle};
  if (spec.gce_persistent_disk) {
    return {.plugin = "kubernetes.io/gce-pd", .handle = spec.gce_persistent_disk->pd_name};
  }
  if (spec.aws_elastic_block_store) {
    return {.plugin = "kubernetes.io/aws-ebs", .handle = spec.aws_elastic_block_store->volume_id};
  }
  if (spec.azure_disk) {
    return {.plugin = "kubernetes.io/azure-disk", .handle = spec.azure_disk->disk_uri};
  }
  if (spec.cinder) return {.plugin = "kubernetes.io/cinder", .handle = spec.cinder->volume_id};
  if (spec.portworx_volume) {
    return {.plugin = "kubernetes.io/portworx-volume", .handle = spec.portworx_volume->volume_id};
  }
  return {};
}

}  // namespace

std::shared_ptr<const model::PodVolumes> CompileVolumes(const types::Pod& pod) {
  auto out = std::make_shared<model::PodVolumes>();
  for (const types::Volume& volume : pod.spec.volumes) {
    if (volume.persistent_volume_claim) {
      out->claims.push_back({.name = volume.persistent_volume_claim->claim_name,
                             .read_only = volume.persistent_volume_claim->read_only});
    } else if (volume.ephemeral) {
      out->claims.push_back({.name = StrCat(pod.meta.name, "-", volume.name), .ephemeral = true});
    } else {
      AddDisks(volume, &out->disks);
    }
  }
  if (out->claims.empty() && out->disks.empty()) return nullptr;
  out->ns = pod.meta.ns;
  return out;
}

std::string KeyOf(const model::PodVolumes& volumes) {
  std::string key = volumes.ns;
  for (const model::ClaimUse& claim : volumes.claims) {
    StrAppend(&key, "|", claim.ephemeral ? "e" : "c", claim.read_only ? "r:" : ":", claim.name);
  }
  for (const model::DiskUse& disk : volumes.disks) {
    StrAppend(&key, "|", disk.kind, disk.read_only ? "r" : "", disk.id.size(), ":", disk.id);
  }
  return key;
}

std::shared_ptr<model::ClaimFacts> Compile(const types::PersistentVolumeClaim& claim,
                                           Interner& interner) {
  auto out = std::make_shared<model::ClaimFacts>();
  const auto hold = std::make_shared<SymbolHold>(interner);
  out->symbols = hold;
  SymbolHold& symbols = *hold;
  const types::ObjectMeta& meta = claim.meta;
  out->key = meta.Key();
  out->name = meta.name;
  out->uid = meta.uid;
  out->resource_version = meta.resource_version;
  const std::string_view old_class = meta.Annotation(kClassAnnotation);
  out->storage_class =
      old_class.empty() ? claim.spec.storage_class_name.value_or("") : std::string(old_class);
  out->attributes_class = claim.spec.volume_attributes_class_name;
  out->volume = claim.spec.volume_name;
  out->selected_node = std::string(meta.Annotation(kSelectedNode));
  if (const types::OwnerReference* owner = meta.Controller()) out->owner_uid = owner->uid;
  out->bound = !out->volume.empty() && meta.annotations.Find(kBindCompleted) != nullptr;
  out->lost = claim.status.phase == "Lost";
  out->deleting = meta.deletion_time.has_value();
  out->block = claim.spec.volume_mode == "Block";
  out->modes = ModesOf(claim.spec.access_modes);
  const std::optional<int64_t> bytes = StorageIn(claim.spec.requests);
  out->states_request = bytes.has_value();
  out->bytes = bytes.value_or(0);
  if (claim.spec.selector) {
    auto selector = CompileRequirements(*claim.spec.selector, symbols);
    out->unreadable = !selector.has_value();
    if (selector) out->selector = *std::move(selector);
  }
  return out;
}

std::shared_ptr<model::VolumeFacts> Compile(const types::PersistentVolume& volume,
                                            Interner& interner) {
  auto out = std::make_shared<model::VolumeFacts>();
  const auto hold = std::make_shared<SymbolHold>(interner);
  out->symbols = hold;
  SymbolHold& symbols = *hold;
  const types::ObjectMeta& meta = volume.meta;
  const types::PersistentVolumeSpec& spec = volume.spec;
  out->name = meta.name;
  out->uid = meta.uid;
  out->resource_version = meta.resource_version;
  const std::string_view old_class = meta.Annotation(kClassAnnotation);
  out->storage_class = old_class.empty() ? spec.storage_class_name : std::string(old_class);
  out->attributes_class = spec.volume_attributes_class_name;
  if (spec.claim_ref) {
    out->claim = StrCat(spec.claim_ref->ns, "/", spec.claim_ref->name);
    out->claim_uid = spec.claim_ref->uid;
  }
  out->available = volume.phase == "Available";
  out->deleting = meta.deletion_time.has_value();
  out->block = spec.volume_mode == "Block";
  out->modes = ModesOf(spec.access_modes);
  out->bytes = StorageIn(spec.capacity).value_or(0);
  for (const auto& [key, value] : meta.labels) {
    out->labels.emplace_back(symbols.Intern(key), symbols.Intern(value));
  }
  std::sort(out->labels.begin(), out->labels.end());
  if (spec.required_node_affinity) {
    out->anywhere = false;
    for (const auto& term : spec.required_node_affinity->terms) {
      out->node_terms.push_back(CompileTerm(term, symbols));
    }
  }
  out->zones = ZonesOf(meta.labels, symbols);
  if (!out->zones.empty()) {
    for (const auto& [key, stable] : kZoneLabels) out->zone_keys.push_back(symbols.Intern(key));
  }
  out->attached = AttachedAsOf(spec);
  return out;
}

std::shared_ptr<model::ClassFacts> Compile(const types::StorageClass& storage_class,
                                           Interner& interner) {
  auto out = std::make_shared<model::ClassFacts>();
  const auto hold = std::make_shared<SymbolHold>(interner);
  out->symbols = hold;
  SymbolHold& symbols = *hold;
  out->provisioner = storage_class.provisioner;
  out->waits = storage_class.volume_binding_mode == "WaitForFirstConsumer";
  for (const types::TopologySelectorTerm& term : storage_class.allowed_topologies) {
    model::NodeTerm& compiled = out->topologies.emplace_back();
    compiled.never = term.match_label_expressions.empty();
    for (const types::TopologyLabelRequirement& r : term.match_label_expressions) {
      const types::Requirement in{.key = r.key, .op = types::SelectorOp::kIn, .values = r.values};
      compiled.labels.push_back(CompileRequirement(in, symbols));
    }
  }
  return out;
}

std::shared_ptr<model::CsiNodeFacts> Compile(const types::CsiNode& node) {
  auto out = std::make_shared<model::CsiNodeFacts>();
  for (const types::CsiNodeDriver& driver : node.drivers) {
    if (driver.allocatable_count) out->limits.emplace_back(driver.name, *driver.allocatable_count);
  }
  const std::string_view migrated = node.meta.Annotation(kMigratedPlugins);
  for (const absl::string_view plugin : SplitText(migrated, ',', absl::SkipEmpty())) {
    out->migrated.emplace_back(absl::StripAsciiWhitespace(plugin));
  }
  std::sort(out->migrated.begin(), out->migrated.end());
  return out;
}

std::shared_ptr<model::CapacityFacts> Compile(const types::CsiStorageCapacity& capacity,
                                              Interner& interner) {
  auto out = std::make_shared<model::CapacityFacts>();
  const auto hold = std::make_shared<SymbolHold>(interner);
  out->symbols = hold;
  SymbolHold& symbols = *hold;
  const auto& limit =
      capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
  if (limit) out->bytes = limit->Value();
  if (capacity.capacity) out->left = capacity.capacity->Value();
  if (capacity.node_topology) {
    if (auto labels = CompileRequirements(*capacity.node_topology, symbols)) {
      out->topology.emplace().labels = *std::move(labels);
    }
  }
  return out;
}

}  // namespace bth::cache
