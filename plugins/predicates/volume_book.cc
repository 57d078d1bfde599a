#include "plugins/predicates/volume_book.h"

#include <algorithm>

#include "base/digest.h"
#include "base/strings.h"

namespace bth::plugins::predicates {

using model::ClaimFacts;
using model::ClaimUse;
using model::NodeId;
using model::PodVolumes;
using model::StorageView;
using model::TaskId;
using model::VolumeFacts;

struct VolumeBook::Resolved {
  uint64_t version = 0;
  PodClaims claims;
};

const StorageView& StorageOf(const model::Snapshot& base) {
  static const auto* const kNone = new StorageView();
  return base.storage == nullptr ? *kNone : *base.storage;
}

VolumeBook::VolumeBook(const framework::Session& session, absl::Duration bind_timeout)
    : session_(session),
      view_(StorageOf(session.base())),
      bind_timeout_(bind_timeout),
      lists_(view_) {}

VolumeBook::~VolumeBook() = default;

const PodVolumes* VolumeBook::VolumesOf(TaskId task) const {
  return session_.base().constraints_of(session_.task(task).shape).volumes.get();
}

std::string VolumeBook::WhyNowhere(TaskId task) const {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr) return "";
  bool unbound = false;
  for (const ClaimUse& use : volumes->claims) {
    const ClaimFacts* claim = view_.claims.Find(StrCat(volumes->ns, "/", use.name));
    const auto named = [&](const char* what) {
      return StrCat("persistentvolumeclaim \"", use.name, "\" ", what);
    };
    if (claim == nullptr) {
      return use.ephemeral ? StrCat("waiting for ephemeral volume controller to create the ",
                                    "persistentvolumeclaim \"", use.name, "\"")
                           : named("not found");
    }
    if (claim->lost) {
      return StrCat(named("bound to non-existent persistentvolume"), " \"", claim->volume, "\"");
    }
    if (claim->deleting) return named("is being deleted");
    const model::TaskNames& names = *session_.task(task).names;
    if (use.ephemeral && claim->owner_uid != names.uid) {
      return StrCat("PVC ", claim->key, " was not created for pod ", names.Key(),
                    " (pod is not owner)");
    }
    if (claim->bound) continue;
    const model::ClassFacts* storage_class =
        claim->storage_class.empty() ? nullptr : view_.classes.Find(claim->storage_class);
    const bool delayed = storage_class != nullptr && storage_class->waits && claim->volume.empty();
    unbound |= !delayed;
  }
  return unbound ? "pod has unbound immediate PersistentVolumeClaims" : "";
}

void VolumeBook::AddPending(const ClaimFacts& claim, PodClaims* out) const {
  PendingClaim pending;
  pending.claim = &claim;
  pending.selected_node = claim.selected_node;
  pending.storage_class = view_.classes.Find(claim.storage_class);
  if (const auto hold = holds_.find(&claim); hold != holds_.end()) {
    if (hold->second.volume != nullptr) {
      pending.reserved.push_back(hold->second.volume);
      pending.settled = true;
    } else {
      pending.selected_node = session_.node(hold->second.node).name;
    }
  }
  if (pending.selected_node.empty() && pending.reserved.empty()) {
    view_.claimed_volumes.VisitPrefix(
        StorageView::ClaimedPrefix(claim.key), [&](const VolumeFacts& volume) {
          const bool ours = volume.IsClaimedBy(claim) && !taken_.contains(&volume) &&
                            volume.storage_class == claim.storage_class;
          if (!ours || !Serves(volume, claim)) return true;
          pending.reserved.push_back(&volume);
          pending.settled |= !volume.claim_uid.empty();
          return true;
        });
    pending.candidates = lists_.CandidatesFor(claim);
    pending.candidates_skip = pending.candidates->index.FirstAnywhere(
        0, [&](size_t number) { return !taken_.contains(pending.candidates->volumes[number]); });
  }
  const model::ClassFacts* storage_class = pending.storage_class;
  if (storage_class != nullptr && claim.states_request &&
      view_.TracksCapacity(storage_class->provisioner)) {
    pending.capacities = lists_.CapacitiesOf(claim.storage_class);
  }
  out->pending.push_back(std::move(pending));
}

