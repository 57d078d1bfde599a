// Server and client together, over TCP and TLS.
#include <set>
#include <vector>

#include "base/strings.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Drain;
using test::Drained;
using test::Get;
using test::Loopback;
using test::MustFetch;
using test::Post;

// Answers with what was asked.
Awaitable<Response> Describe(Request request) {
  Response response;
  response.headers.Set("X-Method", request.method);
  response.headers.Set("X-Target", request.target);
  response.headers.Set("X-Peer", request.peer.address);
  response.headers.Set("X-Common-Name", request.peer.certificate_common_name);
  for (const std::string& organization : request.peer.certificate_organizations) {
    response.headers.Add("X-Organization", organization);
  }
  response.body = std::move(request.body);
  co_return response;
}

std::string Pattern(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + (i * 31 + i / 4096) % 26);
  return out;
}

ServerOptions Options(bool tls) {
  ServerOptions options;
  options.tls = tls;
  options.body_bytes_max = 16 << 20;
  return options;
}

TEST_CASE("http: bodies of all sizes arrive as they were sent", "[net]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  loopback.Serve(Options(tls), Describe);
  const std::unique_ptr<Transport> client = loopback.Client();
  auto work = [&]() -> Awaitable<void> {
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{16383}, size_t{16384}, size_t{100000}, size_t{10} << 20}) {
      const std::string body = Pattern(size);
      const Response response = co_await MustFetch(*client, Post("/p?q=1", body));
      CHECK(response.status == 200);
      CHECK((response.body == body));
      CHECK(response.headers.Get("X-Target") == "/p?q=1");
      CHECK(response.headers.Get("Content-Length") == StrCat(size));
      CHECK(response.headers.Has("Date"));
    }
  };
  loopback.Run(work());
}

TEST_CASE("http: a kept-alive connection serves call after call", "[net]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  loopback.Serve(Options(tls), Describe);
  const std::unique_ptr<Transport> client = loopback.Client();
  std::set<std::string> peers;
  auto work = [&]() -> Awaitable<void> {
    for (int i = 0; i < 1000; ++i) {
      const Response response = co_await MustFetch(*client, Post("/", StrCat(i)));
      CHECK(response.body == StrCat(i));
      peers.emplace(response.headers.Get("X-Peer"));
    }
  };
  loopback.Run(work());
  CHECK(peers.size() == 1);
}

struct Counters {
  int running = 0;
  int running_max = 0;
  int ended = 0;
};

Awaitable<void> FetchOne(Transport& client, int i, std::set<std::string>& peers, int& left,
                         const Promised<bool>& all_done) {
  const Response response = co_await MustFetch(client, Post("/", StrCat("body ", i)));
  CHECK(response.body == StrCat("body ", i));
  peers.emplace(response.headers.Get("X-Peer"));
  if (--left == 0) all_done.Set(true);
}

TEST_CASE("http: concurrent calls share the allowed connections", "[net]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  Executor& executor = *loopback.io;
  Counters counters;
  loopback.Serve(Options(tls), [&](Request request) -> Awaitable<Response> {
    ++counters.running;
    counters.running_max = std::max(counters.running_max, counters.running);
    co_await Sleep(executor, absl::Milliseconds(1));
    --counters.running;
    co_return co_await Describe(std::move(request));
  });
  ClientOptions options;
  options.connections_max = 8;
  const std::unique_ptr<Transport> client = loopback.Client(options);
  std::set<std::string> peers;
  int left = 200;
  const Promised<bool> all_done(executor);
  auto work = [&]() -> Awaitable<void> {
    for (int i = 0; i < 200; ++i) Spawn(executor, FetchOne(*client, i, peers, left, all_done));
    co_await all_done.Wait();
  };
  loopback.Run(work());
  CHECK(left == 0);
  CHECK(counters.running_max <= 8);
  CHECK(counters.running_max > 1);
  CHECK(peers.size() <= 8);
}

TEST_CASE("http: HEAD, 204 and header fields", "[net]") {
  Loopback loopback;
  loopback.Serve(Options(false), [](Request request) -> Awaitable<Response> {
    Response response;
    response.status = request.target == "/none" ? 204 : 418;
    response.headers.Add("X-Twice", "1");
    response.headers.Add("X-Twice", "2");
    response.headers.Set("Content-Length", "999");  // The server knows better.
    if (request.target != "/none") response.body = "teapot";
    co_return response;
  });
  const std::unique_ptr<Transport> client = loopback.Client();
  auto work = [&]() -> Awaitable<void> {
    Request head = Get("/x");
    head.method = "HEAD";
    const Response headed = co_await MustFetch(*client, std::move(head));
    CHECK(headed.status == 418);
    CHECK(headed.body.empty());
    CHECK(headed.headers.Get("Content-Length") == "6");
    const Response none = co_await MustFetch(*client, Get("/none"));
    CHECK(none.status == 204);
    CHECK_FALSE(none.headers.Has("Content-Length"));
    const Response full = co_await MustFetch(*client, Get("/x"));
    CHECK(full.body == "teapot");
    CHECK(full.headers.fields()[0].second == "1");
    CHECK(full.headers.fields()[1].second == "2");
  };
  loopback.Run(work());
}

