#include "client/connect.h"

#include <utility>

#include "base/status.h"
#include "client/process.h"

namespace bth::client {
namespace {

// Shows the heads of answers to somebody.
class WatchedTransport final : public net::Transport {
 public:
  WatchedTransport(std::unique_ptr<net::Transport> line, OnAnswer on_answer)
      : line_(std::move(line)), on_answer_(std::move(on_answer)) {}

  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    absl::StatusOr<net::Response> response = co_await line_->Fetch(std::move(request));
    if (response.ok()) on_answer_(response->headers);
    co_return response;
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    absl::StatusOr<net::Response> response = co_await line_->Open(std::move(request));
    if (response.ok()) on_answer_(response->headers);
    co_return response;
  }

 private:
  const std::unique_ptr<net::Transport> line_;
  const OnAnswer on_answer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ApiClient>> Connect(net::Executor& executor,
                                                   const ClientConfig& config,
                                                   ApiClientOptions options,
                                                   net::ClientOptions pool, OnAnswer on_answer) {
  auto factory = [&executor, on_answer](
                     net::ClientOptions wanted) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
    auto line = net::MakeHttpClient(executor, std::move(wanted));
    if (!line.ok() || !on_answer) return line;
    return std::make_unique<WatchedTransport>(*std::move(line), on_answer);
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
