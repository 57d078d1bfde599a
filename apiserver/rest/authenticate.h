// Who sends a request, and what they may do here.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"
#include "net/http.h"

namespace bth::apiserver {

// The owner of a bearer token, with the group of everybody who is known.
std::optional<User> OwnerOf(const Core& core, std::string_view token);

// By client certificate, else by bearer token; anybody where there are no tokens. Errors: 401.
absl::StatusOr<User> Authenticate(const Core& core, const net::Request& request);

// Probes may come without a token.
bool IsOpenPath(std::string_view path);

// Whoever is known may do everything: there are no roles. Strangers, where tokens are asked for,
// may read open paths alone; `path` is empty for resources.
bool MayDo(const Core& core, const User& user, std::string_view path);

}  // namespace bth::apiserver
