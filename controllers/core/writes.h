// Writes, and what the stores learn from their answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/codec.h"
#include "base/status.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/object_store.h"

namespace bth::controllers {

template <typename T>
using Known = absl::StatusOr<std::shared_ptr<const T>>;

// The object as the server says it is now: the store knows it from here on.
template <typename T>
Known<T> Learn(ObjectStore<T>& store, const client::ApiClient::Text& answer) {
  BTH_RETURN_IF_ERROR(answer);
  absl::StatusOr<T> object = types::Decode<T>(std::string_view(*answer));
  BTH_RETURN_IF_ERROR(object);
  store.Complete(*object);
  std::shared_ptr<const T> now = std::make_shared<const T>(*object);
  store.Observe(*std::move(object));
  return now;
}

// `body`: the JSON of the object.
template <typename T>
net::Awaitable<Known<T>> CreateAndLearn(client::ApiClient& api, ObjectStore<T>& store,
                                        std::string ns, std::string body) {
  client::ApiPath path = client::PathOf<T>(ns);
  const client::ApiClient::Text answer = co_await api.Create(std::move(path), std::move(body));
  Known<T> now = Learn(store, answer);
  co_return std::move(now);
}

// `object` lives until this begins. `subresource`: empty, or "status".
template <typename T>
net::Awaitable<Known<T>> PatchAndLearn(client::ApiClient& api, ObjectStore<T>& store,
                                       const T& object, client::Patch patch,
                                       std::string_view subresource = {}) {
  client::ApiPath path = client::PathOf<T>(object.meta.ns, object.meta.name, subresource);
  const client::ApiClient::Text answer = co_await api.Patch(std::move(path), std::move(patch));
  Known<T> now = Learn(store, answer);
  co_return std::move(now);
}

// What is gone already counts as deleted. Another object of that name is left alone: kAborted.
// `object` lives until this begins.
template <typename T>
net::Awaitable<absl::Status> DeleteObject(client::ApiClient& api, const T& object,
                                          std::string propagation = {}) {
  client::ApiPath path = client::PathOf<T>(object.meta.ns, object.meta.name);
  client::DeleteOptions options;
  options.uid = object.meta.uid;
  options.propagation = std::move(propagation);
  const client::ApiClient::Text answer = co_await api.Delete(std::move(path), std::move(options));
  if (absl::IsNotFound(answer.status())) co_return absl::OkStatus();
  co_return answer.status();
}

}  // namespace bth::controllers
