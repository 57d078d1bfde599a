// vc-webhook-manager as it runs: sockets, the machine's clock, a signal at the end. Ports are the
// kernel's choice, and read from the log.
#include "cmd/common/webhook_daemon.h"

#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "admission/webhooks/configurations.h"
#include "apiserver/api_server.h"
#include "base/check.h"
#include "base/strings.h"
#include "cmd/common/embedded_crds.h"
#include "net/client.h"
#include "net/pem.h"
#include "tests/support/captured_log.h"
#include "tests/webhooks/review_texts.h"

namespace bth::cmd {
namespace {

using admission::testing::QueueText;
using admission::testing::ReviewText;
using net::Awaitable;
using types::Json;

constexpr char kSecret[] = "/api/v1/namespaces/volcano-system/secrets/webhook-certificate";
constexpr absl::Duration kLook = absl::Milliseconds(20);

// An API server on a port of its own.
class ServedApi {
 public:
  explicit ServedApi(net::IoContext& io) {
    apiserver::Options options;
    auto crds = EmbeddedCrds();
    REQUIRE(crds.ok());
    options.crds = *std::move(crds);
    auto api = apiserver::ApiServer::Create(io, std::move(options));
    REQUIRE(api.ok());
    api_ = *std::move(api);
    auto server = net::StartServer(io, {}, api_->handler());
    REQUIRE(server.ok());
    server_ = *std::move(server);
    direct_ = net::MakeInProcessTransport(io, api_->handler());
  }
  std::string url() const { return StrCat("http://127.0.0.1:", server_->port()); }
  net::Transport& direct() { return *direct_; }

 private:
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Transport> direct_;
};

Awaitable<net::Response> Fetch(net::Transport& transport, std::string method, std::string target,
                               std::string body = "") {
  net::Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  if (!body.empty()) request.headers.Set("Content-Type", "application/json");
  request.body = std::move(body);
  absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
  BTH_CHECK(response.ok());
  co_return *std::move(response);
}

std::unique_ptr<net::Transport> ClientOf(net::IoContext& io, uint16_t port,
                                         const std::string& ca_pem) {
  net::ClientOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.tls.enabled = !ca_pem.empty();
  options.tls.ca_pem = ca_pem;
  auto made = net::MakeHttpClient(io, std::move(options));
  BTH_CHECK(made.ok());
  return *std::move(made);
}

// What the daemon has told.
class DaemonLog {
 public:
  bool Has(std::string_view event) { return StrContains(text(), event); }
  // The port of the address in the line of this event, which is there.
  uint16_t PortOf(std::string_view event) {
    constexpr std::string_view kHost = "127.0.0.1:";
    const std::string_view line = std::string_view(text()).substr(text().find(event));
    const std::string_view port = line.substr(line.find(kHost) + kHost.size());
    return static_cast<uint16_t>(std::stoi(std::string(port.substr(0, 5))));
  }

 private:
  const std::string& text() {
    for (const std::string& line : log_.Take()) StrAppend(&text_, line, "\n");
    return text_;
  }

