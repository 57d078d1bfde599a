// Annotations of nodes by which schedulers and device plugins take turns.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/api_client.h"

namespace bth::cache {

// A lock is an annotation whose value is the time at which it was taken. Who finds one waits, or
// takes it over when it is older than five minutes. A scheduler takes it before it binds a pod with
// devices; the device plugin of the node gives it back once it has handed them out. Thread: I/O.
class NodeLocker {
 public:
  struct Lock {
    std::string node;
    std::string name;
    std::string value;  // As it was taken; empty: it was not.
  };

  // It outlives this.
  explicit NodeLocker(client::ApiClient& api) : api_(api) {}

  // kAlreadyExists: another one has it.
  net::Awaitable<absl::Status> Take(Lock* lock);
  // No effect when another one has it meanwhile.
  net::Awaitable<absl::Status> GiveBack(Lock lock);

 private:
  net::Awaitable<absl::Status> TryTake(Lock* lock);
  net::Awaitable<absl::Status> TryGiveBack(const Lock& lock);

  client::ApiClient& api_;
};

}  // namespace bth::cache