TEST_CASE("http: fields that would split a message are refused on both sides", "[net]") {
  Loopback loopback;
  loopback.Serve(Options(false), [](Request) -> Awaitable<Response> {
    Response response;
    response.headers.Set("X-Bad", "a\r\nSet-Cookie: b");
    co_return response;
  });
  const std::unique_ptr<Transport> client = loopback.Client();
  auto work = [&]() -> Awaitable<void> {
    Request request = Get("/");
    request.headers.Set("X-Bad", "a\nb");
    const absl::StatusOr<Response> refused = co_await client->Fetch(std::move(request));
    CHECK(refused.status().code() == absl::StatusCode::kInvalidArgument);
    const absl::StatusOr<Response> target = co_await client->Fetch(Get("/a b"));
    CHECK(target.status().code() == absl::StatusCode::kInvalidArgument);
    const Response response = co_await MustFetch(*client, Get("/"));
    CHECK(response.status == 500);
    CHECK_FALSE(response.headers.Has("Set-Cookie"));
  };
  loopback.Run(work());
}

TEST_CASE("http: an answer beyond the client's limit is refused", "[net]") {
  Loopback loopback;
  loopback.Serve(Options(false), Describe);
  const std::unique_ptr<Transport> client = loopback.Client();
  auto work = [&]() -> Awaitable<void> {
    Request request = Post("/", Pattern(1000));
    request.response_bytes_max = 999;
    const absl::StatusOr<Response> refused = co_await client->Fetch(std::move(request));
    CHECK(refused.status().code() == absl::StatusCode::kResourceExhausted);
    Request exact = Post("/", Pattern(1000));
    exact.response_bytes_max = 1000;
    const Response response = co_await MustFetch(*client, std::move(exact));
    CHECK(response.body.size() == 1000);
  };
  loopback.Run(work());
}

TEST_CASE("tls: names and trust are verified", "[net][tls]") {
  struct Case {
    std::string name, host, server_name;
    bool trusted, insecure, works;
  };
  const Case c = GENERATE(values<Case>({
      {"by address", "127.0.0.1", "", true, false, true},
      {"by name", "localhost", "", true, false, true},
      {"by given name", "127.0.0.1", "localhost", true, false, true},
      {"another name", "127.0.0.1", "example.com", true, false, false},
      {"another address", "127.0.0.1", "10.0.0.1", true, false, false},
      {"unknown authority", "127.0.0.1", "", false, false, false},
      {"nothing is verified", "127.0.0.1", "example.com", false, true, true},
  }));
  CAPTURE(c.name);
  Loopback loopback;
  loopback.Serve(Options(true), Describe);
  ClientOptions options;
  options.host = c.host;
  options.tls.enabled = true;
  options.tls.server_name = c.server_name;
  options.tls.insecure_skip_verify = c.insecure;
  if (c.trusted) options.tls.ca_pem = test::Certificates().authority.certificate_pem;
  const std::unique_ptr<Transport> client = loopback.Client(options);
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await client->Fetch(Get("/"));
    CHECK(response.ok() == c.works);
    if (!c.works) {
      CHECK(response.status().code() == absl::StatusCode::kUnavailable);
      CHECK(std::string(response.status().message()).find("certificate refused") !=
            std::string::npos);
      CHECK(std::string(response.status().message()).find("not sent") != std::string::npos);
    }
  };
  loopback.Run(work());
}