  test::CapturedLog log_{LogLevel::kInfo};
  std::string text_;
};

WebhookFlags FlagsFor(const ServedApi& api) {
  WebhookFlags flags;
  flags.api.master = api.url();
  flags.listen_address = "127.0.0.1";
  flags.port = 0;
  flags.webhook_namespace = "volcano-system";
  flags.webhook_url = "https://127.0.0.1";
  flags.certificate_secret = "webhook-certificate";
  flags.self_register = true;
  flags.enabled_admission = "/queues/validate";
  flags.healthz = true;
  flags.healthz_address = "127.0.0.1:0";
  return flags;
}

struct Seen {
  Json allowed, refused, configuration;
};

// Waits until the daemon is ready, asks it, and tells it to end.
Awaitable<void> Visit(net::IoContext& io, ServedApi& api, DaemonLog& log, Seen& seen) {
  const auto pages = ClientOf(io, log.PortOf("health.served"), "");
  net::Response ready = co_await Fetch(*pages, "GET", "/readyz");
  while (ready.status != 200) {
    co_await net::Sleep(io, kLook);
    ready = co_await Fetch(*pages, "GET", "/readyz");
  }
  const net::Response secret = co_await Fetch(api.direct(), "GET", kSecret);
  const Json kept = *Json::Parse(secret.body);
  const auto webhooks = ClientOf(io, log.PortOf("webhooks.served"),
                                 *net::Base64Decode(kept["data"]["ca.crt"].AsString()));
  ReviewText text;
  text.object = QueueText("q1", R"({"weight":1})");
  const net::Response allowed = co_await Fetch(*webhooks, "POST", "/queues/validate", ToText(text));
  seen.allowed = (*Json::Parse(allowed.body))["response"];
  text.object = QueueText("q1", R"({"capability":{"cpu":"-1"}})");
  const net::Response refused = co_await Fetch(*webhooks, "POST", "/queues/validate", ToText(text));
  seen.refused = (*Json::Parse(refused.body))["response"];
  while (!log.Has("registration.done")) co_await net::Sleep(io, kLook);
  const auto path = admission::ConfigurationPath(*admission::FindWebhook("/queues/validate")).path;
  const net::Response configuration = co_await Fetch(api.direct(), "GET", path);
  seen.configuration = *Json::Parse(configuration.body);
  std::raise(SIGTERM);
}

TEST_CASE("webhook daemon: makes its certificate, registers, answers over TLS, and ends",
          "[cmd][webhooks]") {
  const auto io = net::IoContext::Create();
  ServedApi api(*io);
  DaemonLog log;
  auto daemon = WebhookDaemon::Create(*io, FlagsFor(api));
  INFO(daemon.status().ToString());
  REQUIRE(daemon.ok());
  bool in_time = true;
  io->RunAfter(absl::Minutes(1), [&] {
    in_time = false;
    io->Stop();
  });
  Seen seen;
  const auto visit = [&]() -> Awaitable<void> {
    const std::string ns = R"({"metadata":{"name":"volcano-system"}})";
    (void)co_await Fetch(api.direct(), "POST", "/api/v1/namespaces", ns);
    co_await Visit(*io, api, log, seen);
  };
  net::Spawn(*io, visit());
  const absl::StatusOr<int> exit_code = (*daemon)->Run();
  REQUIRE(in_time);
  REQUIRE(exit_code.ok());
  CHECK(*exit_code == 0);
  CHECK(seen.allowed["allowed"].AsBool());
  CHECK(seen.allowed["uid"].AsString() == "u-1");
  CHECK_FALSE(seen.refused["allowed"].AsBool(true));
  CHECK_THAT(std::string(seen.refused["status"]["message"].AsString()),
             Catch::Contains("spec.capability.cpu"));
  CHECK(std::as_const(seen.configuration)["webhooks"][0]["clientConfig"]["url"].AsString() ==
        "https://127.0.0.1/queues/validate");
}

TEST_CASE("webhook daemon: an API server that is not there is waited for", "[cmd][webhooks]") {
  const auto io = net::IoContext::Create();
  DaemonLog log;
  WebhookFlags flags;
  {
    ServedApi api(*io);  // Its port is free again afterwards.
    flags = FlagsFor(api);
  }
  auto daemon = WebhookDaemon::Create(*io, flags);
  REQUIRE(daemon.ok());
  net::Response live, ready;
  const auto visit = [&]() -> Awaitable<void> {
    const auto pages = ClientOf(*io, log.PortOf("health.served"), "");
    live = co_await Fetch(*pages, "GET", "/livez");
    ready = co_await Fetch(*pages, "GET", "/readyz");
    std::raise(SIGTERM);
  };
  net::Spawn(*io, visit());
  const absl::StatusOr<int> exit_code = (*daemon)->Run();
  REQUIRE(exit_code.ok());
  CHECK(*exit_code == 0);
  CHECK(live.status == 200);
  CHECK(ready.status == 503);
  CHECK_THAT(ready.body, Catch::Contains("the API server has not answered yet"));
}

}  // namespace
}  // namespace bth::cmd
