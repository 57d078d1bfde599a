// GET, POST … services/NAME/proxy/…: passes requests on to the programs behind Services.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"
#include "apiserver/services/proxy_place.h"
#include "apiserver/webhooks/clients.h"
#include "net/http.h"

namespace bth::apiserver {

// As kube-apiserver does it: whoever may reach the proxy reaches the program, which learns nothing
// of who it was: credentials stay here. Certificates are not verified. Requests that upgrade their
// connection are refused. Lifetime: shared by what is under way. Thread: the executor's.
class ServiceProxy final : public std::enable_shared_from_this<ServiceProxy> {
 public:
  // Under way at once, until the last byte; more are answered 429, and counted.
  static constexpr int kExchangesMax = 64;
  // Until the head of the answer is there.
  static constexpr absl::Duration kHeadTimeout = absl::Seconds(30);

  explicit ServiceProxy(ConnectTo connect) : clients_(std::move(connect)) {}

  // `core` outlives the call. The answer's stream ends with the server's longest watch.
  net::Awaitable<absl::StatusOr<net::Response>> Pass(Core& core, net::Request request,
                                                     ProxyPlace place);

 private:
  class Turn;
  class Stream;
  absl::StatusOr<Endpoint> EndpointOf(const Core& core, const ProxyPlace& place) const;

  WebhookClients clients_;
  int under_way_ = 0;
};

}  // namespace bth::apiserver
