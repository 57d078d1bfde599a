// A device is lent once at a time.
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

}  // namespace

PromisePtr MakeDeviceOnce(const Sight& sight) {
  return std::make_unique<DeviceOnce>(sight);
}

}  // namespace bth::sim
