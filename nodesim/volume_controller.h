// What binds claims to volumes and makes volumes in a cluster, simulated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/types/storage.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/work_queue.h"
#include "nodesim/watched_kinds.h"

namespace bth::nodesim {

struct VolumeControllerOptions {
  int lanes = 4;                                        // Requests in flight.
  absl::Duration make_delay = absl::Milliseconds(200);  // What making a volume takes.
  absl::Duration retry_initial = absl::Milliseconds(100);
  absl::Duration retry_max = absl::Seconds(30);
};

struct VolumeControllerCounters {
  uint64_t bound = 0;    // Claims.
  uint64_t made = 0;     // Volumes.
  uint64_t removed = 0;  // Volumes whose claim is gone.
  uint64_t failures = 0;
};

// Does what kube-controller-manager's volume binder and the provisioners of all classes do: binds
// each claim to the volume that names it or, unless its class waits for a consumer, to the smallest
// one that fits; makes volumes of classes with a provisioner, for claims of waiting classes once
// they name a node; tells phases; releases and removes volumes whose claims are gone. All state is
// in the API.
// Lifetime: `api` and `rng` outlive it. Thread: the executor's.
class VolumeController final {
 public:
  VolumeController(client::ApiClient& api, Rng& rng, VolumeControllerOptions options);
  ~VolumeController();
  VolumeController(const VolumeController&) = delete;

  void Start();
  bool HasSynced() const { return watched_.AllSynced(); }
  bool idle() const {
    return queue_.depth() == 0 && queue_.in_work() == 0 && queue_.delayed() == 0;
  }
  const VolumeControllerCounters& counters() const { return counters_; }

 private:
  template <typename T>
  class Handler;

  void Put(types::PersistentVolumeClaim&& claim);
  void Put(types::PersistentVolume&& volume);
  void Put(types::StorageClass&& storage_class);
  void Remove(const types::PersistentVolumeClaim* kind, const client::ObjectKey& key);
  void Remove(const types::PersistentVolume* kind, const client::ObjectKey& key);
  void Remove(const types::StorageClass* kind, const client::ObjectKey& key);
  void WakeUnbound();

  net::Awaitable<void> Lane();
  net::Awaitable<absl::Status> Work(std::string key);
  net::Awaitable<absl::Status> WorkOnClaim(std::string key);
  net::Awaitable<absl::Status> WorkOnVolume(std::string name);
  net::Awaitable<absl::Status> Bind(types::PersistentVolumeClaim claim,
                                    types::PersistentVolume volume);
  net::Awaitable<absl::Status> TellLost(types::PersistentVolumeClaim claim);
  net::Awaitable<absl::Status> TellBound(types::PersistentVolumeClaim claim,
                                         types::PersistentVolume volume);
  net::Awaitable<absl::Status> Make(types::PersistentVolumeClaim claim, std::string provisioner,
                                    std::string reclaim_policy);
  net::Awaitable<absl::Status> SetVolumePhase(std::string name, std::string phase);
  const types::PersistentVolume* VolumeOf(const types::PersistentVolumeClaim& claim) const;
  const types::PersistentVolume* SmallestFor(const types::PersistentVolumeClaim& claim) const;

  client::ApiClient& api_;
  const VolumeControllerOptions options_;
  client::WorkQueue queue_;  // Of "claim/NAMESPACE/NAME" and "volume/NAME".
  std::map<std::string, types::PersistentVolumeClaim> claims_;  // By "NAMESPACE/NAME".
  std::map<std::string, types::PersistentVolume> volumes_;
  std::map<std::string, types::StorageClass> classes_;
  VolumeControllerCounters counters_;
  WatchedKinds watched_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::nodesim
