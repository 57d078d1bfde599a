// The embedded Kubernetes API server.
//
//   auto server = ApiServer::Create(executor, {.crds = manifests});
//   auto transport = net::MakeInProcessTransport(executor, (*server)->handler());
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "apiserver/admission/stage.h"
#include "apiserver/logs/log_source.h"
#include "apiserver/rest/request.h"
#include "apiserver/store/store.h"
#include "apiserver/webhooks/connect.h"
#include "net/awaitable.h"
#include "net/http.h"

namespace bth::apiserver {

struct Core;
struct Outside;

struct Options {
  // Memory limits and, with a data directory, persistence.
  StoreOptions store;
  // CustomResourceDefinitions to serve from the start, created unless they are there.
  std::vector<types::Json> crds;
  // Bearer tokens; empty: everybody may come. There is no authorisation.
  std::map<std::string, User> tokens;
  // Seeds uids and generated names, for runs that must repeat; absent: the machine's entropy.
  std::optional<uint64_t> seed;
  // How long an Event is kept after its last write, and how many; beyond that the oldest go.
  absl::Duration event_age_max = absl::Hours(1);
  size_t events_max = 10'000;
  // How often idle watches that allow bookmarks get one.
  absl::Duration bookmark_period = absl::Minutes(1);
  // How long a watch lasts that asks for no timeout.
  absl::Duration watch_timeout = absl::Minutes(45);
  // How webhooks and the programs behind Services are reached; absent: by HTTP and HTTPS, which
  // needs an executor with sockets.
  ConnectTo connect_outside;
  // The longest a request may take that does not watch.
  absl::Duration request_timeout = absl::Minutes(1);
  // Appended to /metrics.
  std::function<std::string()> extra_metrics;
  // What containers write; absent: pods/log answers that there is nothing to read.
  LogSource log_source;
};

// Thread: the executor's. Requests that are running keep what they need alive; destruction ends
// the watches and the background work.
class ApiServer {
 public:
  // Errors: the data directory cannot be used, or a definition is invalid.
  static absl::StatusOr<std::unique_ptr<ApiServer>> Create(net::Executor& executor,
                                                           Options options = {});
  ~ApiServer();

  // Serves the whole API; may be copied and outlive the server.
  net::Handler handler() const;

  // Extends the way of writes (schemas, webhooks, quotas ...). Before the first request.
  void AddStage(StagePoint point, std::unique_ptr<Stage> stage);
  // Reads and writes for extensions that live inside the server.
  Store& store();
  Core& core() { return *core_; }
  // What webhooks and policies count and note.
  const Outside& outside() const { return *outside_; }

 private:
  ApiServer(std::shared_ptr<Core> core, std::shared_ptr<Outside> outside)
      : core_(std::move(core)), outside_(std::move(outside)) {}

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<Outside> outside_;
};

}  // namespace bth::apiserver
