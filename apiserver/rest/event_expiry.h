// Events do not stay for ever: each goes some time after it was last written.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "absl/time/time.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

struct EventLimits {
  absl::Duration age_max;  // Since the last write, as in Kubernetes.
  size_t count_max = 0;    // Beyond that the oldest go.
};

// Follows the store. Events of before a start count as written then. Removal asks no stage, and
// finalizers do not hold it up, as with the leases of etcd.
// Thread: the executor's. Lifetime: the store's, whose observer holds it; the core outlives it.
class EventExpiry final : public std::enable_shared_from_this<EventExpiry> {
 public:
  EventExpiry(Core& core, EventLimits limits) : core_(core), limits_(limits) {}
  ~EventExpiry() { core_.executor.CancelTimer(timer_); }

  void Start();

 private:
  struct Entry {
    ObjectKey key;
    absl::Duration written;  // Monotonic.
  };

  void OnCommit(const StoreEvent& event);
  bool IsDue() const;
  // Removes some of those that are due, and comes back for the rest.
  void Sweep();
  void Arm();

  Core& core_;
  const EventLimits limits_;
  std::map<int64_t, Entry> entries_;  // By revision: the one written longest ago first.
  net::Executor::TimerId timer_ = 0;
};

// Makes one that lives as long as the store of `core`.
void ExpireEvents(const std::shared_ptr<Core>& core, EventLimits limits);

}  // namespace bth::apiserver
