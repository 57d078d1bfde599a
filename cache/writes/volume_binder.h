// Has the claims of pods bound before the pods are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/model/storage_view.h"
#include "cache/cluster/mirror.h"
#include "client/api_client.h"

namespace bth::cache {

// Writes what a plan chose (the claim into the volume, the node into the claim), then waits for
// whoever binds and makes volumes: Kubernetes' volume controller and the provisioners. While it
// waits it holds no connection and nobody up. What was written stays if the rest fails: others may
// have begun to act on it, and later cycles count on it.
// Thread: I/O.
class VolumeBinder {
 public:
  struct Order {
    std::string pod;  // "<namespace>/<name>"
    std::string uid;
    std::string node;
    std::shared_ptr<const model::VolumePlan> plan;
  };
  // Told once per order, by the pod's UID, not from inside Write: OK when every claim is bound.
  // kCancelled: the pod
  // is no more to be bound. kAborted, kFailedPrecondition: things changed. kDeadlineExceeded: the
  // claims were not bound in time.
  using Report = std::function<void(const std::string& uid, absl::Status status)>;

  // `api` and `mirror` outlive it.
  VolumeBinder(client::ApiClient& api, const Mirror& mirror, Report report);
  ~VolumeBinder();
  VolumeBinder(const VolumeBinder&) = delete;

  // OK: everything is written, and the order waits; its outcome is reported later. Where the server
  // is busy (kResourceExhausted), or an outcome is unknown, it may be called again after a pause:
  // what was written is found written.
  net::Awaitable<absl::Status> Write(Order order);
  // Looks again at the orders that wait; to be called when claims, volumes, nodes or pods changed.
  // Cost: follows their number.
  void Review();
  size_t waiting() const { return waiting_.size(); }

 private:
  // A write that succeeded: objects older than this do not show it.
  struct Written {
    uint64_t version = 0;
  };
  struct Waiting {
    Order order;
    std::vector<Written> written;  // By choice.
    absl::Duration deadline;       // Monotonic.
  };

  net::Awaitable<absl::Status> WriteOnce(const Order& order, size_t choice, Written* written);
  net::Awaitable<absl::Status> Claim(const model::VolumePlan::Choice& choice, Written* written);
  net::Awaitable<absl::Status> Annotate(const model::VolumePlan::Choice& choice,
                                        const std::string& node, Written* written);
  // OK: bound. kUnavailable: not yet.
  absl::Status Look(const Waiting& entry) const;
  absl::Status LookAt(const Waiting& entry, size_t choice, const model::NodeFacts& node) const;
  void Rearm();

  client::ApiClient& api_;
  const Mirror& mirror_;
  const Report report_;
  std::map<std::string, Waiting> waiting_;  // By the pod's UID: one made anew has another.
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::cache
