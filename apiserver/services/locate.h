// Where the programs behind a Service listen. There is no network of services here: they are
// reached where its EndpointSlices or Endpoints say, and without those on the loopback address at
// the target port, which is where programs beside vc-standalone listen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

struct ServiceAddress {
  std::string host;
  uint16_t port = 0;
};

// `port`: the number or the name of one of its ports; "": the one without a name. Errors
// (kNotFound), in the words of Kubernetes: there is no such service, or no such port.
absl::StatusOr<ServiceAddress> LocateService(const Core& core, const ObjectKey& service,
                                             std::string_view port);

}  // namespace bth::apiserver
