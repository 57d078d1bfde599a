// The storage objects of the cluster, and what bindings under way are about to do to them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "api/model/storage_view.h"

namespace bth::cache {

// Part of the mirror. A claim or volume that a binding under way has chosen shows in snapshots as
// if it had been written already; the objects as the watch tells them are kept beside. Thread: I/O.
// Cost of a change: logarithmic in the number of objects of its kind, plus a block.
class StorageMirror {
 public:
  StorageMirror() = default;
  StorageMirror(StorageMirror&&) = default;
  StorageMirror& operator=(StorageMirror&&) = default;

  void Put(std::shared_ptr<const model::ClaimFacts> claim);
  void Put(std::shared_ptr<const model::VolumeFacts> volume);
  void PutClass(const std::string& name, std::shared_ptr<const model::ClassFacts> facts);
  void PutCsiNode(const std::string& name, std::shared_ptr<const model::CsiNodeFacts> facts);
  void PutCsiDriver(const std::string& name, bool tracks_capacity);
  void PutCapacity(const std::string& key, const std::string& storage_class,
                   std::shared_ptr<const model::CapacityFacts> facts);
  void PutAttachment(const std::string& name, const std::string& node, const std::string& volume);
  void RemoveClaim(const std::string& key);
  void RemoveVolume(const std::string& name);
  void RemoveClass(const std::string& name);
  void RemoveCsiNode(const std::string& name);
  void RemoveCsiDriver(const std::string& name);
  void RemoveCapacity(const std::string& key);
  void RemoveAttachment(const std::string& name);

  // The pods on a node that have volumes; null: none.
  void PutMounts(model::NodeId node, std::shared_ptr<const model::NodeMounts> mounts);

  // Takes what `plan` chose for the pod with that UID, which goes to `node`, until Forget.
  // kFailedPrecondition when a claim or volume is not as the plan saw it, or was assumed otherwise
  // meanwhile; nothing is taken then.
  absl::Status Assume(const std::string& uid, const model::VolumePlan& plan,
                      const std::string& node);
  void Forget(const std::string& uid);

  // As the watch tells them; null: there is none.
  const model::ClaimFacts* Claim(std::string_view key) const;
  const model::VolumeFacts* Volume(std::string_view name) const;

  // Since the last Publish: something that a cycle does not know.
  bool changed() const { return news_; }
  std::shared_ptr<const model::StorageView> Publish();

 private:
  // What bindings under way make of a claim.
  struct AssumedClaim {
    std::string claim_uid;
    std::string volume;  // Empty: one is to be made for `node`.
    std::string node;
    std::vector<std::string> pods;  // That wait for it, by UID.
  };
  void ShowClaim(const std::string& key);
  void ShowVolume(const std::string& name);
  absl::Status Check(const model::VolumePlan::Choice& choice, const std::string& node) const;
  void Touch();

  absl::flat_hash_map<std::string, std::shared_ptr<const model::ClaimFacts>> claims_;
  absl::flat_hash_map<std::string, std::shared_ptr<const model::VolumeFacts>> volumes_;
  absl::flat_hash_map<std::string, std::string> capacity_keys_;    // Those of the view, by key.
  absl::flat_hash_map<std::string, std::string> attachment_keys_;  // The same, by name.
  std::map<std::string, AssumedClaim> assumed_;                    // By claim.
  absl::flat_hash_map<std::string, std::string> assumed_volumes_;  // The claim of each.
  absl::flat_hash_map<std::string, std::vector<std::string>> claims_of_;  // By UID.
  model::StorageView now_;
  std::shared_ptr<const model::StorageView> published_;
  bool dirty_ = false;  // Since the last Publish: some row changed,
  bool news_ = false;   // and not by what a cycle decided.
};

}  // namespace bth::cache
