// Device claims, classes and slices of the cluster, and what bindings under way make of claims.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "api/model/device_claims.h"
#include "cache/intake/device_tests.h"

namespace bth::cache {

// Part of the mirror. A claim that a binding under way allocates or reserves shows in snapshots as
// if that had been written already, until the watch shows the write; the objects as the watch tells
// them are kept beside. The devices of a claim that is to get others instead are in use until its
// object shows that it has them no more. Thread: I/O. Cost of a change: logarithmic in the number
// of objects of its kind, plus a block; of Publish: the pools of which a slice changed.
class DeviceClaimMirror {
 public:
  DeviceClaimMirror() = default;
  DeviceClaimMirror(DeviceClaimMirror&&) = default;
  DeviceClaimMirror& operator=(DeviceClaimMirror&&) = default;

  DeviceTests& tests() { return tests_; }
  // No serial number is given out again that `other` has given.
  void GoOnAfter(const DeviceClaimMirror& other);

  void Put(std::shared_ptr<const model::DeviceClaimFacts> claim);
  void Put(std::shared_ptr<const model::SliceFacts> slice);
  void Put(std::shared_ptr<const model::DeviceClassFacts> device_class);
  void PutTaintRule(const std::string& name, model::DeviceTaintRuleFacts rule);
  void RemoveTaintRule(const std::string& name);
  void RemoveClaim(const std::string& key);
  void RemoveSlice(const std::string& name);
  void RemoveClass(const std::string& name);

  // Takes what `plan` chose for the pod with that UID, until Forget. kFailedPrecondition when a
  // claim is not as the plan saw it, or a device was given to another; nothing is taken then.
  absl::Status Assume(const std::string& uid, const model::ClaimPlan& plan);
  // The claim was written, or read, for the pod: objects older than `version` do not show it.
  void NoteWritten(const std::string& uid, const std::string& key, uint64_t version);
  // The same of a claim that was made for the pod: what it is given counts until it shows that.
  void NoteMade(const std::string& uid, const std::string& key);
  // What a session gave and nobody took is free again, though no object shows it.
  void NoteGivenBack();
  // The binding ended. What was written counts until the watch shows it.
  void Forget(const std::string& uid);
  // It ended without the pod being bound, and whatever of it was written is being taken back: all
  // of it counts, and cycles plan nothing for the pod, until Forget, and until the watch shows it.
  void TakeBack(const std::string& uid);

  // As the watch tells it; null: there is none.
  const model::DeviceClaimFacts* Claim(std::string_view key) const;

  // Another one whenever there are other devices, classes or rules.
  uint64_t offers() const { return offers_; }
  // How many devices of the class can be used on the node, whoever has them.
  int64_t DevicesOf(const std::string& device_class, const model::NodeFacts& node);
  // Classes by the extended resources that their devices serve; null: none do. Up to date with the
  // last Publish.
  const std::map<std::string, std::string, std::less<>>* extended() const {
    return now_.extended.get();
  }
  // Pools and classes as they are now, for those two.
  void CatchUp();

  // Since the last Publish: something that a cycle does not know.
  bool changed() const { return news_; }
  // Null: there is no claim, class or slice.
  std::shared_ptr<const model::DeviceClaimsView> Publish();
  // Of the last Publish; null: as there.
  const model::DeviceClaimsView* published() const { return published_.get(); }

  // For tests: what the tables say that does not hold together. Cost: all rows.
  absl::Status Check() const;

 private:
  using Allocation = std::shared_ptr<const model::AllocationFacts>;
  struct AssumedPod {
    std::string uid;
    uint64_t written = 0;  // 0: nothing was written.
    bool ended = false;
    bool returning = false;
  };
  struct AssumedClaim {
    std::string claim_uid;
    Allocation allocation;  // Null: the claim has its devices.
    std::vector<AssumedPod> pods;
  };
  // The devices of a claim that is to be made.
  struct Made {
    Allocation allocation;
    std::string key;  // Empty: it is not there yet.
    bool returning = false;
  };
  struct Pool {
    std::map<std::string, std::shared_ptr<const model::SliceFacts>> slices;
    std::set<std::string> keys;  // In the view.
  };

  absl::Status CheckClaim(const std::string& uid, const model::ClaimPlan::Claim& choice) const;
  absl::Status CheckDevices(const model::ClaimPlan::Claim& choice) const;
  void ShowClaim(const std::string& key);
  // The object with what is assumed; null: there is none.
  std::shared_ptr<const model::DeviceClaimFacts> RowOf(const std::string& key) const;
  // What the claim's object has beside what its row shows; null: nothing.
  Allocation LeavingOf(const std::string& key, const model::DeviceClaimFacts* row) const;
  void ShowLeaving(const std::string& key, Allocation leaving);
  // How often the claim itself counts as a user of the device.
  int32_t UsesOf(const std::string& key, const std::string& device) const;
  void Count(const model::AllocationFacts& allocation, int sign);
  void DropShown(const std::string& key);
  void CountReturning(const std::string& uid, int sign);
  void DropMade(const std::string& uid);
  // If the claim is the one that was made: others may be there for the same pod.
  void DropMadeAs(const std::string& key, const model::DeviceClaimFacts& claim);
  void ListExtended();
  // Pools with devices that the rule may be about are to be made anew.
  void MarkPools(const model::DeviceTaintRuleFacts& rule);
  void Rebuild(const std::string& id);
  void Touch();

  DeviceTests tests_;
  uint64_t pool_serials_ = 0;
  absl::flat_hash_map<std::string, std::shared_ptr<const model::DeviceClaimFacts>> claims_;
  absl::flat_hash_map<std::string, std::string> pool_of_slice_;
  std::map<std::string, Pool> pools_;  // By id.
  std::map<std::string, model::DeviceTaintRuleFacts> taint_rules_;
  std::set<std::string> changed_pools_;                                   // Since the last Publish.
  std::map<std::string, AssumedClaim> assumed_;                           // By claim.
  absl::flat_hash_map<std::string, Allocation> leaving_;                  // By claim; few.
  absl::flat_hash_map<std::string, std::vector<std::string>> claims_of_;  // By UID.
  absl::flat_hash_map<std::string, Made> made_;                           // By UID of the pod.
  std::map<std::string, int> returning_;  // By UID: how many rows are being taken back.
  bool returning_changed_ = false;        // Since the last Publish.
  bool classes_changed_ = false;
  uint64_t offers_ = 1;
  // By class and serial of the pool: the numbers of its devices that are of the class.
  absl::flat_hash_map<std::pair<std::string, uint64_t>, std::vector<size_t>> devices_of_class_;
  model::DeviceClaimsView now_;
  std::shared_ptr<const model::DeviceClaimsView> published_;
  // Since the last Publish:
  bool dirty_ = false;                 // some row changed,
  bool news_ = false;                  // and not by what a cycle decided;
  bool offers_more_ = false;           // there may be more to have;
  std::set<std::string> changed_now_;  // these claims changed.
};

}  // namespace bth::cache
