#include "apiserver/webhooks/clients.h"

#include "base/status.h"
#include "net/client.h"

namespace bth::apiserver {
namespace {

constexpr int kConnectionsMax = 16;

}  // namespace

ConnectTo ConnectBySockets(net::Executor& executor) {
  return [&executor](const Endpoint& endpoint) {
    net::ClientOptions options;
    options.host = endpoint.host;
    options.port = endpoint.port;
    options.tls.enabled = endpoint.tls;
    options.tls.insecure_skip_verify = !endpoint.verified;
    options.tls.ca_pem = endpoint.ca_pem;
    options.tls.server_name = endpoint.server_name;
    options.connections_max = kConnectionsMax;
    return net::MakeHttpClient(executor, std::move(options));
  };
}

absl::StatusOr<std::shared_ptr<net::Transport>> WebhookClients::To(const Endpoint& endpoint) {
  const auto found = kept_.find(endpoint);
  if (found != kept_.end()) {
    latest_.splice(latest_.begin(), latest_, found->second.place);
    return found->second.transport;
  }
  BTH_ASSIGN_OR_RETURN(std::shared_ptr<net::Transport> transport, connect_(endpoint));
  latest_.push_front(endpoint);
  kept_.emplace(endpoint, Kept{transport, latest_.begin()});
  if (kept_.size() > kEndpointsMax) {
    kept_.erase(latest_.back());
    latest_.pop_back();
  }
  return transport;
}

}  // namespace bth::apiserver