const PodClaims& VolumeBook::ClaimsOf(TaskId task) const {
  const model::ConstraintsId id = session_.shape(session_.task(task).shape).constraints;
  const absl::MutexLock lock(&mutex_);
  std::unique_ptr<Resolved>& entry = resolved_[id];
  if (entry == nullptr) entry = std::make_unique<Resolved>();
  if (entry->version == version_) return entry->claims;
  entry->version = version_;
  entry->claims = PodClaims();
  const PodVolumes& volumes = *VolumesOf(task);
  std::vector<const ClaimFacts*> pending;
  for (const ClaimUse& use : volumes.claims) {
    const ClaimFacts* claim = view_.claims.Find(StrCat(volumes.ns, "/", use.name));
    if (claim == nullptr) continue;  // WhyNowhere tells.
    if ((claim->modes & model::kReadWriteOncePod) != 0) entry->claims.exclusive.push_back(claim);
    if (!use.ephemeral && !claim->volume.empty()) {
      const VolumeFacts* volume = view_.volumes.Find(claim->volume);
      if (volume != nullptr && !volume->zones.empty()) entry->claims.zoned.push_back(volume);
    }
    if (!claim->bound) {
      if (std::find(pending.begin(), pending.end(), claim) == pending.end()) {
        pending.push_back(claim);
      }
    } else if (const VolumeFacts* volume = view_.volumes.Find(claim->volume); volume != nullptr) {
      entry->claims.bound.push_back(volume);
    } else {
      entry->claims.missing = true;
    }
  }
  std::stable_sort(pending.begin(), pending.end(),
                   [](const ClaimFacts* a, const ClaimFacts* b) { return a->bytes < b->bytes; });
  for (const ClaimFacts* claim : pending) AddPending(*claim, &entry->claims);
  return entry->claims;
}

ClaimFit VolumeBook::Fit(TaskId task, NodeId node) const {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr || volumes->claims.empty()) return ClaimFit::kFits;
  ChosenVolumes chosen;
  return FitClaims(ClaimsOf(task), session_.node(node), taken_, &chosen);
}

bool VolumeBook::ChoosesVolumes(TaskId task) const {
  const PodVolumes* volumes = VolumesOf(task);
  return volumes != nullptr && !volumes->claims.empty() && !ClaimsOf(task).pending.empty();
}

int64_t VolumeBook::ScoreOf(TaskId task, NodeId node, const ScoreShape& shape) const {
  const PodClaims& claims = ClaimsOf(task);
  ChosenVolumes chosen;
  if (FitClaims(claims, session_.node(node), taken_, &chosen) != ClaimFit::kFits) return 0;
  return CapacityScore(claims, chosen, session_.node(node), shape);
}

void VolumeBook::Place(TaskId task, NodeId node) {
  const PodVolumes* volumes = VolumesOf(task);
  if (volumes == nullptr || volumes->claims.empty() || !node.valid()) return;
  ChosenVolumes chosen;
  const PodClaims& claims = ClaimsOf(task);
  if (claims.pending.empty()) return;
  if (FitClaims(claims, session_.node(node), taken_, &chosen) != ClaimFit::kFits) return;
  ++version_;
  for (const ChosenVolume& choice : chosen) {
    Hold& hold = holds_[choice.claim];
    ++hold.tasks;
    hold.volume = choice.volume;
    hold.node = node;
    if (choice.volume != nullptr) ++taken_[choice.volume];
  }
  placed_[task] = std::move(chosen);
}

void VolumeBook::Remove(TaskId task) {
  const auto placed = placed_.find(task);
  if (placed == placed_.end()) return;
  ++version_;
  for (const ChosenVolume& choice : placed->second) {
    const auto hold = holds_.find(choice.claim);
    if (--hold->second.tasks == 0) holds_.erase(hold);
    if (choice.volume == nullptr) continue;
    const auto taken = taken_.find(choice.volume);
    if (--taken->second == 0) taken_.erase(taken);
  }
  placed_.erase(placed);
}

std::shared_ptr<const model::VolumePlan> VolumeBook::PlanOf(TaskId task) const {
  const auto placed = placed_.find(task);
  if (placed == placed_.end()) return nullptr;
  auto plan = std::make_shared<model::VolumePlan>();
  plan->timeout = bind_timeout_;
  for (const ChosenVolume& choice : placed->second) {
    model::VolumePlan::Choice& out = plan->choices.emplace_back();
    out.claim = choice.claim->key;
    out.claim_uid = choice.claim->uid;
    if (choice.volume == nullptr) continue;
    out.volume = choice.volume->name;
    out.volume_uid = choice.volume->uid;
  }
  return plan;
}

uint64_t VolumeBook::DigestOf() const {
  std::vector<uint64_t> parts;  // Of each task; in no order that matters.
  for (const auto& [task, chosen] : placed_) {
    Digest digest;
    digest.Add(task.value());
    for (const ChosenVolume& choice : chosen) {
      const Hold& hold = holds_.at(choice.claim);
      digest.Add(choice.claim->key);
      digest.Add(choice.volume == nullptr ? "" : choice.volume->name);
      digest.Add(static_cast<uint64_t>(hold.tasks));
    }
    parts.push_back(digest.value());
  }
  std::sort(parts.begin(), parts.end());
  Digest digest;
  for (uint64_t part : parts) digest.Add(part);
  digest.Add(holds_.size());
  digest.Add(taken_.size());
  return digest.value();
}

}  // namespace bth::plugins::predicates
