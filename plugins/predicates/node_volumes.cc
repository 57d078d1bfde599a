#include "plugins/predicates/node_volumes.h"

#include <algorithm>
#include <iterator>

#include "base/row_at.h"
#include "base/strings.h"
#include "plugins/predicates/volume_book.h"

namespace bth::plugins::predicates {

using model::ClaimFacts;
using model::CsiNodeFacts;
using model::NodeId;
using model::PodVolumes;
using model::StorageView;
using model::TaskId;
using model::VolumeFacts;

namespace {

// In-tree plugins and the CSI drivers that took over from them.
struct Successor {
  std::string_view plugin;
  std::string_view driver;
};
constexpr Successor kSuccessors[] = {
    {"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
    {"kubernetes.io/azure-disk", "disk.csi.azure.com"},
    {"kubernetes.io/cinder", "cinder.csi.openstack.org"},
    {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
    {"kubernetes.io/portworx-volume", "pxd.portworx.com"},
};

const Successor* SuccessorOf(std::string_view plugin) {
  for (const Successor& entry : kSuccessors) {
    if (entry.plugin == plugin) return &entry;
  }
  return nullptr;
}

bool IsMigrated(const CsiNodeFacts& node, std::string_view plugin) {
  return std::binary_search(node.migrated.begin(), node.migrated.end(), plugin);
}

// The driver that attaches what is of `plugin`; empty: nothing that is counted.
std::string_view DriverOf(std::string_view plugin, const CsiNodeFacts& node) {
  const Successor* successor = SuccessorOf(plugin);
  if (successor == nullptr) return plugin;
  return IsMigrated(node, plugin) ? successor->driver : std::string_view();
}

// Kinds of which kube-scheduler lets pods of a node share a disk; they only count as attached.
constexpr std::string_view kSharedKinds[] = {"azure-disk", "cinder", "portworx-volume"};

bool Clash(const model::DiskUse& a, const model::DiskUse& b) {
  return a.kind == b.kind && a.id == b.id && !(a.read_only && b.read_only) &&
         std::find(std::begin(kSharedKinds), std::end(kSharedKinds), a.kind) ==
             std::end(kSharedKinds);
}

}  // namespace

NodeVolumes::NodeVolumes(const framework::Session& session)
    : session_(session), view_(StorageOf(session.base())) {}

const PodVolumes* NodeVolumes::VolumesOf(TaskId task) const {
  return session_.base().constraints_of(session_.task(task).shape).volumes.get();
}

void NodeVolumes::Place(TaskId task, NodeId node) {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr || !node.valid()) return;
  const absl::MutexLock lock(&mutex_);
  if (users_known_) CountExclusive(*volumes, +1);
  if (removed_.erase(task) > 0) return;
  placed_on_[node].push_back(task);
}

void NodeVolumes::Remove(TaskId task, NodeId node) {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr) return;
  const absl::MutexLock lock(&mutex_);
  if (users_known_) CountExclusive(*volumes, -1);
  const auto there = placed_on_.find(node);
  if (there == placed_on_.end() || std::erase(there->second, task) == 0) {
    removed_.insert(task);
    return;
  }
  if (there->second.empty()) placed_on_.erase(there);
}

// Pods with volumes that are on the node now.
template <typename Visit>
void NodeVolumes::VisitTasks(NodeId node, const Visit& visit) const {
  if (view_.mounts.Contains(node) && view_.mounts[node] != nullptr) {
    for (TaskId task : view_.mounts[node]->tasks) {
      if (!removed_.contains(task)) visit(*VolumesOf(task));
    }
  }
  const auto placed = placed_on_.find(node);
  if (placed == placed_on_.end()) return;
  for (TaskId task : placed->second) visit(*VolumesOf(task));
}

void NodeVolumes::AddClaim(const ClaimFacts& claim, const CsiNodeFacts& node,
                           AttachedSet* out) const {
  const VolumeFacts* volume = claim.volume.empty() ? nullptr : view_.volumes.Find(claim.volume);
  if (volume != nullptr) {
    const std::string_view driver = DriverOf(volume->attached.plugin, node);
    if (!driver.empty()) out->insert({driver, volume->attached.handle, false});
    return;
  }
  const model::ClassFacts* storage_class = view_.classes.Find(claim.storage_class);
  if (storage_class == nullptr) return;
  const std::string_view driver = DriverOf(storage_class->provisioner, node);
  if (!driver.empty()) out->insert({driver, claim.key, true});
}

void NodeVolumes::AddAttached(const PodVolumes& volumes, const CsiNodeFacts& node,
                              AttachedSet* out) const {
  for (const model::ClaimUse& use : volumes.claims) {
    const ClaimFacts* claim = view_.claims.Find(StrCat(volumes.ns, "/", use.name));
    if (claim != nullptr) AddClaim(*claim, node, out);
  }
  for (const model::DiskUse& disk : volumes.disks) {
    const Successor* successor = SuccessorOf(StrCat("kubernetes.io/", disk.kind));
    if (successor == nullptr || !IsMigrated(node, successor->plugin)) continue;
    out->insert({successor->driver, disk.id, false});
  }
}

// Whether a limit is near enough to count exactly. Every volume named counts as one of each driver.
bool NodeVolumes::MayReachLimit(const PodVolumes& volumes, const CsiNodeFacts& csi,
                                NodeId node) const {
  auto most = static_cast<int64_t>(volumes.claims.size() + volumes.disks.size());
  if (view_.mounts.Contains(node) && view_.mounts[node] != nullptr) {
    most += view_.mounts[node]->volumes;
  }
  if (const auto placed = placed_on_.find(node); placed != placed_on_.end()) {
    for (TaskId task : placed->second) {
      const PodVolumes& other = *VolumesOf(task);
      most += static_cast<int64_t>(other.claims.size() + other.disks.size());
    }
  }
  if (!view_.attachments.empty()) {
    view_.attachments.VisitPrefix(StorageView::AttachmentPrefix(session_.node(node).name),
                                  [&most](const model::AttachmentFacts&) { return ++most > 0; });
  }
  return std::any_of(csi.limits.begin(), csi.limits.end(),
                     [most](const auto& limit) { return most > limit.second; });
}

const CsiNodeFacts* NodeVolumes::CsiOf(NodeId node) const {
  const absl::MutexLock lock(&mutex_);
  if (csi_.empty()) {
    csi_.resize(session_.base().nodes.size());
    for (NodeId ready : *session_.base().nodes_by_name) {
      RowAt(csi_, ready) = view_.csi_nodes.Find(session_.node(ready).name);
    }
  }
  return RowAt(csi_, node);
}

bool NodeVolumes::WithinLimits(TaskId task, NodeId node) const {
  if (view_.csi_nodes.empty()) return true;
  const PodVolumes* volumes = VolumesOf(task);
  const CsiNodeFacts* csi = CsiOf(node);
  if (csi == nullptr || csi->limits.empty() || !MayReachLimit(*volumes, *csi, node)) return true;
  AttachedSet wanted;
  AddAttached(*volumes, *csi, &wanted);
  if (wanted.empty()) return true;
  AttachedSet attached;
  VisitTasks(node, [&](const PodVolumes& other) { AddAttached(other, *csi, &attached); });
  view_.attachments.VisitPrefix(StorageView::AttachmentPrefix(session_.node(node).name),
                                [&](const model::AttachmentFacts& attachment) {
                                  const VolumeFacts* volume = view_.volumes.Find(attachment.volume);
                                  if (volume == nullptr) return true;
                                  const model::AttachedAs& as = volume->attached;
                                  if (!as.plugin.empty() && SuccessorOf(as.plugin) == nullptr)
                                    attached.insert({as.plugin, as.handle, false});
                                  return true;
                                });
  for (const auto& [driver, limit] : csi->limits) {
    const auto of_driver = [name = std::string_view(driver)](const Attached& a) {
      return std::get<0>(a) == name;
    };
    int64_t fresh = 0;
    for (const Attached& a : wanted) fresh += of_driver(a) && !attached.contains(a);
    if (fresh == 0) continue;
    if (std::count_if(attached.begin(), attached.end(), of_driver) + fresh > limit) return false;
  }
  return true;
}

bool NodeVolumes::DisksClash(TaskId task, NodeId node) const {
  const PodVolumes& wanted = *VolumesOf(task);
  if (wanted.disks.empty()) return false;
  bool clash = false;
  VisitTasks(node, [&](const PodVolumes& other) {
    for (const model::DiskUse& mine : wanted.disks) {
      clash |= std::any_of(other.disks.begin(), other.disks.end(),
                           [&mine](const model::DiskUse& theirs) { return Clash(mine, theirs); });
    }
  });
  return clash;
}

void NodeVolumes::CountExclusive(const PodVolumes& volumes, int32_t sign) const {
  for (const model::ClaimUse& use : volumes.claims) {
    const ClaimFacts* claim = view_.claims.Find(StrCat(volumes.ns, "/", use.name));
    if (claim == nullptr || (claim->modes & model::kReadWriteOncePod) == 0) continue;
    int32_t& users = users_[claim];
    users += sign;
    if (users == 0) users_.erase(claim);
  }
}

bool NodeVolumes::AnyInUse(const std::vector<const ClaimFacts*>& exclusive) const {
  if (exclusive.empty()) return false;
  const absl::MutexLock lock(&mutex_);
  if (!users_known_) {
    users_known_ = true;
    for (NodeId node : view_.mounts.ids()) {
      if (view_.mounts[node] == nullptr) continue;
      for (TaskId task : view_.mounts[node]->tasks) {
        if (!removed_.contains(task)) CountExclusive(*VolumesOf(task), +1);
      }
    }
    for (const auto& [node, tasks] : placed_on_) {
      for (TaskId task : tasks) CountExclusive(*VolumesOf(task), +1);
    }
  }
  return std::any_of(exclusive.begin(), exclusive.end(),
                     [this](const ClaimFacts* claim) { return users_.contains(claim); });
}

}  // namespace bth::plugins::predicates
