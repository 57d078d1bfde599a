// Has the device claims of pods allocated and reserved before the pods are bound.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/device_claims.h"
#include "api/types/pod.h"
#include "api/types/resource_claim.h"
#include "cache/cluster/mirror.h"
#include "cache/writes/claim_objects.h"
#include "cache/writes/claim_returns.h"
#include "client/api_client.h"

namespace bth::cache {

// Writes what a plan chose into the claims: finalizer, allocation, and the pod as their user, each
// upon the version that was read before. Makes the claim that stands for the extended resources of
// a pod, and tells the pod of it. Then waits for drivers that make devices ready first. What
// was written for a pod that is not bound after all is taken back, as far as nobody else uses it.
// Thread: I/O.
class ClaimBinder {
 public:
  using Order = ClaimOrder;
  // Told once per order that waits, by the pod's UID, not from inside Write: OK when the devices
  // are ready. kCancelled: the pod is no more to be bound. kFailedPrecondition: a claim is gone, or
  // a device failed. kDeadlineExceeded: they were not ready in time.
  using Report = std::function<void(const std::string& uid, absl::Status status)>;
  // Told when an order waits longer than drivers that are well take, and when it waits for
  // something else then.
  using Notice = std::function<void(const Order& order, const std::string& what)>;

  // `api` and `mirror` outlive it. `on_return` is called when ReturnOne has work.
  ClaimBinder(client::ApiClient& api, Mirror& mirror, Report report, Notice notice,
              std::function<void()> on_return);
  ~ClaimBinder();
  ClaimBinder(const ClaimBinder&) = delete;

  // True: everything is written, the pod may be bound. False: it is written and waits; the outcome
  // is reported later. Where the server is busy, or what an earlier attempt wrote is being taken
  // back (kResourceExhausted), or an outcome is unknown, it may be called again after a pause: what
  // was written is found written. kAlreadyExists: somebody else has bound the pod.
  net::Awaitable<absl::StatusOr<bool>> Write(Order order);
  // The binding of the pod ended. When this one bound it, with all answers, the mirror assumes
  // nothing of it any more. Else its claims are taken back later, by ReturnOne, and assumed until
  // that shows.
  void Ended(const Order& order, bool is_bound);
  // Takes back what an earlier attempt left, here or in an earlier life of the scheduler, unless
  // one is under way: a pod that no cycle places holds devices that others wait for, those of its
  // own gang among them.
  void GiveBack(Order order);
  bool HasReturns() const { return returns_.HasWork(); }
  net::Awaitable<void> ReturnOne() { return returns_.ReturnOne(); }

  // Looks again at the orders that wait; to be called when claims or pods changed. Cost: follows
  // their number.
  void Review();
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    Order order;
    absl::Duration deadline;  // Monotonic, as is the next.
    absl::Duration tell_at;
    std::string told;  // What it waited for then.
  };

  net::Awaitable<absl::Status> WriteClaim(const Order& order, size_t index);
  net::Awaitable<absl::Status> WriteOnce(const Order& order, size_t index);
  // The pod of the order. kAlreadyExists: it has a node. kCancelled: it is gone.
  net::Awaitable<absl::StatusOr<types::Pod>> ReadUnbound(const Order& order);
  // The claim for the extended resources of the pod; it is made if it is not there. `told`: what
  // the pod's status names. kFailedPrecondition: that is one which the plan should know of.
  net::Awaitable<absl::StatusOr<types::ResourceClaim>> EnsureExtended(const Order& order,
                                                                      size_t index,
                                                                      std::string told);
  // `pod`: as it was read before the claim was written.
  net::Awaitable<absl::Status> TellPod(const Order& order, size_t index, std::string claim,
                                       types::Pod pod);
  net::Awaitable<absl::StatusOr<types::ResourceClaim>> AddFinalizer(types::ResourceClaim claim);
  net::Awaitable<absl::Status> WriteStatus(const Order& order, size_t index,
                                           types::ResourceClaim claim);
  // OK: ready. kUnavailable: not yet.
  absl::Status Look(const Order& order) const;
  void Tell(Waiting& entry, const absl::Status& why);
  void Rearm(absl::Duration wait);

  client::ApiClient& api_;
  Mirror& mirror_;
  const Report report_;
  const Notice notice_;
  std::map<std::string, Waiting> waiting_;  // By the pod's UID: one made anew has another.
  ClaimAttempts attempts_;
  ClaimReturns returns_;
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::cache
