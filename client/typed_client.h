// ApiClient for the structs of api/types.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/types/codec.h"
#include "client/api_client.h"

namespace bth::client {

inline ApiPath PathOf(const types::ResourceType& type, std::string_view namespace_name = {},
                      std::string_view name = {}, std::string_view subresource = {}) {
  std::string resource = type.plural;
  if (!subresource.empty()) resource.append("/").append(subresource);
  return {std::move(resource), type.Path(namespace_name, name, subresource)};
}
template <typename T>
ApiPath PathOf(std::string_view namespace_name = {}, std::string_view name = {},
               std::string_view subresource = {}) {
  return PathOf(types::ResourceTraits<T>::type(), namespace_name, name, subresource);
}

template <typename T>
net::Awaitable<absl::StatusOr<T>> GetObject(ApiClient& api, std::string namespace_name,
                                            std::string name) {
  ApiPath path = PathOf<T>(namespace_name, name);
  ApiClient::Text text = co_await api.Get(std::move(path));
  BTH_CO_RETURN_IF_ERROR(text);
  co_return types::Decode<T>(std::string_view(*text));
}

// Every page. What cannot be read is named in `malformed`. Holds the whole list: for command lines
// and small collections; daemons use informers.
template <typename T>
net::Awaitable<absl::StatusOr<types::ListResult<T>>> ListObjects(ApiClient& api,
                                                                 std::string namespace_name,
                                                                 ListOptions options) {
  types::ListResult<T> all;
  do {
    ApiPath path = PathOf<T>(namespace_name);
    ApiClient::Text text = co_await api.List(std::move(path), options);
    BTH_CO_RETURN_IF_ERROR(text);
    absl::StatusOr<types::ListResult<T>> page = types::DecodeList<T>(*std::move(text));
    BTH_CO_RETURN_IF_ERROR(page);
    for (T& object : page->items) all.items.push_back(std::move(object));
    for (types::Malformed& item : page->malformed) all.malformed.push_back(std::move(item));
    all.resource_version = std::move(page->resource_version);
    options.continue_token = std::move(page->continue_token);
  } while (!options.continue_token.empty());
  co_return all;
}

// POST of an object that we built ourselves; the answer is what the server made of it.
template <typename T>
net::Awaitable<absl::StatusOr<T>> CreateObject(ApiClient& api, T object) {
  ApiPath path = PathOf<T>(object.meta.ns);
  ApiClient::Text text = co_await api.Create(std::move(path), types::Encode(object));
  BTH_CO_RETURN_IF_ERROR(text);
  co_return types::Decode<T>(std::string_view(*text));
}

}  // namespace bth::client
