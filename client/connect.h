// An ApiClient over the network, wired from a ClientConfig.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "client/api_client.h"
#include "client/client_config.h"

namespace bth::client {

// Checks that the certificates can be read and that the transport can be made, but sends nothing.
// `options.path_prefix` comes from `config`; `pool` gives connection limits and timeouts. Each
// call makes its own connections and rate limit: leader election takes a client of its own.
// `executor` is an IoContext and outlives the client. `on_answer`, where somebody wants it, sees
// the head of each answer.
using OnAnswer = std::function<void(const net::Headers&)>;
absl::StatusOr<std::unique_ptr<ApiClient>> Connect(net::Executor& executor,
                                                   const ClientConfig& config,
                                                   ApiClientOptions options,
                                                   net::ClientOptions pool = {},
                                                   OnAnswer on_answer = nullptr);

}  // namespace bth::client
