// A device is lent once at a time, and stays where it is lent.
#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

class DeviceOnce final : public Promise {
 public:
  explicit DeviceOnce(const Sight& sight) : Promise("device-once", sight) {}

  void On(const Change<types::ResourceClaim>& change) override {
    const types::ResourceClaim& claim = change.any();
    std::erase_if(lent_,
                  [&claim](const auto& entry) { return entry.second.uid == claim.meta.uid; });
    if (change.after == nullptr || !claim.status.allocation.has_value()) return;
    const auto found = sight().allocator_of.find(claim.meta.uid);
    const std::string by = found == sight().allocator_of.end() ? "somebody" : found->second;
    for (const types::AllocatedDevice& device : claim.status.allocation->results) {
      if (device.admin_access) continue;
      Look();
      const std::string name = StrCat(device.driver, "/", device.pool, "/", device.device);
      const Loan loan{claim.meta.uid, claim.meta.Key(), by};
      const auto [it, fresh] = lent_.try_emplace(name, loan);
      if (fresh) continue;
      // In bad weather one that follows may not know yet what its predecessor has lent.
      if (it->second.by != by && !IsFairFor(absl::Minutes(1))) continue;
      Break(StrCat("device ", name, " is lent to claim ", it->second.claim, " by ", it->second.by,
                   ", and to ", loan.claim, " by ", by));
    }
  }

 private:
  struct Loan {
    std::string uid;
    std::string claim;
    std::string by;
  };
  std::map<std::string, Loan> lent_;  // By device.
};

// What a pod was bound with it keeps.
class DevicesStay final : public Promise {
 public:
  explicit DevicesStay(const Sight& sight) : Promise("devices-stay", sight) {}

  void On(const Change<types::Pod>& change) override {
    if (change.after == nullptr) {
      ended_.erase(change.before->meta.uid);
      return;
    }
    if (HasEnded(*change.after)) ended_.insert(change.after->meta.uid);
    if (IsNewlyBound(change)) Judge(*change.after);
  }
  void OnTick() override {
    for (const auto& [key, pod] : ledger().pods()) Judge(*pod);
  }

 private:
  void Judge(const types::Pod& pod) {
    if (!IsOurs(pod) || !HoldsRoom(pod) || pod.meta.deletion_time.has_value() ||
        sight().IsLate(pod) || ended_.contains(pod.meta.uid)) {
      return;
    }
    for (const types::PodResourceClaim& wanted : pod.spec.resource_claims) {
      Look();
      const types::ResourceClaim* const claim = ledger().ClaimOf(pod, wanted);
      const char* const lacks = Lacks(pod, claim);
      if (lacks == nullptr) continue;
      Break(StrCat("pod ", pod.meta.Key(), ", bound by ", sight().BinderOf(pod), " to ",
                   pod.spec.node_name, ", and its claim ",
                   claim == nullptr ? wanted.name : claim->meta.name, " ", lacks));
    }
  }
  static const char* Lacks(const types::Pod& pod, const types::ResourceClaim* claim) {
    if (claim == nullptr) return "is not there";
    if (!claim->status.allocation.has_value()) return "has no devices";
    const auto& users = claim->status.reserved_for;
    const bool reserved = std::any_of(
        users.begin(), users.end(), [&pod](const auto& user) { return user.uid == pod.meta.uid; });
    return reserved ? nullptr : "is not reserved for it";
  }

  std::set<std::string> ended_;  // Pods, by uid: a late status may show one at work once more.
};

}  // namespace

PromisePtr MakeDevicesStay(const Sight& sight) {
  return std::make_unique<DevicesStay>(sight);
}
PromisePtr MakeDeviceOnce(const Sight& sight) {
  return std::make_unique<DeviceOnce>(sight);
}

}  // namespace bth::sim
