// How the server reaches webhooks and the programs behind Services.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/http.h"

namespace bth::apiserver {

// A server that calls go to. Two webhooks of one endpoint share their connections.
struct Endpoint {
  std::string host;
  uint16_t port = 0;
  std::string server_name;  // What its certificate must name.
  std::string ca_pem;       // Empty: the system's roots.
  bool tls = true;
  bool verified = true;  // False: whatever certificate is shown.
  auto operator<=>(const Endpoint&) const = default;
};

using ConnectTo =
    std::function<absl::StatusOr<std::unique_ptr<net::Transport>>(const Endpoint& endpoint)>;

}  // namespace bth::apiserver