TEST_CASE("tls: a client certificate names its owner", "[net][tls]") {
  Loopback loopback;
  loopback.Serve(Options(true), Describe);
  ClientOptions options;
  options.tls = test::TlsForClient();
  const std::unique_ptr<Transport> nobody = loopback.Client(options);
  options.tls.certificate_pem = test::Certificates().client.certificate_pem;
  options.tls.key_pem = test::Certificates().client.key_pem;
  const std::unique_ptr<Transport> alice = loopback.Client(options);
  options.connections_max = 1;
  const std::unique_ptr<Transport> resumes = loopback.Client(options);
  auto work = [&]() -> Awaitable<void> {
    const Response anonymous = co_await MustFetch(*nobody, Get("/"));
    CHECK(anonymous.headers.Get("X-Common-Name").empty());
    const Response named = co_await MustFetch(*alice, Get("/"));
    CHECK(named.headers.Get("X-Common-Name") == "alice");
    std::vector<std::string> organizations;
    for (const auto& [name, value] : named.headers.fields()) {
      if (name == "X-Organization") organizations.push_back(value);
    }
    CHECK(organizations == std::vector<std::string>{"admins", "batch users"});
    // A resumed session still names its owner: Open uses a connection of its own.
    const Response first = co_await MustFetch(*resumes, Get("/"));
    absl::StatusOr<Response> second = co_await resumes->Open(Get("/"));
    REQUIRE(second.ok());
    CHECK(second->headers.Get("X-Common-Name") == "alice");
    CHECK(second->headers.Get("X-Peer") != first.headers.Get("X-Peer"));
  };
  loopback.Run(work());
}

TEST_CASE("tls: a required client certificate is enforced", "[net][tls]") {
  Loopback loopback;
  ServerOptions server = Options(true);
  server.certificates = test::TlsForServer();
  server.certificates.client_certificate_required = true;
  loopback.Serve(server, Describe);
  ClientOptions options;
  options.tls = test::TlsForClient();
  const std::unique_ptr<Transport> nobody = loopback.Client(options);
  options.tls.certificate_pem = test::Certificates().client.certificate_pem;
  options.tls.key_pem = test::Certificates().client.key_pem;
  const std::unique_ptr<Transport> alice = loopback.Client(options);
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> refused = co_await nobody->Fetch(Get("/"));
    CHECK(refused.status().code() == absl::StatusCode::kUnavailable);
    const bool alice_is_served = (co_await alice->Fetch(Get("/"))).ok();
    CHECK(alice_is_served);
  };
  loopback.Run(work());
}

TEST_CASE("tls: new certificates serve later connections", "[net][tls]") {
  Loopback loopback;
  loopback.Serve(Options(true), Describe);
  const absl::StatusOr<GeneratedCertificates> fresh =
      GenerateSelfSigned({"127.0.0.1"}, absl::Now(), absl::Hours(1));
  REQUIRE(fresh.ok());
  const std::unique_ptr<Transport> old_client = loopback.Client();
  ClientOptions options;
  options.tls.enabled = true;
  options.tls.ca_pem = fresh->ca_pem;
  const std::unique_ptr<Transport> new_client = loopback.Client(options);
  auto work = [&]() -> Awaitable<void> {
    const bool old_is_served = (co_await old_client->Fetch(Get("/"))).ok();
    CHECK(old_is_served);
    const bool new_is_served = (co_await new_client->Fetch(Get("/"))).ok();
    CHECK_FALSE(new_is_served);
    ServerTls certificates;
    certificates.certificate_pem = fresh->certificate_pem;
    CHECK(loopback.server->ReplaceCertificates(certificates).code() ==
          absl::StatusCode::kInvalidArgument);
    certificates.key_pem = fresh->key_pem;
    CHECK(loopback.server->ReplaceCertificates(certificates).ok());
    const bool old_is_still_served = (co_await old_client->Fetch(Get("/"))).ok();
    CHECK(old_is_still_served);
    const bool new_is_served_later = (co_await new_client->Fetch(Get("/"))).ok();
    CHECK(new_is_served_later);
  };
  loopback.Run(work());
}

TEST_CASE("setup: what cannot work is refused with a reason", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  ServerOptions server;
  server.address = "not an address";
  CHECK(StartServer(*io, server, Describe).status().code() == absl::StatusCode::kInvalidArgument);
  server.address = "127.0.0.1";
  absl::StatusOr<std::unique_ptr<Server>> first = StartServer(*io, server, Describe);
  REQUIRE(first.ok());
  server.port = (*first)->port();
  CHECK(StartServer(*io, server, Describe).status().code() == absl::StatusCode::kUnavailable);
  server.port = 0;
  server.tls = true;
  server.certificates = test::TlsForServer();
  server.certificates.key_pem = test::Certificates().client.key_pem;
  CHECK(StartServer(*io, server, Describe).status().code() == absl::StatusCode::kInvalidArgument);
  ClientOptions client;
  CHECK(MakeHttpClient(*io, client).status().code() == absl::StatusCode::kInvalidArgument);
  client.host = "127.0.0.1";
  client.tls.enabled = true;
  client.tls.ca_pem = "nonsense";
  CHECK(MakeHttpClient(*io, client).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bth::net
