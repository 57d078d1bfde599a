// Says of Deployments and their like that nobody runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/types/resource.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "client/work_queue.h"
#include "nodesim/watched_kinds.h"

namespace bth::nodesim {

struct UnservedWorkloadsOptions {
  std::string component = "nodesim";            // Of the events.
  absl::Duration patience = absl::Seconds(10);  // For whoever may run them.
  absl::Duration retry_initial = absl::Milliseconds(100);
  absl::Duration retry_max = absl::Seconds(30);
};

// A server without kube-controller-manager takes a Deployment and no pod comes of it. Each workload
// of Kubernetes' own that no controller has looked at after `patience` gets one event that says so,
// and what to do instead. Those that somebody runs show a status, and are left alone.
// Lifetime: `api` and `rng` outlive it. Thread: the executor's.
class UnservedWorkloads final {
 public:
  UnservedWorkloads(client::ApiClient& api, Rng& rng, UnservedWorkloadsOptions options);
  ~UnservedWorkloads();
  UnservedWorkloads(const UnservedWorkloads&) = delete;

  void Start();
  bool HasSynced() const { return watched_.AllSynced(); }
  uint64_t told() const { return told_; }

 private:
  template <typename T>
  class Handler;
  // A kind, and the member of its status that every controller of it writes.
  struct Kind {
    const types::ResourceType* type;
    std::string_view mark;
  };

  template <typename T>
  void Watch(std::string_view mark);
  net::Awaitable<void> Lane();
  net::Awaitable<absl::Status> Look(std::string key);

  client::ApiClient& api_;
  const UnservedWorkloadsOptions options_;
  client::EventRecorder events_;
  client::WorkQueue queue_;  // Of "NUMBER OF THE KIND/NAMESPACE/NAME".
  std::vector<Kind> kinds_;
  uint64_t told_ = 0;
  WatchedKinds watched_;
  client::Background lane_;
};

}  // namespace bth::nodesim
