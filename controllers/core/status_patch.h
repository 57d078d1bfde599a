// Writes of a status: only what changed, and only on top of what was read.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "api/types/fragment.h"
#include "api/types/json.h"
#include "controllers/core/writes.h"

namespace bth::controllers {

// The JSON merge patch (RFC 7396) that turns `before` into `after`: an empty object when they are
// equal. Arrays are replaced as a whole.
types::Json MergeDiff(const types::Json& before, const types::Json& after);

// The patch of /status that turns the status of `before` into that of `after`, provided that the
// object is still the one of before.meta.resource_version. Nothing when they are equal.
template <typename T>
std::optional<client::Patch> StatusPatch(const T& before, const T& after);

// Sends it. The result is the object as it is now, which the store knows as well; `before` itself
// when there was nothing to send. kAborted: somebody else wrote in between, read again.
template <typename T>
net::Awaitable<Known<T>> WriteStatus(client::ApiClient& api, ObjectStore<T>& store,
                                     std::shared_ptr<const T> before, T after);

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
net::Awaitable<Known<T>> WriteStatus(client::ApiClient& api, ObjectStore<T>& store,
                                     std::shared_ptr<const T> before, T after) {
  std::optional<client::Patch> patch = StatusPatch(*before, after);
  if (!patch.has_value()) co_return std::move(before);
  Known<T> now = co_await PatchAndLearn(api, store, *before, *std::move(patch), "status");
  co_return std::move(now);
}

}  // namespace bth::controllers
