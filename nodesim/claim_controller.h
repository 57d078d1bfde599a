// What makes device claims from templates, and takes them back, in a cluster, simulated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/types/pod.h"
#include "api/types/resource_claim.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/work_queue.h"
#include "nodesim/watched_kinds.h"

namespace bth::nodesim {

struct ClaimControllerOptions {
  int lanes = 4;  // Requests in flight.
  absl::Duration retry_initial = absl::Milliseconds(100);
  absl::Duration retry_max = absl::Seconds(30);
};

struct ClaimControllerCounters {
  uint64_t made = 0;      // Claims.
  uint64_t released = 0;  // Allocations of claims that nobody uses any more.
  uint64_t removed = 0;   // Claims of pods that have ended.
  uint64_t failures = 0;
};

// Does what kube-controller-manager's resource claim controller does: makes the claims that pods
// ask for by a template, and says so in the pod's status; takes pods that have ended or are gone
// out of the users of a claim; gives back the devices of a claim that has lost its last user, and
// lets it go. All state is in the API.
// Lifetime: `api` and `rng` outlive it. Thread: the executor's.
class ClaimController final {
 public:
  ClaimController(client::ApiClient& api, Rng& rng, ClaimControllerOptions options);
  ~ClaimController();
  ClaimController(const ClaimController&) = delete;

  void Start();
  bool HasSynced() const { return watched_.AllSynced(); }
  bool idle() const {
    return queue_.depth() == 0 && queue_.in_work() == 0 && queue_.delayed() == 0;
  }
  const ClaimControllerCounters& counters() const { return counters_; }

 private:
  template <typename T>
  class Handler;

  void Put(types::Pod&& pod);
  void Put(types::ResourceClaim&& claim);
  void Put(types::ResourceClaimTemplate&& from);
  void Remove(const types::Pod* kind, const client::ObjectKey& key);
  void Remove(const types::ResourceClaim* kind, const client::ObjectKey& key);
  void Remove(const types::ResourceClaimTemplate* kind, const client::ObjectKey& key);
  void QueueClaimsOf(const types::Pod& pod);
  void Forget(const std::string& claim_key);

  net::Awaitable<void> Lane();
  net::Awaitable<absl::Status> Work(std::string key);
  net::Awaitable<absl::Status> WorkOnPod(std::string key);
  net::Awaitable<absl::Status> WorkOnClaim(std::string key);
  // The name of the claim for that entry of the pod; it is made if it is not there. Empty: there is
  // no such template yet.
  net::Awaitable<absl::StatusOr<std::string>> EnsureClaim(types::Pod pod,
                                                          types::PodResourceClaim entry);
  net::Awaitable<absl::Status> TellPod(types::Pod pod);
  // Whether the user is a pod that may still need its devices. Asks the server before it says no.
  net::Awaitable<absl::StatusOr<bool>> IsInUse(types::ClaimConsumer user, std::string ns);
  net::Awaitable<absl::Status> Unprotect(types::ResourceClaim claim);

  client::ApiClient& api_;
  const ClaimControllerOptions options_;
  client::WorkQueue queue_;                 // Of "pod/NAMESPACE/NAME" and "claim/NAMESPACE/NAME".
  std::map<std::string, types::Pod> pods_;  // Those with claims, by "NAMESPACE/NAME".
  std::map<std::string, types::ResourceClaim> claims_;
  std::map<std::string, std::set<std::string>> claims_of_;  // Of pods, by uid: those made for them.
  std::map<std::string, types::ResourceClaimTemplate> templates_;
  ClaimControllerCounters counters_;
  WatchedKinds watched_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::nodesim
