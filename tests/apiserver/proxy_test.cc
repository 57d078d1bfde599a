// services/NAME/proxy: what is passed on to the programs behind Services, and what comes back.
#include "apiserver/services/proxy.h"

#include "apiserver/services/proxy_place.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

constexpr char kServices[] = "/api/v1/namespaces/team/services";
constexpr char kHello[] = "/api/v1/namespaces/team/services/web:80/proxy/hello";

// A server with one program behind all its Services.
struct ProxyBed {
  std::vector<Endpoint> endpoints;
  std::vector<net::Request> asked;
  net::Response answer;
  absl::Status failure;                         // Not OK: nobody listens.
  absl::Duration delay = absl::ZeroDuration();  // Until it answers.
  Bed bed{MakeOptions()};

  ProxyBed() {
    bed.Post("/api/v1/namespaces", R"({"metadata": {"name": "team"}})");
    REQUIRE(bed.Post(kServices, R"({"metadata": {"name": "web"}, "spec": {"ports": [
        {"name": "plain", "port": 80, "targetPort": 8080}, {"name": "safe", "port": 443}]}})")
                .code == 201);
    answer = net::Response{};
    answer.body = "hello";
  }
  Options MakeOptions() {
    Options options;
    options.connect_outside =
        [this](const Endpoint& endpoint) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
      endpoints.push_back(endpoint);
      if (!failure.ok()) return failure;
      auto handler = [this](net::Request request) { return Serve(std::move(request)); };
      return net::MakeInProcessTransport(bed.executor, std::move(handler));
    };
    return options;
  }
  net::Awaitable<net::Response> Serve(net::Request request) {
    asked.push_back(std::move(request));
    if (delay > absl::ZeroDuration()) co_await net::Sleep(bed.executor, delay);
    net::Response out;
    out.status = answer.status;
    out.headers = answer.headers;
    out.body = answer.body;
    co_return out;
  }
  std::string Reached() const {
    if (endpoints.empty()) return "";
    const Endpoint& last = endpoints.back();
    return StrCat(last.tls ? "https " : "http ", last.host, ":", last.port);
  }
};

TEST_CASE("proxy: paths are taken apart", "[apiserver][proxy]") {
  struct Case {
    std::string target;
    std::string words;  // "SCHEME NS NAME PORT PATH QUERY"; "-": no such path; else the refusal.
  };
  const std::vector<Case> cases = {
      {"/api/v1/namespaces/a/services/b/proxy", "http a b   "},
      {"/api/v1/namespaces/a/services/b:80/proxy/", "http a b 80 / "},
      {"/api/v1/namespaces/a/services/https:b:web/proxy/c/d?e=f", "https a b web /c/d ?e=f"},
      {"/api/v1/namespaces/a/services/http:b:/proxy/c%2Fd", "http a b  /c%2Fd "},
      {"/api/v1/namespaces/a/services/https%3Ab%3A443/proxy/x", "https a b 443 /x "},
      {"/api/v1/namespaces/a/services/b", "-"},
      {"/api/v1/namespaces/a/services/b/proxyx", "-"},
      {"/api/v1/namespaces/a/pods/b/proxy/", "-"},
      {"/api/v1/namespaces/a/services/ftp:b:1/proxy/", "invalid service request \"ftp:b:1\""},
      {"/api/v1/namespaces/a/services/a:b:c:d/proxy/", "invalid service request \"a:b:c:d\""},
      {"/api/v1/namespaces/a/services/:80/proxy/", "invalid service request \":80\""},
      {"/api/v1/namespaces//services/b/proxy/", "invalid service request \"b\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.target);
    const auto place = ReadProxyPlace(c.target);
    if (!place.has_value()) {
      CHECK(c.words == "-");
    } else if (!place->ok()) {
      CHECK(c.words == ToStd(place->status().message()));
    } else {
      const ProxyPlace& p = **place;
      CHECK(c.words == StrCat(p.tls ? "https " : "http ", p.service.ns, " ", p.service.name, " ",
                              p.port, " ", p.path, " ", p.query));
      CHECK(StrCat(p.prefix, p.path, p.query) == c.target);
    }
  }
}

TEST_CASE("proxy: a request is passed on, without credentials", "[apiserver][proxy]") {
  ProxyBed services;
  services.answer.headers.Set("Content-Type", "text/plain");
  services.answer.headers.Set("Access-Control-Allow-Origin", "*");
  services.answer.headers.Set("Location", "/elsewhere");
  services.answer.headers.Set("ETag", "\"1\"");
  const Answer answer =
      services.bed.Call("POST", StrCat(kServices, "/web:80/proxy/a%20b/?c=d%26"), "body",
                        {{"Authorization", "Bearer secret"},
                         {"Impersonate-User", "root"},
                         {"X-Remote-User", "root"},
                         {"Content-Type", "text/plain"},
                         {"Batholith-Authorization", "Bearer other"}});
  CHECK(answer.code == 200);
  CHECK(answer.text == "hello");
  CHECK(answer.headers.Get("content-type") == "text/plain");
  CHECK(answer.headers.Get("etag") == "\"1\"");
  CHECK_FALSE(answer.headers.Has("access-control-allow-origin"));
  CHECK(answer.headers.Get("location") == StrCat(kServices, "/web:80/proxy/elsewhere"));
  CHECK(services.Reached() == "http 127.0.0.1:8080");
  REQUIRE(services.asked.size() == 1);
  const net::Request& asked = services.asked[0];
  CHECK(asked.method == "POST");
  CHECK(asked.target == "/a%20b/?c=d%26");
  CHECK(asked.body == "body");
  CHECK(asked.headers.Get("content-type") == "text/plain");
  CHECK(asked.headers.Get("batholith-authorization") == "Bearer other");
  for (const char* name : {"authorization", "impersonate-user", "x-remote-user"}) {
    CHECK_FALSE(asked.headers.Has(name));
  }
}

TEST_CASE("proxy: ports by number and name, and where programs listen", "[apiserver][proxy]") {
  ProxyBed services;
  services.bed.Get(StrCat(kServices, "/web:plain/proxy/"));
  CHECK(services.Reached() == "http 127.0.0.1:8080");
  services.bed.Get(StrCat(kServices, "/https:web:443/proxy/"));
  CHECK(services.Reached() == "https 127.0.0.1:443");
  CHECK_FALSE(services.endpoints.back().verified);
  services.bed.Post("/apis/discovery.k8s.io/v1/namespaces/team/endpointslices",
                    R"({"metadata": {"name": "web-1", "labels":
      {"kubernetes.io/service-name": "web"}}, "addressType": "IPv4", "ports":
      [{"name": "safe", "port": 8443}], "endpoints": [{"addresses": ["10.0.0.7"]}]})");
  services.bed.Get(StrCat(kServices, "/https:web:safe/proxy/"));
  CHECK(services.Reached() == "https 10.0.0.7:8443");
}

