// Where a request to the proxy of a Service leads:
// …/services/[SCHEME:]NAME[:PORT]/proxy/PATH?QUERY.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/store/object.h"

namespace bth::apiserver {

struct ProxyPlace {
  ObjectKey service;
  bool tls = false;
  std::string port;    // Name or number as written; empty: the one without a name.
  std::string prefix;  // "/api/v1/namespaces/NS/services/ID/proxy", as sent.
  std::string path;    // Behind it, as sent, with its first slash; empty: there is nothing.
  std::string query;   // With its question mark, or empty.
};

// Nothing: the target of the request is no such path. Errors (400): a service that cannot be.
std::optional<absl::StatusOr<ProxyPlace>> ReadProxyPlace(std::string_view target);

}  // namespace bth::apiserver
