#include "cmd/common/page_servers.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "net/text_response.h"

namespace bth::cmd {
namespace {

constexpr size_t kPemBytesMax = 1 << 20;
constexpr absl::Duration kCertificatePeriod = absl::Seconds(30);

net::ServerOptions OptionsFor(const Endpoint& endpoint) {
  net::ServerOptions options;
  options.address = endpoint.host;
  options.port = endpoint.port;
  options.connections_max = 256;
  options.body_bytes_max = 64 << 10;
  return options;
}

// "::" also serves IPv4; machines without IPv6 have only the latter.
absl::StatusOr<std::unique_ptr<net::Server>> Listen(net::Executor& executor,
                                                    net::ServerOptions options,
                                                    net::Handler handler) {
  auto server = net::StartServer(executor, options, handler);
  if (server.ok() || options.address != "::") return server;
  options.address = "0.0.0.0";
  return net::StartServer(executor, std::move(options), std::move(handler));
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

absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text) {
  const auto wrong = [text] {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", ToAbsl(text), "\" is not an address such as :8080, 127.0.0.1:8080 or [::1]:8080"));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  Endpoint out;
  out.host = std::string(text.substr(0, colon));
  uint32_t port = 0;
  if (!absl::SimpleAtoi(ToAbsl(text.substr(colon + 1)), &port) || port > 65535) return wrong();
  out.port = static_cast<uint16_t>(port);
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']') {
    out.host = out.host.substr(1, out.host.size() - 2);
  } else if (out.host.find(':') != std::string::npos) {
    return wrong();
  }
  if (out.host.empty()) out.host = "::";
  if (out.host == "localhost") out.host = "127.0.0.1";
  return out;
}

absl::StatusOr<std::unique_ptr<net::Server>> ServePages(net::Executor& executor,
                                                        std::string_view address,
                                                        net::Handler pages) {
  BTH_ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(address));
  return Listen(executor, OptionsFor(endpoint), std::move(pages));
}

PageServers::~PageServers() {
  if (timer_ != 0) executor_.CancelTimer(timer_);
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
      return Annotate(started, absl::StrCat("--healthz-address ", flags.healthz_address));
    }
  }
  if (!flags.metrics || (flags.healthz && same)) return servers;
  auto server = ServePages(executor, flags.listen_address, std::move(pages));
  if (server.ok()) {
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
  options.tls =
      !flags_.ca_file.empty() && !flags_.certificate_file.empty() && !flags_.key_file.empty();
  if (options.tls) {
    BTH_ASSIGN_OR_RETURN(certificates_, ReadCertificates());
    options.certificates = certificates_;
    timer_ = executor_.RunAfter(kCertificatePeriod, [this] { RefreshCertificates(); });
  }
  BTH_ASSIGN_OR_RETURN(health_, Listen(executor_, std::move(options), std::move(pages)));
  return absl::OkStatus();
}

absl::StatusOr<net::ServerTls> PageServers::ReadCertificates() const {
  net::ServerTls tls;
  BTH_ASSIGN_OR_RETURN(tls.client_ca_pem, client::ReadSmallFile(flags_.ca_file, kPemBytesMax));
  BTH_ASSIGN_OR_RETURN(tls.certificate_pem,
                       client::ReadSmallFile(flags_.certificate_file, kPemBytesMax));
  BTH_ASSIGN_OR_RETURN(tls.key_pem, client::ReadSmallFile(flags_.key_file, kPemBytesMax));
  return tls;
}

// Files that are half rotated for the moment leave the former certificate in use.
void PageServers::RefreshCertificates() {
  timer_ = executor_.RunAfter(kCertificatePeriod, [this] { RefreshCertificates(); });
  absl::StatusOr<net::ServerTls> now = ReadCertificates();
  absl::Status status = now.status();
  if (status.ok()) {
    if (now->certificate_pem == certificates_.certificate_pem &&
        now->key_pem == certificates_.key_pem &&
        now->client_ca_pem == certificates_.client_ca_pem) {
      return;
    }
    status = health_->ReplaceCertificates(*now);
    if (status.ok()) certificates_ = *std::move(now);
  }
  if (status.ok()) {
    Log(LogLevel::kInfo, "certificate.renewed", {{"file", flags_.certificate_file}});
  } else {
    Log(LogLevel::kWarning, "certificate.refused",
        {{"file", flags_.certificate_file}, {"status", status}});
  }
}

}  // namespace bth::cmd
