// Where a webhook is called: its URL taken apart, or its service looked up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/rest/core.h"
#include "apiserver/webhooks/connect.h"
#include "apiserver/webhooks/webhook.h"

namespace bth::apiserver {

struct UrlParts {
  std::string scheme;
  std::string user;
  std::string authority;  // Host and port as written.
  std::string host;       // Without the brackets of an IPv6 address.
  uint16_t port = 0;      // 0: none is given.
  std::string path;
  std::string query;
  std::string fragment;
};
// Errors: kInvalidArgument.
absl::StatusOr<UrlParts> ReadUrl(std::string_view text);

struct CallPlace {
  std::string url;     // As messages show it, with the timeout.
  std::string target;  // Path and query of the request.
  // Errors, in the words of Kubernetes: there is no such service, or no such port.
  absl::StatusOr<Endpoint> endpoint = absl::UnknownError("not looked up");
};

// Services are those of this server (apiserver/services/locate.h).
CallPlace PlaceOf(const Core& core, const ClientConfig& client, absl::Duration timeout);

}  // namespace bth::apiserver
