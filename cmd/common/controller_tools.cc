#include "cmd/common/controller_tools.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "client/client_config.h"
#include "net/client.h"
#include "net/ssh_keys.h"
#include "scheduler/web_client.h"

namespace bth::cmd {
namespace {

constexpr int kSshKeyBits = 2048;

// A connection of its own: these servers are asked once in minutes or hours.
net::Awaitable<absl::StatusOr<std::string>> Fetch(net::Executor& executor,
                                                  controllers::WebRequest request) {
  const absl::StatusOr<client::ServerUrl> server = client::ParseServerUrl(request.url, "https");
  BTH_CO_RETURN_IF_ERROR(server);
  scheduler::WebClient::Options options;
  options.insecure_skip_verify = request.insecure_skip_verify;
  options.username = std::move(request.username);
  options.password = std::move(request.password);
  options.connections_max = 1;
  const client::TransportFactory factory = [&executor](net::ClientOptions made) {
    return net::MakeHttpClient(executor, std::move(made));
  };
  absl::StatusOr<std::unique_ptr<scheduler::WebClient>> web =
      scheduler::WebClient::Create(factory, *server, std::move(options));
  BTH_CO_RETURN_IF_ERROR(web);
  scheduler::WebClient::Call call;
  call.timeout = request.timeout;
  call.response_bytes_max = request.response_bytes_max;
  absl::StatusOr<std::string> answer = co_await (*web)->Exchange(std::move(call));
  co_return std::move(answer);
}

}  // namespace

controllers::ControllerTools MakeControllerTools(net::Executor& executor) {
  controllers::ControllerTools tools;
  tools.job_plugins.make_ssh_keys = []() -> absl::StatusOr<controllers::SshKeys> {
    BTH_ASSIGN_OR_RETURN(net::RsaKeyPair pair, net::GenerateRsaKeyPair(kSshKeyBits));
    return controllers::SshKeys{std::move(pair.private_pem), std::move(pair.public_line)};
  };
  tools.fetch = [&executor](controllers::WebRequest request) {
    return Fetch(executor, std::move(request));
  };
  return tools;
}

}  // namespace bth::cmd
