// Connections to the servers of webhooks and to the programs behind Services.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "apiserver/webhooks/connect.h"
#include "net/http.h"

namespace bth::apiserver {

// HTTP and HTTPS with connections that are kept. Requires an executor with sockets.
ConnectTo ConnectBySockets(net::Executor& executor);

// One transport per endpoint, kept while it is among the latest used. A transport that is dropped
// lives on until its calls have ended. Thread: the executor's.
class WebhookClients {
 public:
  static constexpr size_t kEndpointsMax = 64;

  explicit WebhookClients(ConnectTo connect) : connect_(std::move(connect)) {}

  absl::StatusOr<std::shared_ptr<net::Transport>> To(const Endpoint& endpoint);

 private:
  struct Kept {
    std::shared_ptr<net::Transport> transport;
    std::list<Endpoint>::iterator place;
  };

  const ConnectTo connect_;
  std::map<Endpoint, Kept> kept_;
  std::list<Endpoint> latest_;  // The latest used comes first.
};

}  // namespace bth::apiserver
