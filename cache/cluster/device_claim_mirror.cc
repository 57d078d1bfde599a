#include "cache/cluster/device_claim_mirror.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/object_key.h"

namespace bth::cache {

using model::AllocationFacts;
using model::CapacityAmount;
using model::DeviceClaimFacts;
using model::DeviceClaimsView;
using model::DeviceUseFacts;

namespace {

// Versions of one kind count up (KEP-5504); 0: not known.
uint64_t NumberOf(const std::string& version) {
  uint64_t out = 0;
  return SimpleAtoi(version, &out) ? out : 0;
}

bool SameAllocation(const AllocationFacts* a, const AllocationFacts* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->devices == b->devices;
}

// Rows that differ in nothing but their resource version say the same to cycles.
bool Same(const DeviceClaimFacts& a, const DeviceClaimFacts& b) {
  const auto users = [](std::vector<std::string> uids) {
    std::sort(uids.begin(), uids.end());
    return uids;
  };
  return a.uid == b.uid && a.owner_uid == b.owner_uid && a.deleting == b.deleting &&
         a.fault == b.fault && a.conditions == b.conditions &&
         SameAllocation(a.allocation.get(), b.allocation.get()) &&
         users(a.reserved_for) == users(b.reserved_for);
}

// Saturates: no device has that much.
void AddAmounts(const std::vector<CapacityAmount>& amounts, int sign,
                std::vector<CapacityAmount>* sums) {
  for (const CapacityAmount& amount : amounts) {
    auto at = std::find_if(sums->begin(), sums->end(),
                           [&](const CapacityAmount& sum) { return sum.name == amount.name; });
    if (at == sums->end()) {
      sums->push_back({.name = amount.name, .milli = 0, .binary = amount.binary});
      at = sums->end() - 1;
    }
    if (__builtin_add_overflow(at->milli, sign * amount.milli, &at->milli)) at->milli = INT64_MAX;
  }
}

std::string KeyAsMade(const DeviceClaimFacts& claim) {
  return StrCat(SplitKey(claim.key).first, "/", claim.owner_uid, "/", claim.name);
}

}  // namespace

void DeviceClaimMirror::GoOnAfter(const DeviceClaimMirror& other) {
  tests_.GoOnAfter(other.tests_);
  pool_serials_ = other.pool_serials_;
  now_.generation = other.now_.generation;
}

void DeviceClaimMirror::Touch() {
  dirty_ = true;
  news_ = true;
  offers_more_ = true;
  ++offers_;
}

void DeviceClaimMirror::Put(std::shared_ptr<const DeviceClaimFacts> claim) {
  const std::string key = claim->key;
  if (claim->allocation != nullptr) DropMadeAs(key, *claim);
  claims_[key] = std::move(claim);
  DropShown(key);
  ShowClaim(key);
}

void DeviceClaimMirror::DropMade(const std::string& uid) {
  const auto known = made_.find(uid);
  if (known == made_.end()) return;
  Count(*known->second.allocation, -1);
  if (known->second.returning) CountReturning(uid, -1);
  made_.erase(known);
  dirty_ = true;
  offers_more_ = true;
}

void DeviceClaimMirror::DropMadeAs(const std::string& key, const DeviceClaimFacts& claim) {
  if (!claim.for_extended) return;
  const auto known = made_.find(claim.owner_uid);
  if (known != made_.end() && known->second.key == key) DropMade(claim.owner_uid);
}

void DeviceClaimMirror::NoteMade(const std::string& uid, const std::string& key) {
  const auto known = made_.find(uid);
  if (known != made_.end()) known->second.key = key;
}

void DeviceClaimMirror::RemoveClaim(const std::string& key) {
  if (claims_.erase(key) == 0) return;
  DropShown(key);
  ShowClaim(key);
}

// What ended, and shows in the object, is no more assumed.
void DeviceClaimMirror::DropShown(const std::string& key) {
  const auto assumed = assumed_.find(key);
  if (assumed == assumed_.end()) return;
  const DeviceClaimFacts* claim = Claim(key);
  const bool same = claim != nullptr && claim->uid == assumed->second.claim_uid;
  const uint64_t version = same ? NumberOf(claim->resource_version) : 0;
  std::erase_if(assumed->second.pods, [&](const AssumedPod& pod) {
    const bool shown = pod.ended && (!same || version == 0 || version >= pod.written);
    if (shown && pod.returning) CountReturning(pod.uid, -1);
    return shown;
  });
  if (assumed->second.pods.empty()) assumed_.erase(assumed);
}

void DeviceClaimMirror::CountReturning(const std::string& uid, int sign) {
  const auto [row, fresh] = returning_.try_emplace(uid);
  row->second += sign;
  const bool resolved = row->second == 0;
  if (resolved) returning_.erase(row);
  if (!fresh && !resolved) return;
  returning_changed_ = true;
  dirty_ = true;
  news_ = true;
  offers_more_ = true;
}

// The row of the claim becomes the object with what is assumed.
void DeviceClaimMirror::ShowClaim(const std::string& key) {
  const DeviceClaimFacts* old = now_.claims.Find(key);
  const std::shared_ptr<const DeviceClaimFacts> row = RowOf(key);
  if (old == nullptr && row == nullptr) return;
  dirty_ = true;
  if (old == nullptr || row == nullptr || !Same(*old, *row)) {
    news_ = true;
    changed_now_.insert(key);
  }
  const AllocationFacts* had = old == nullptr ? nullptr : old->allocation.get();
  const AllocationFacts* has = row == nullptr ? nullptr : row->allocation.get();
  const bool moves = !SameAllocation(had, has);
  if (moves && had != nullptr) {
    offers_more_ = true;
    Count(*had, -1);
  }
  if (moves && has != nullptr) Count(*has, 1);
  ShowLeaving(key, LeavingOf(key, row.get()));
  if (old != nullptr && old->for_extended) now_.for_extended.Erase(KeyAsMade(*old));
  if (row != nullptr && row->for_extended) now_.for_extended.Put(KeyAsMade(*row), row);
  if (row == nullptr) {
    DropMadeAs(key, *old);
    now_.claims.Erase(key);
  } else {
    now_.claims.Put(key, row);
  }
}

std::shared_ptr<const DeviceClaimFacts> DeviceClaimMirror::RowOf(const std::string& key) const {
  const auto known = claims_.find(key);
  if (known == claims_.end()) return nullptr;
  std::shared_ptr<const DeviceClaimFacts> row = known->second;
  const auto assumed = assumed_.find(key);
  if (assumed != assumed_.end() && assumed->second.claim_uid == row->uid) {
    auto shown = std::make_shared<DeviceClaimFacts>(*row);
    if (assumed->second.allocation != nullptr) shown->allocation = assumed->second.allocation;
    for (const AssumedPod& pod : assumed->second.pods) {
      if (!shown->IsReservedFor(pod.uid)) shown->reserved_for.push_back(pod.uid);
    }
    row = std::move(shown);
  }
  return row;
}

DeviceClaimMirror::Allocation DeviceClaimMirror::LeavingOf(const std::string& key,
                                                           const DeviceClaimFacts* row) const {
  const auto known = claims_.find(key);
  if (known == claims_.end() || row == nullptr) return nullptr;
  const Allocation& has = known->second->allocation;
  return SameAllocation(has.get(), row->allocation.get()) ? nullptr : has;
}

void DeviceClaimMirror::ShowLeaving(const std::string& key, Allocation leaving) {
  const auto known = leaving_.find(key);
  const Allocation had = known == leaving_.end() ? nullptr : known->second;
  if (SameAllocation(had.get(), leaving.get())) return;
  if (had != nullptr) {
    Count(*had, -1);
    leaving_.erase(known);
    offers_more_ = true;
    news_ = true;
  }
  if (leaving == nullptr) return;
  Count(*leaving, 1);
  leaving_[key] = std::move(leaving);
}

int32_t DeviceClaimMirror::UsesOf(const std::string& key, const std::string& device) const {
  const auto uses = [&device](const AllocationFacts* allocation) {
    if (allocation == nullptr) return ptrdiff_t{0};
    return std::count_if(allocation->devices.begin(), allocation->devices.end(),
                         [&](const auto& had) { return !had.admin && had.Key() == device; });
  };
  const DeviceClaimFacts* shown = now_.claims.Find(key);
  const auto leaving = leaving_.find(key);
  return static_cast<int32_t>(uses(shown == nullptr ? nullptr : shown->allocation.get()) +
                              uses(leaving == leaving_.end() ? nullptr : leaving->second.get()));
}

void DeviceClaimMirror::Count(const AllocationFacts& allocation, int sign) {
  for (const model::AllocatedDeviceFacts& device : allocation.devices) {
    if (device.admin) continue;
    const std::string key = device.Key();
    auto row = std::make_shared<DeviceUseFacts>();
    if (const DeviceUseFacts* old = now_.in_use.Find(key); old != nullptr) *row = *old;
    row->claims += sign;
    AddAmounts(device.consumed, sign, &row->consumed);
    if (row->claims <= 0) {
      now_.in_use.Erase(key);
    } else {
      now_.in_use.Put(key, std::move(row));
    }
  }
}

absl::Status DeviceClaimMirror::CheckDevices(const model::ClaimPlan::Claim& choice) const {
  for (const model::AllocatedDeviceFacts& device : choice.allocation->devices) {
    if (device.admin || !device.share_id.empty()) continue;
    const std::string key = device.Key();
    const DeviceUseFacts* use = now_.in_use.Find(key);
    // What the claim itself had before, it gives back.
    if (use == nullptr || use->claims <= UsesOf(choice.key, key)) continue;
    return absl::FailedPreconditionError(
        StrCat("device ", key, " was given to another claim than ", choice.key));
  }
  return absl::OkStatus();
}

absl::Status DeviceClaimMirror::CheckClaim(const std::string& uid,
                                           const model::ClaimPlan::Claim& choice) const {
  const DeviceClaimFacts* claim = Claim(choice.key);
  if (claim == nullptr || claim->uid != choice.uid || claim->deleting) {
    return absl::FailedPreconditionError(StrCat("claim ", choice.key, " is gone"));
  }
  const DeviceClaimFacts* shown = now_.claims.Find(choice.key);
  if (!shown->IsReservedFor(uid) && shown->reserved_for.size() >= model::kClaimConsumersMax) {
    return absl::FailedPreconditionError(StrCat("claim ", choice.key, " has too many users"));
  }
  if (choice.allocation == nullptr) {
    if (shown->allocation != nullptr) return absl::OkStatus();
    return absl::FailedPreconditionError(StrCat("claim ", choice.key, " lost its devices"));
  }
  if (shown->allocation == nullptr) return CheckDevices(choice);
  if (SameAllocation(shown->allocation.get(), choice.allocation.get())) return absl::OkStatus();
  if (!shown->IsFreeFor(uid)) {
    return absl::FailedPreconditionError(
        StrCat("claim ", choice.key, " was allocated for another pod"));
  }
  return CheckDevices(choice);
}

absl::Status DeviceClaimMirror::Assume(const std::string& uid, const model::ClaimPlan& plan) {
  const bool news = news_;
  absl::Status status;
  if (!plan.why_not.empty()) return absl::FailedPreconditionError(plan.why_not);
  if (returning_.contains(uid)) {
    return absl::FailedPreconditionError(
        StrCat("what was written into the claims of pod ", uid, " is being taken back"));
  }
  size_t taken = 0;
  for (; taken < plan.claims.size(); ++taken) {
    const model::ClaimPlan::Claim& choice = plan.claims[taken];
    if (choice.key.empty()) {
      status = CheckDevices(choice);
      if (!status.ok()) break;
      DropMade(uid);
      Count(*choice.allocation, 1);
      made_[uid] = {.allocation = choice.allocation};
      dirty_ = true;
      continue;
    }
    status = CheckClaim(uid, choice);
    if (!status.ok()) break;
    AssumedClaim& assumed = assumed_[choice.key];
    if (assumed.claim_uid != choice.uid) {
      for (const AssumedPod& pod : assumed.pods) {
        if (pod.returning) CountReturning(pod.uid, -1);
      }
      assumed = {.claim_uid = choice.uid};
    }
    if (choice.allocation != nullptr) assumed.allocation = choice.allocation;
    std::erase_if(assumed.pods, [&uid](const AssumedPod& pod) { return pod.uid == uid; });
    assumed.pods.push_back({.uid = uid});
    claims_of_[uid].push_back(choice.key);
    ShowClaim(choice.key);
  }
  if (!status.ok()) Forget(uid);
  news_ = news;
  return status;
}

void DeviceClaimMirror::NoteWritten(const std::string& uid, const std::string& key,
                                    uint64_t version) {
  const auto assumed = assumed_.find(key);
  if (assumed == assumed_.end()) return;
  for (AssumedPod& pod : assumed->second.pods) {
    if (pod.uid == uid) pod.written = std::max(pod.written, version);
  }
}

void DeviceClaimMirror::NoteGivenBack() {
  dirty_ = true;
  offers_more_ = true;
}

void DeviceClaimMirror::Forget(const std::string& uid) {
  if (const auto made = made_.find(uid); made != made_.end()) {
    // By now it is deleted, if it was to be taken back.
    if (made->second.key.empty() || made->second.returning) DropMade(uid);
  }
  const auto known = claims_of_.find(uid);
  if (known == claims_of_.end()) return;
  const std::vector<std::string> keys = std::move(known->second);
  claims_of_.erase(known);
  for (const std::string& key : keys) {
    const auto assumed = assumed_.find(key);
    if (assumed == assumed_.end()) continue;
    for (AssumedPod& pod : assumed->second.pods) pod.ended |= pod.uid == uid;
    DropShown(key);
    ShowClaim(key);
  }
}

void DeviceClaimMirror::TakeBack(const std::string& uid) {
  if (const auto made = made_.find(uid); made != made_.end()) {
    if (!std::exchange(made->second.returning, true)) CountReturning(uid, 1);
  }
  const auto known = claims_of_.find(uid);
  if (known == claims_of_.end()) return;
  for (const std::string& key : known->second) {
    const auto assumed = assumed_.find(key);
    if (assumed == assumed_.end()) continue;
    for (AssumedPod& pod : assumed->second.pods) {
      if (pod.uid == uid && !std::exchange(pod.returning, true)) CountReturning(uid, 1);
    }
  }
}

const DeviceClaimFacts* DeviceClaimMirror::Claim(std::string_view key) const {
  const auto known = claims_.find(ToAbsl(key));
  return known == claims_.end() ? nullptr : known->second.get();
}

std::shared_ptr<const DeviceClaimsView> DeviceClaimMirror::Publish() {
  news_ = false;
  if (!dirty_) return published_;
  CatchUp();
  dirty_ = false;
  ++now_.generation;
  published_ = nullptr;
  if (now_.claims.empty() && now_.classes.empty() && now_.pools.empty()) return nullptr;
  auto view = std::make_shared<DeviceClaimsView>();
  view->generation = now_.generation;
  view->offers_more = std::exchange(offers_more_, false);
  view->changed_claims.assign(changed_now_.begin(), changed_now_.end());
  changed_now_.clear();
  if (std::exchange(returning_changed_, false)) {
    auto pods = std::make_shared<std::set<std::string, std::less<>>>();
    for (const auto& [uid, rows] : returning_) pods->insert(uid);
    now_.returning = pods->empty() ? nullptr : std::move(pods);
  }
  view->returning = now_.returning;
  view->claims = now_.claims.Share();
  view->classes = now_.classes.Share();
  view->pools = now_.pools.Share();
  view->in_use = now_.in_use.Share();
  view->extended = now_.extended;
  view->for_extended = now_.for_extended.Share();
  published_ = std::move(view);
  return published_;
}

absl::Status DeviceClaimMirror::Check() const {
  std::map<std::string, int32_t> claims;
  const auto count = [&claims](const AllocationFacts* allocation) {
    if (allocation == nullptr) return;
    for (const auto& device : allocation->devices) {
      if (!device.admin) ++claims[device.Key()];
    }
  };
  now_.claims.VisitFrom("", [&count](std::string_view, const DeviceClaimFacts& claim) {
    count(claim.allocation.get());
    return true;
  });
  for (const auto& [uid, made] : made_) count(made.allocation.get());
  for (const auto& [key, leaving] : leaving_) count(leaving.get());
  size_t seen = 0;
  absl::Status status;
  now_.in_use.VisitFrom("", [&](std::string_view key, const DeviceUseFacts& use) {
    ++seen;
    const auto known = claims.find(std::string(key));
    if (known != claims.end() && known->second == use.claims) return true;
    status = absl::InternalError(StrCat("device ", key, " counts ", use.claims, " claims"));
    return false;
  });
  if (status.ok() && seen != claims.size()) {
    status = absl::InternalError("some device of a claim does not count as used");
  }
  std::map<std::string, int> returning;
  for (const auto& [key, claim] : assumed_) {
    for (const AssumedPod& pod : claim.pods) {
      if (pod.returning) ++returning[pod.uid];
    }
  }
  for (const auto& [uid, made] : made_) {
    if (made.returning) ++returning[uid];
  }
  if (returning != returning_) {
    status.Update(absl::InternalError("pods whose claims are taken back are counted wrongly"));
  }
  for (const auto& [uid, keys] : claims_of_) {
    for (const std::string& key : keys) {
      if (!assumed_.contains(key)) {
        status.Update(absl::InternalError(StrCat("claim ", key, " of pod ", uid, " is lost")));
      }
    }
  }
  return status;
}

}  // namespace bth::cache
