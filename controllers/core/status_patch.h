// Writes of a status: only what changed, and only on top of what was read.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "api/types/codec.h"
#include "api/types/fragment.h"
#include "api/types/json.h"
#include "client/typed_client.h"

namespace bth::controllers {

// The JSON merge patch (RFC 7396) that turns `before` into `after`: an empty object when they are
// equal. Arrays are replaced as a whole.
types::Json MergeDiff(const types::Json& before, const types::Json& after);

// The patch of /status that turns the status of `before` into that of `after`, provided that the
// object is still the one of before.meta.resource_version. Nothing when they are equal.
template <typename T>
std::optional<client::Patch> StatusPatch(const T& before, const T& after);

// Sends it. The answer is the object as it is now; `before` itself when there was nothing to send.
// kAborted: somebody else wrote in between, read again.
template <typename T>
net::Awaitable<absl::StatusOr<T>> WriteStatus(client::ApiClient& api, T before, T after);

// --- details ---------------------------------------------------------------------------------

namespace status_patch_internal {
std::optional<client::Patch> Build(const types::Json& before, const types::Json& after,
                                   std::string_view resource_version);
}

template <typename T>
std::optional<client::Patch> StatusPatch(const T& before, const T& after) {
  if (before.status == after.status) return std::nullopt;
  return status_patch_internal::Build(types::FragmentToJson(before.status),
                                      types::FragmentToJson(after.status),
                                      before.meta.resource_version);
}

template <typename T>
net::Awaitable<absl::StatusOr<T>> WriteStatus(client::ApiClient& api, T before, T after) {
  std::optional<client::Patch> patch = StatusPatch(before, after);
  if (!patch.has_value()) co_return std::move(before);
  client::ApiPath path = client::PathOf<T>(before.meta.ns, before.meta.name);
  client::ApiClient::Text text = co_await api.PatchStatus(std::move(path), *std::move(patch));
  BTH_CO_RETURN_IF_ERROR(text);
  co_return types::Decode<T>(std::string_view(*text));
}

}  // namespace bth::controllers