TEST_CASE("proxy: what cannot be reached is told", "[apiserver][proxy]") {
  ProxyBed services;
  const Answer unknown = services.bed.Get(StrCat(kServices, "/none:80/proxy/"));
  CHECK(unknown.code == 404);
  CHECK(unknown.message() == "services \"none\" not found");
  const Answer no_port = services.bed.Get(StrCat(kServices, "/web:81/proxy/"));
  CHECK(no_port.code == 503);
  CHECK(no_port.message() == "no service port 81 found for service \"web\"");
  CHECK(services.bed.Get(StrCat(kServices, "/ftp:web:80/proxy/")).code == 400);
  services.bed.Post(kServices, R"({"metadata": {"name": "far"}, "spec": {"type": "ExternalName",
      "externalName": "example.org"}})");
  CHECK(services.bed.Get(StrCat(kServices, "/far:80/proxy/")).code == 503);
  CHECK(services.bed.Call("GET", kHello, "", {{"Upgrade", "websocket"}}).code == 501);
  CHECK(services.endpoints.empty());
  services.failure = absl::UnavailableError("connection refused");
  const Answer refused = services.bed.Get(kHello);
  CHECK(refused.code == 503);
  CHECK(refused.message() == "error trying to reach service: connection refused");
}

TEST_CASE("proxy: the folder of the service has a slash at its end", "[apiserver][proxy]") {
  ProxyBed services;
  const Answer answer = services.bed.Get(StrCat(kServices, "/web:80/proxy?a=b"));
  CHECK(answer.code == 301);
  CHECK(answer.headers.Get("location") == StrCat(kServices, "/web:80/proxy/?a=b"));
  CHECK(services.asked.empty());
  CHECK(services.bed.Call("POST", StrCat(kServices, "/web:80/proxy"), "x").code == 200);
  CHECK(services.asked.back().target == "/");
}

TEST_CASE("proxy: a program that is silent costs its time, and no more than so many at once",
          "[apiserver][proxy]") {
  ProxyBed services;
  services.delay = absl::Hours(1);
  // All of them are sent before any time passes.
  std::vector<int> codes;
  const auto send = [&]() -> net::Awaitable<void> {
    net::Request request;
    request.target = kHello;
    request.timeout = absl::InfiniteDuration();
    absl::StatusOr<net::Response> response =
        co_await services.bed.transport->Fetch(std::move(request));
    BTH_CHECK(response.ok());
    codes.push_back(response->status);
  };
  for (int i = 0; i <= ServiceProxy::kExchangesMax; ++i) {
    net::Spawn(services.bed.executor, send());
  }
  services.bed.executor.RunUntilIdle();
  CHECK(codes == std::vector<int>{429});
  services.bed.executor.Advance(ServiceProxy::kHeadTimeout);
  CHECK(codes.size() == ServiceProxy::kExchangesMax + 1);
  CHECK(codes.back() == 504);
  services.delay = absl::ZeroDuration();
  CHECK(services.bed.Get(kHello).code == 200);
  CHECK(StrContains(services.bed.Get("/metrics").text, "apiserver_proxy_refused_total 1\n"));
}

TEST_CASE("proxy: strangers are not passed on", "[apiserver][proxy]") {
  Options options;
  options.tokens.emplace("secret", User{"admin", "", {}});
  Bed bed(std::move(options));
  CHECK(bed.Get(kHello).code == 401);
  CHECK(bed.Get(kHello, {{"authorization", "Bearer secret"}}).code == 404);
}

}  // namespace
}  // namespace bth::apiserver::testing
