#include "cmd/common/page_servers.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/text_response.h"

namespace bth::cmd {
namespace {

net::ServerOptions OptionsFor(const Endpoint& endpoint) {
  net::ServerOptions options;
  options.address = endpoint.host;
  options.port = endpoint.port;
  options.connections_max = 256;
  options.body_bytes_max = 64 << 10;
  return options;
}

net::Awaitable<net::Response> NotHere() {
  co_return net::TextResponse(404, "pages: /healthz /livez /readyz\n");
}

// Health alone: its address is reachable for more machines than the others'.
net::Handler HealthOnly(net::Handler pages) {
  return [pages = std::move(pages)](net::Request request) {
    const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
    for (const char* path : {"/healthz", "/healthz/ping", "/livez", "/readyz"}) {
      if (target.ok() && target->path == path) return pages(std::move(request));
    }
    return NotHere();
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<net::Server>> ListenOn(net::Executor& executor,
                                                      net::ServerOptions options,
                                                      net::Handler handler) {
  auto server = net::StartServer(executor, options, handler);
  if (server.ok() || options.address != "::") return server;
  options.address = "0.0.0.0";
  return net::StartServer(executor, std::move(options), std::move(handler));
}

absl::StatusOr<std::unique_ptr<net::Server>> ServePages(net::Executor& executor,
                                                        std::string_view address,
                                                        net::Handler pages,
                                                        const net::ServerTls* tls) {
  BTH_ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(address));
  net::ServerOptions options = OptionsFor(endpoint);
  options.tls = tls != nullptr;
  if (tls != nullptr) options.certificates = *tls;
  return ListenOn(executor, std::move(options), std::move(pages));
}

absl::StatusOr<std::unique_ptr<PageServers>> PageServers::Start(net::Executor& executor,
                                                                const PageFlags& flags,
                                                                net::Handler pages) {
  std::unique_ptr<PageServers> servers(new PageServers(executor, flags));
  const bool same = flags.healthz_address == flags.listen_address;
  if (flags.healthz) {
    const absl::Status started =
        servers->StartHealth(flags.metrics && same ? pages : HealthOnly(pages));
    if (!started.ok()) {
      return Annotate(started, StrCat("--healthz-address ", flags.healthz_address));
    }
  }
  if (!flags.metrics || (flags.healthz && same)) return servers;
  auto server = ServePages(executor, flags.listen_address, std::move(pages));
  if (server.ok()) {
    LogServed("metrics.served", flags.listen_address, **server, false);
    servers->metrics_ = *std::move(server);
  } else {
    Log(LogLevel::kError, "metrics.not_served",
        {{"address", flags.listen_address}, {"status", server.status()}});
  }
  return servers;
}

absl::Status PageServers::StartHealth(net::Handler pages) {
  BTH_ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(flags_.healthz_address));
  net::ServerOptions options = OptionsFor(endpoint);
  options.tls = !flags_.certificate_file.empty();  // Checked: all three files or none.
  if (options.tls) {
    BTH_ASSIGN_OR_RETURN(
        certificates_, ServedCertificates::Read(executor_, {.certificate = flags_.certificate_file,
                                                            .key = flags_.key_file,
                                                            .client_ca = flags_.ca_file}));
    options.certificates = certificates_->now();
  }
  BTH_ASSIGN_OR_RETURN(health_, ListenOn(executor_, std::move(options), std::move(pages)));
  if (certificates_ != nullptr) certificates_->Follow(*health_);
  LogServed("health.served", flags_.healthz_address, *health_, certificates_ != nullptr);
  return absl::OkStatus();
}

void LogServed(std::string_view event, std::string_view address, const net::Server& server,
               bool tls) {
  Endpoint served = ParseEndpoint(address).value_or(Endpoint());
  served.port = server.port();  // Another than the one asked for when that was 0.
  Log(LogLevel::kInfo, event, {{"address", ToText(served)}, {"tls", tls}});
}

}  // namespace bth::cmd
