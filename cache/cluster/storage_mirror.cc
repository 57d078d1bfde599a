#include "cache/cluster/storage_mirror.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::cache {

using model::ClaimFacts;
using model::StorageView;
using model::VolumeFacts;

namespace {

// Rows that differ in nothing but their resource version say the same to cycles.
bool Same(const ClaimFacts& a, const ClaimFacts& b) {
  const auto same_requirement = [](const auto& l, const auto& r) {
    return l.key == r.key && l.op == r.op && l.values == r.values;
  };
  return a.uid == b.uid && a.storage_class == b.storage_class &&
         a.attributes_class == b.attributes_class && a.volume == b.volume &&
         a.selected_node == b.selected_node && a.owner_uid == b.owner_uid && a.bound == b.bound &&
         a.lost == b.lost && a.deleting == b.deleting && a.block == b.block &&
         a.unreadable == b.unreadable && a.states_request == b.states_request &&
         a.modes == b.modes && a.bytes == b.bytes &&
         std::equal(a.selector.begin(), a.selector.end(), b.selector.begin(), b.selector.end(),
                    same_requirement);
}

template <typename Map>
auto FindIn(const Map& map, std::string_view key) -> decltype(map.begin()->second.get()) {
  const auto known = map.find(ToAbsl(key));
  return known == map.end() ? nullptr : known->second.get();
}

void Index(StorageView* view, const std::shared_ptr<const VolumeFacts>& volume) {
  if (!volume->claim.empty()) {
    view->claimed_volumes.Put(StorageView::ClaimedKey(*volume), volume);
  } else if (volume->available && !volume->deleting) {
    view->free_volumes.Put(StorageView::FreeKey(*volume), volume);
  }
}

void Unindex(StorageView* view, const VolumeFacts& volume) {
  if (!volume.claim.empty()) {
    view->claimed_volumes.Erase(StorageView::ClaimedKey(volume));
  } else {
    view->free_volumes.Erase(StorageView::FreeKey(volume));
  }
}

}  // namespace

void StorageMirror::Touch() {
  dirty_ = true;
  news_ = true;
}

void StorageMirror::Put(std::shared_ptr<const ClaimFacts> claim) {
  const std::string key = claim->key;
  std::shared_ptr<const ClaimFacts>& known = claims_[key];
  const bool same = known != nullptr && Same(*known, *claim);
  known = std::move(claim);
  if (!same) ShowClaim(key);
}

void StorageMirror::Put(std::shared_ptr<const VolumeFacts> volume) {
  const std::string name = volume->name;
  volumes_[name] = std::move(volume);
  ShowVolume(name);
}

void StorageMirror::RemoveClaim(const std::string& key) {
  if (claims_.erase(key) > 0) ShowClaim(key);
}

void StorageMirror::RemoveVolume(const std::string& name) {
  if (volumes_.erase(name) > 0) ShowVolume(name);
}

// The row of the claim becomes the object with what is assumed.
void StorageMirror::ShowClaim(const std::string& key) {
  Touch();
  const auto known = claims_.find(key);
  if (known == claims_.end()) {
    now_.claims.Erase(key);
    return;
  }
  const auto assumed = assumed_.find(key);
  const bool to_be_made = assumed != assumed_.end() && assumed->second.volume.empty() &&
                          assumed->second.claim_uid == known->second->uid &&
                          known->second->selected_node.empty();
  if (!to_be_made) {
    now_.claims.Put(key, known->second);
    return;
  }
  auto row = std::make_shared<ClaimFacts>(*known->second);
  row->selected_node = assumed->second.node;
  now_.claims.Put(key, std::move(row));
}

void StorageMirror::ShowVolume(const std::string& name) {
  Touch();
  if (const VolumeFacts* old = now_.volumes.Find(name)) Unindex(&now_, *old);
  const auto known = volumes_.find(name);
  if (known == volumes_.end()) {
    now_.volumes.Erase(name);
    return;
  }
  std::shared_ptr<const VolumeFacts> row = known->second;
  const auto assumed = assumed_volumes_.find(name);
  if (assumed != assumed_volumes_.end() && row->claim_uid.empty()) {
    auto taken = std::make_shared<VolumeFacts>(*row);
    taken->claim = assumed->second;
    taken->claim_uid = assumed_.at(assumed->second).claim_uid;
    row = std::move(taken);
  }
  now_.volumes.Put(name, row);
  Index(&now_, row);
}

