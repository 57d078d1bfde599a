// Takes back what was written into the claims of pods that are not bound after all.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/claim_objects.h"
#include "client/api_client.h"
#include "client/parking.h"

namespace bth::cache {

// Takes back the pod as a user of its claims, and the devices if nobody else uses them; claims that
// were made for it are deleted. Reads before it writes, so that what another binding of the pod
// made of them stays. Thread: I/O.
class ClaimReturns {
 public:
  // All outlive it. `on_work` is called when ReturnOne has work.
  ClaimReturns(client::ApiClient& api, Mirror& mirror, ClaimAttempts& attempts,
               std::function<void()> on_work);
  ClaimReturns(const ClaimReturns&) = delete;

  // After a binding. It is tried until it is done, with pauses of a second to a minute: until the
  // end of that the mirror assumes all that the binding may have written.
  void Add(ClaimOrder order);
  // The same of what some earlier attempt left, unless that is on its way.
  void AddLeft(ClaimOrder order);
  // The next attempt has to wait.
  bool IsUnderWay(const std::string& uid) const { return under_way_.contains(uid); }

  // Whether the pod of the order has a node, whoever gave it, and the claim is what it runs with.
  net::Awaitable<absl::StatusOr<bool>> IsBoundWith(const ClaimOrder& order,
                                                   const types::ResourceClaim& claim);

  bool HasWork() const { return !ready_.empty(); }
  net::Awaitable<void> ReturnOne();

 private:
  struct Return {
    ClaimOrder order;
    bool is_assumed = false;
    int failures = 0;
  };

  void AddReady(Return wanted);
  void TryLater(Return wanted);
  net::Awaitable<bool> ReturnAll(const ClaimOrder& order);
  net::Awaitable<absl::Status> ReturnClaim(const ClaimOrder& order, size_t index);
  net::Awaitable<absl::Status> ReturnOnce(const ClaimOrder& order, size_t index);
  net::Awaitable<client::ApiClient::Text> Unprotect(const types::ResourceClaim& claim);
  net::Awaitable<absl::Status> Delete(types::ResourceClaim claim);

  client::ApiClient& api_;
  Mirror& mirror_;
  ClaimAttempts& attempts_;
  const std::function<void()> on_work_;
  std::deque<Return> ready_;
  client::Parking<Return> later_;
  std::multiset<std::string> under_way_;  // UIDs.
};

}  // namespace bth::cache
