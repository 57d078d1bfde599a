// A Service by which what listens on loopback is reached through the API server's proxy.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "client/api_client.h"

namespace bth::cmd {

struct AnnouncedService {
  std::string ns;  // Made when it is not there.
  std::string name;
  uint16_t port = 0;         // As callers name it.
  uint16_t target_port = 0;  // Where it is.
};

// Makes the Service, or has the one that is there lead to the port. `api` outlives the call.
net::Awaitable<absl::Status> Announce(client::ApiClient& api, AnnouncedService service);

}  // namespace bth::cmd