void StorageMirror::PutClass(const std::string& name,
                             std::shared_ptr<const model::ClassFacts> facts) {
  Touch();
  now_.classes.Put(name, std::move(facts));
}

void StorageMirror::RemoveClass(const std::string& name) {
  if (now_.classes.Erase(name)) Touch();
}

void StorageMirror::PutCsiNode(const std::string& name,
                               std::shared_ptr<const model::CsiNodeFacts> facts) {
  const model::CsiNodeFacts* known = now_.csi_nodes.Find(name);
  if (known != nullptr && known->limits == facts->limits && known->migrated == facts->migrated) {
    return;
  }
  Touch();
  now_.csi_nodes.Put(name, std::move(facts));
}

void StorageMirror::RemoveCsiNode(const std::string& name) {
  if (now_.csi_nodes.Erase(name)) Touch();
}

void StorageMirror::PutCsiDriver(const std::string& name, bool tracks_capacity) {
  std::map<std::string, bool, std::less<>> drivers;
  if (now_.tracks_capacity != nullptr) drivers = *now_.tracks_capacity;
  Touch();
  drivers[name] = tracks_capacity;
  now_.tracks_capacity = std::make_shared<const decltype(drivers)>(std::move(drivers));
}

void StorageMirror::RemoveCsiDriver(const std::string& name) {
  if (now_.tracks_capacity == nullptr || !now_.tracks_capacity->contains(name)) return;
  Touch();
  auto drivers = std::make_shared<std::map<std::string, bool, std::less<>>>(*now_.tracks_capacity);
  drivers->erase(name);
  now_.tracks_capacity = std::move(drivers);
}

void StorageMirror::PutCapacity(const std::string& key, const std::string& storage_class,
                                std::shared_ptr<const model::CapacityFacts> facts) {
  Touch();
  std::string& in_view = capacity_keys_[key];
  std::string next = StorageView::CapacityKey(storage_class, key);
  if (!in_view.empty() && in_view != next) now_.capacities.Erase(in_view);
  in_view = next;
  now_.capacities.Put(std::move(next), std::move(facts));
}

void StorageMirror::RemoveCapacity(const std::string& key) {
  const auto known = capacity_keys_.find(key);
  if (known == capacity_keys_.end()) return;
  Touch();
  now_.capacities.Erase(known->second);
  capacity_keys_.erase(known);
}

void StorageMirror::PutAttachment(const std::string& name, const std::string& node,
                                  const std::string& volume) {
  if (volume.empty()) return RemoveAttachment(name);  // Of a volume that a pod names itself.
  std::string& in_view = attachment_keys_[name];
  std::string next = StorageView::AttachmentKey(node, name);
  if (in_view == next) {
    const model::AttachmentFacts* known = now_.attachments.Find(next);
    if (known != nullptr && known->volume == volume) return;
  }
  Touch();
  if (!in_view.empty() && in_view != next) now_.attachments.Erase(in_view);
  in_view = next;
  model::AttachmentFacts facts{volume};
  now_.attachments.Put(std::move(next),
                       std::make_shared<const model::AttachmentFacts>(std::move(facts)));
}

void StorageMirror::RemoveAttachment(const std::string& name) {
  const auto known = attachment_keys_.find(name);
  if (known == attachment_keys_.end()) return;
  Touch();
  now_.attachments.Erase(known->second);
  attachment_keys_.erase(known);
}

void StorageMirror::PutMounts(model::NodeId node, std::shared_ptr<const model::NodeMounts> mounts) {
  now_.mounts.EnsureContains(node);
  now_.mounts.Mutable(node) = std::move(mounts);
  published_ = nullptr;
}

