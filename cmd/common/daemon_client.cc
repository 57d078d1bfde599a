#include "cmd/common/daemon_client.h"

#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/connect.h"
#include "cmd/common/version.h"

namespace bth::cmd {
namespace {

// Requests in flight: those of the daemon's lanes, the senders of events, and some for lists.
constexpr int kConnectionsMax = 48;
constexpr int kStreamsMax = 64;

std::string_view MethodOf(std::string_view verb) {
  if (verb == "get" || verb == "list" || verb == "watch") return "GET";
  if (verb == "create") return "POST";
  if (verb == "update") return "PUT";
  if (verb == "patch") return "PATCH";
  if (verb == "delete") return "DELETE";
  return verb;
}

std::string HostOf(const client::ClientConfig& config) {
  return StrCat(config.server.host, ":", config.server.port);
}

}  // namespace

std::function<void(const client::CallRecord&)> CountCalls(metrics::ClientMetrics& metrics,
                                                          std::string host) {
  return [&metrics, host = std::move(host)](const client::CallRecord& call) {
    metrics.RestRequest(call.code, MethodOf(call.verb), host);
  };
}

absl::StatusOr<client::ClientConfig> ChooseServer(const ApiFlags& flags) {
  BTH_ASSIGN_OR_RETURN(client::ClientConfig config, client::LoadClientConfig(flags.Sources()));
  Log(LogLevel::kInfo, "server.chosen",
      {{"server", client::ToText(config.server)}, {"by", config.origin}});
  return config;
}

std::unique_ptr<client::ServerContact> MakeContact(
    net::IoContext& io, const client::ClientConfig& config,
    std::function<void(const absl::Status&)> on_hopeless) {
  client::ServerContactOptions options;
  options.server = HostOf(config);
  options.origin = config.origin;
  options.on_hopeless = std::move(on_hopeless);
  return std::make_unique<client::ServerContact>(io, std::move(options));
}

absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForWork(const DaemonLine& line,
                                                                  const ApiFlags& flags,
                                                                  std::function<bool()> may_write) {
  client::ApiClientOptions options;
  options.user_agent = UserAgent(line.program);
  options.on_call = CountCalls(line.metrics, HostOf(line.config));
  options.contact = line.contact;
  options.qps = flags.qps;
  options.burst = static_cast<int>(flags.burst);
  options.protobuf = flags.protobuf();
  options.may_write = std::move(may_write);
  net::ClientOptions pool;
  pool.connections_max = kConnectionsMax;
  pool.streams_max = kStreamsMax;
  return client::Connect(line.io, line.config, std::move(options), std::move(pool));
}

absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForReviews(const DaemonLine& line) {
  client::ApiClientOptions options;
  options.user_agent = UserAgent(line.program + "/access-review");
  options.on_call = CountCalls(line.metrics, HostOf(line.config));
  options.qps = 10;  // What strangers can make the API server do.
  options.burst = 20;
  options.timeout = absl::Seconds(10);
  options.response_bytes_max = size_t{256} << 10;
  net::ClientOptions pool;
  pool.connections_max = 4;
  pool.streams_max = 1;
  return client::Connect(line.io, line.config, std::move(options), std::move(pool));
}

absl::StatusOr<std::unique_ptr<client::ApiClient>> ConnectForLease(const DaemonLine& line) {
  client::ApiClientOptions options;
  options.user_agent = UserAgent(line.program + "/leader-election");
  options.on_call = CountCalls(line.metrics, HostOf(line.config));
  options.contact = line.contact;
  net::ClientOptions pool;
  pool.connections_max = 2;
  pool.streams_max = 1;
  return client::Connect(line.io, line.config, std::move(options), std::move(pool));
}

}  // namespace bth::cmd
