// What every request handler needs: the parts of the server and its small services.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/admission/stage.h"
#include "apiserver/logs/log_source.h"
#include "apiserver/registry/registry.h"
#include "apiserver/store/store.h"
#include "base/rng.h"
#include "net/awaitable.h"

namespace bth::apiserver {

// Counts for /metrics.
struct Counters {
  // (verb, resource, code) of finished requests.
  std::map<std::tuple<std::string, std::string, int>, uint64_t> requests;
  uint64_t watch_events = 0;
  // Of the collector: deletions and updates it made, circles of waiting owners that it opened, and
  // how many objects it has still to look at.
  uint64_t objects_collected = 0;
  uint64_t owner_references_dropped = 0;
  uint64_t owner_circles_broken = 0;
  uint64_t collector_backlog = 0;
  uint64_t events_expired = 0;
  uint64_t proxy_refused = 0;  // Requests to services, for too many were under way.
};

class ServiceProxy;

// Thread: the executor's. Lifetime: the server's; coroutines hold it by shared_ptr.
struct Core {
  Core(net::Executor& e, std::unique_ptr<Store> s, uint64_t seed)
      : executor(e), store(std::move(s)), rng(seed) {}

  net::Executor& executor;
  std::unique_ptr<Store> store;
  Registry registry;
  Stages stages;
  Counters counters;
  Rng rng;
  std::map<std::string, User> tokens;  // Empty: everybody may come.
  std::function<std::string()> extra_metrics;
  LogSource log_source;  // Absent: there are no logs.
  std::shared_ptr<ServiceProxy> proxy;
  // What parts of the server add to /metrics.
  std::vector<std::function<void(std::string*)>> metric_sections;
  // The longest a request may take that does not watch; its own timeout may be shorter.
  absl::Duration request_timeout = absl::Minutes(1);
  absl::Duration bookmark_period = absl::Minutes(1);
  absl::Duration watch_timeout = absl::Minutes(45);

  // The collection behind a resource; declared when the resource was installed.
  Collection& CollectionOf(const ResourceType& type);
  // Makes collections for resources that were just installed.
  void Declare(const ResourceType& type);

  std::string NewUid();
  // Five letters and digits for generateName.
  std::string NewSuffix();
  absl::Time Now() const { return executor.Now(); }
};

}  // namespace bth::apiserver