absl::Status StorageMirror::Check(const model::VolumePlan::Choice& choice,
                                  const std::string& node) const {
  const ClaimFacts* claim = Claim(choice.claim);
  if (claim == nullptr || claim->uid != choice.claim_uid) {
    return absl::FailedPreconditionError(StrCat("claim ", choice.claim, " is gone"));
  }
  if (const auto assumed = assumed_.find(choice.claim); assumed != assumed_.end()) {
    const bool same = assumed->second.claim_uid == choice.claim_uid &&
                      assumed->second.volume == choice.volume &&
                      (!choice.volume.empty() || assumed->second.node == node);
    if (same) return absl::OkStatus();
    return absl::FailedPreconditionError(
        StrCat("claim ", choice.claim, " is being bound for another pod"));
  }
  if (!claim->volume.empty()) {
    return absl::FailedPreconditionError(StrCat("claim ", choice.claim, " has a volume now"));
  }
  if (choice.volume.empty()) {
    if (claim->selected_node.empty() || claim->selected_node == node) return absl::OkStatus();
    return absl::FailedPreconditionError(
        StrCat("claim ", choice.claim, " waits for a volume on node ", claim->selected_node));
  }
  const VolumeFacts* volume = Volume(choice.volume);
  if (volume == nullptr || volume->uid != choice.volume_uid) {
    return absl::FailedPreconditionError(StrCat("volume ", choice.volume, " is gone"));
  }
  const bool taken = !volume->claim.empty() && !volume->IsClaimedBy(*claim);
  if (taken || assumed_volumes_.contains(choice.volume)) {
    return absl::FailedPreconditionError(
        StrCat("volume ", choice.volume, " was given to another claim"));
  }
  return absl::OkStatus();
}

absl::Status StorageMirror::Assume(const std::string& uid, const model::VolumePlan& plan,
                                   const std::string& node) {
  for (const auto& choice : plan.choices) BTH_RETURN_IF_ERROR(Check(choice, node));
  const bool news = news_;
  for (const auto& choice : plan.choices) {
    AssumedClaim& assumed = assumed_[choice.claim];
    const bool fresh = assumed.pods.empty();
    assumed.pods.push_back(uid);
    claims_of_[uid].push_back(choice.claim);
    if (!fresh) continue;
    assumed.claim_uid = choice.claim_uid;
    assumed.volume = choice.volume;
    assumed.node = node;
    if (choice.volume.empty()) {
      ShowClaim(choice.claim);
    } else {
      assumed_volumes_[choice.volume] = choice.claim;
      ShowVolume(choice.volume);
    }
  }
  news_ = news;
  return absl::OkStatus();
}

void StorageMirror::Forget(const std::string& uid) {
  const auto known = claims_of_.find(uid);
  if (known == claims_of_.end()) return;
  const std::vector<std::string> claims = std::move(known->second);
  claims_of_.erase(known);
  const bool news = news_;
  bool failed = false;
  for (const std::string& claim : claims) {
    const auto assumed = assumed_.find(claim);
    if (assumed == assumed_.end()) continue;
    std::vector<std::string>& pods = assumed->second.pods;
    if (const auto at = std::find(pods.begin(), pods.end(), uid); at != pods.end()) pods.erase(at);
    if (!pods.empty()) continue;
    const std::string volume = assumed->second.volume;
    assumed_.erase(assumed);
    assumed_volumes_.erase(volume);
    const ClaimFacts* object = Claim(claim);
    failed |= object == nullptr || !object->bound;
    if (volume.empty()) {
      ShowClaim(claim);
    } else {
      ShowVolume(volume);
    }
  }
  news_ = news || failed;
}

const ClaimFacts* StorageMirror::Claim(std::string_view key) const {
  return FindIn(claims_, key);
}

const VolumeFacts* StorageMirror::Volume(std::string_view name) const {
  return FindIn(volumes_, name);
}

std::shared_ptr<const StorageView> StorageMirror::Publish() {
  news_ = false;
  if (!dirty_ && published_ != nullptr) return published_;
  ++now_.generation;
  auto view = std::make_shared<StorageView>();
  view->generation = now_.generation;
  view->claims = now_.claims.Share();
  view->volumes = now_.volumes.Share();
  view->free_volumes = now_.free_volumes.Share();
  view->claimed_volumes = now_.claimed_volumes.Share();
  view->classes = now_.classes.Share();
  view->csi_nodes = now_.csi_nodes.Share();
  view->tracks_capacity = now_.tracks_capacity;
  view->capacities = now_.capacities.Share();
  view->attachments = now_.attachments.Share();
  view->mounts = now_.mounts;
  dirty_ = false;
  published_ = std::move(view);
  return published_;
}

}  // namespace bth::cache
