// The debug pages over real sockets, with the embedded API server to ask.
#include "cmd/common/debug_server.h"

#include "apiserver/api_server.h"
#include "base/strings.h"
#include "net/client.h"
#include "net/io_context.h"
#include "net/pem.h"
#include "net/text_response.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

net::Awaitable<net::Response> TellDebugPage(net::Request request) {
  co_return net::TextResponse(200, "page " + request.target);
}

net::Awaitable<void> FetchAndStop(net::IoContext& io, net::Transport& transport,
                                  net::Request request, absl::StatusOr<net::Response>& out) {
  out = co_await transport.Fetch(std::move(request));
  io.Stop();
}

// Everything a DebugServer stands on. The API server knows the token "secret".
struct DebugBed {
  DebugBed() {
    const auto made = net::GenerateSelfSigned({"127.0.0.1"}, absl::Now(), absl::Hours(1));
    REQUIRE(made.ok());
    authority = made->ca_pem;
    flags.bind_address = "127.0.0.1:0";
    certificate = folder.Write("tls.crt", made->certificate_pem);
    key = folder.Write("tls.key", made->key_pem);
    apiserver::Options options;
    options.tokens["secret"] = {"ann", "1", {"team"}};
    auto started = apiserver::ApiServer::Create(*io, std::move(options));
    REQUIRE(started.ok());
    api = *std::move(started);
  }

  absl::StatusOr<std::unique_ptr<client::ApiClient>> Connect() {
    ++connections;
    net::Handler authorized = [handler = api->handler()](net::Request request) {
      request.headers.Set("Authorization", "Bearer secret");
      return handler(std::move(request));
    };
    return std::make_unique<client::ApiClient>(
        *io, net::MakeInProcessTransport(*io, std::move(authorized)), client::ApiClientOptions{});
  }
  absl::StatusOr<std::unique_ptr<DebugServer>> Start() {
    REQUIRE(flags.Check().ToString() == "OK");
    const DebugServer::Context context{
        .executor = *io, .registry = registry, .connect = [this] { return Connect(); }};
    return DebugServer::Start(context, flags, TellDebugPage);
  }
  void Secure() {
    flags.certificate_file = certificate;
    flags.key_file = key;
  }
  // "" when the request did not get through.
  std::string Get(const DebugServer& server, const std::string& token) {
    net::ClientOptions options;
    options.host = "127.0.0.1";
    options.port = server.port();
    options.tls.enabled = flags.tls();
    options.tls.ca_pem = authority;
    options.tls.insecure_skip_verify = flags.self_signed;
    auto transport = net::MakeHttpClient(*io, std::move(options));
    REQUIRE(transport.ok());
    net::Request request;
    request.target = "/debug/queues";
    if (!token.empty()) request.headers.Set("Authorization", "Bearer " + token);
    absl::StatusOr<net::Response> response = absl::UnknownError("not through");
    net::Spawn(*io, FetchAndStop(*io, **transport, std::move(request), response));
    io->Run();
    return response.ok() ? StrCat(response->status, " ", response->body) : "";
  }

  const test::TempFolder folder;
  std::string authority;
  std::string certificate;
  std::string key;
  DebugFlags flags;
  metrics::Registry registry;
  int connections = 0;
  std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  std::unique_ptr<apiserver::ApiServer> api;
};

TEST_CASE("debug server: on loopback without a certificate nobody is asked", "[cmd][access]") {
  DebugBed bed;
  const auto server = bed.Start();
  REQUIRE(server.ok());
  CHECK(bed.Get(**server, "") == "200 page /debug/queues");
  CHECK(bed.connections == 0);
}

TEST_CASE("debug server: with a certificate only those come in whom the API server knows",
          "[cmd][access]") {
  DebugBed bed;
  bed.Secure();
  const auto server = bed.Start();
  REQUIRE(server.status().ToString() == "OK");
  CHECK_THAT(bed.Get(**server, ""), Catch::StartsWith(R"(401 {"kind":"Status",)"));
  CHECK_THAT(bed.Get(**server, "guess"), Catch::StartsWith(R"(401 {"kind":"Status",)"));
  CHECK(bed.Get(**server, "secret") == "200 page /debug/queues");
}

TEST_CASE("debug server: a certificate of its own keeps the same people out", "[cmd][access]") {
  DebugBed bed;
  bed.flags.self_signed = true;
  const auto server = bed.Start();
  REQUIRE(server.status().ToString() == "OK");
  CHECK_THAT(bed.Get(**server, ""), Catch::StartsWith(R"(401 {"kind":"Status",)"));
  CHECK(bed.Get(**server, "secret") == "200 page /debug/queues");
}

TEST_CASE("debug server: an empty address serves nowhere", "[cmd][access]") {
  DebugBed bed;
  bed.flags.bind_address.clear();
  const auto server = bed.Start();
  REQUIRE(server.ok());
  CHECK(*server == nullptr);
}

TEST_CASE("debug server: an address in use is no reason to end", "[cmd][access]") {
  DebugBed bed;
  const auto first = bed.Start();
  REQUIRE(first.ok());
  bed.flags.bind_address = StrCat("127.0.0.1:", (*first)->port());
  const auto second = bed.Start();
  REQUIRE(second.ok());
  CHECK(*second == nullptr);
}

TEST_CASE("debug server: a certificate that cannot be used is", "[cmd][access]") {
  DebugBed bed;
  bed.Secure();
  bed.folder.Write("wrong", "no PEM");
  const bool of_key = GENERATE(true, false);
  const char* name = GENERATE("none", "wrong");
  (of_key ? bed.flags.key_file : bed.flags.certificate_file) = bed.folder.Sub(name);
  CHECK_FALSE(bed.Start().ok());
}

}  // namespace
}  // namespace bth::cmd
