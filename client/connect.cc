#include "client/connect.h"

#include <utility>

#include "base/status.h"
#include "client/process.h"

namespace bth::client {

absl::StatusOr<std::unique_ptr<ApiClient>> Connect(net::Executor& executor,
                                                   const ClientConfig& config,
                                                   ApiClientOptions options,
                                                   net::ClientOptions pool) {
  auto factory = [&executor](net::ClientOptions wanted) {
    return net::MakeHttpClient(executor, std::move(wanted));
  };
  auto connection =
      std::make_unique<Connection>(executor, config, std::move(pool), std::move(factory));
  // Wrong files are told at start. Credential programs run with the first request.
  BTH_RETURN_IF_ERROR(connection->Get(Identity()));
  RunCommand run;
  if (config.credentials.exec.has_value()) {
    auto runner = std::make_shared<ProcessRunner>(executor);
    run = [runner](ProcessRequest request) { return runner->Run(std::move(request)); };
  }
  auto credentials =
      std::make_unique<CredentialSource>(executor, config.credentials, std::move(run));
  options.path_prefix = config.server.path_prefix;
  return std::make_unique<ApiClient>(executor, std::move(connection), std::move(credentials),
                                     std::move(options));
}

}  // namespace bth::client
