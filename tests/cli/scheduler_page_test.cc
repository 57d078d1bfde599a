// How `vcctl explain` asks the scheduler through the API server, and what it says when it cannot.
#include "cli/explain/scheduler_page.h"

#include <functional>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "net/text_response.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::VirtualLoop;

net::Response JsonAnswer(int code, const std::string& text) {
  net::Response response = net::TextResponse(code, text);
  response.headers.Set("Content-Type", "application/json");
  return response;
}
net::Response Refused(int code, const std::string& reason, const std::string& message) {
  return JsonAnswer(
      code, StrCat(R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")", reason,
                   R"(","message":")", message, R"(","code":)", code, "}"));
}

// An API server that answers as the test says.
struct AskBed {
  using Serve = std::function<net::Response(const net::Request&)>;

  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  std::vector<std::string> asked;  // "METHOD TARGET", and the token that was shown.
  absl::Duration delay = absl::ZeroDuration();
  Serve serve;
  std::function<void(int)> on_signal;
  std::function<bool()> on_key;

  net::Awaitable<net::Response> Answer(net::Request request) {
    const std::string_view token = request.headers.Get("batholith-authorization");
    asked.push_back(StrCat(request.method, " ", request.target, token.empty() ? "" : " ", token));
    if (delay > absl::ZeroDuration()) co_await net::Sleep(executor, delay);
    co_return serve(request);
  }
  SchedulerAnswer Ask(const SchedulerFlags& flags = {}) {
    auto handler = [this](net::Request request) { return Answer(std::move(request)); };
    client::ApiClientOptions options;
    options.qps = 0;
    auto api = std::make_unique<client::ApiClient>(
        executor, net::MakeInProcessTransport(executor, std::move(handler)), std::move(options));
    Cluster cluster(std::make_unique<VirtualLoop>(executor, on_signal, on_key), std::move(api),
                    "http://test");
    return AskScheduler(cluster, flags, "explain", {"job", "lab/train"});
  }
};

constexpr char kToken[] = "/api/v1/namespaces/volcano-system/serviceaccounts/volcano-explain/token";
constexpr char kSafe[] =
    "/api/v1/namespaces/volcano-system/services/https:volcano-scheduler-explain:443/proxy/debug/"
    "explain?job=lab%2Ftrain";
constexpr char kOpen[] =
    "/api/v1/namespaces/volcano-system/services/http:volcano-scheduler-explain:80/proxy/debug/"
    "explain?job=lab%2Ftrain";

TEST_CASE("scheduler page: in a cluster one shows a token of the account for it",
          "[cli][explain]") {
  AskBed bed;
  int standbys = 2;
  bed.serve = [&](const net::Request& request) {
    if (request.target == kToken) return JsonAnswer(201, R"({"status":{"token":"t1"}})");
    if (standbys-- > 0) return JsonAnswer(503, R"({"message":"this replica stands by"})");
    return JsonAnswer(200, R"({"gate":"Filters"})");
  };
  const SchedulerAnswer answer = bed.Ask();
  CHECK(answer.why.empty());
  REQUIRE(answer.page.has_value());
  CHECK((*answer.page)["gate"].AsString() == "Filters");
  const std::string safe = StrCat("GET ", kSafe, " Bearer t1");
  CHECK(bed.asked == std::vector<std::string>{StrCat("POST ", kToken), safe, safe, safe});
}

TEST_CASE("scheduler page: where nobody is asked who they are none is shown", "[cli][explain]") {
  AskBed bed;
  bed.serve = [](const net::Request& request) {
    if (request.target == kToken) return Refused(405, "MethodNotAllowed", "no tokens here");
    return JsonAnswer(200, R"({"gate":"None"})");
  };
  CHECK(bed.Ask().page.has_value());
  CHECK(bed.asked == std::vector<std::string>{StrCat("POST ", kToken), StrCat("GET ", kOpen)});
}

TEST_CASE("scheduler page: why there is none is told in few words", "[cli][explain]") {
  struct Case {
    net::Response token;
    net::Response page;
    std::string why;
  };
  const auto token = [] { return JsonAnswer(201, R"({"status":{"token":"t1"}})"); };
  std::vector<Case> cases;
  cases.push_back({token(), JsonAnswer(404, R"({"message":"the last cycle knew no such job"})"),
                   "it does not know it: the last cycle knew no such job"});
  cases.push_back({token(), JsonAnswer(503, R"({"message":"this replica stands by"})"),
                   "this replica stands by"});
  cases.push_back({token(), Refused(403, "Forbidden", "user ann cannot get path"),
                   "one may not ask it: user ann cannot get path"});
  cases.push_back(
      {token(), Refused(401, "Unauthorized", "Unauthorized"), "it does not know who asks"});
  cases.push_back({token(), Refused(404, "NotFound", "services not found"),
                   "it is not there to be asked: services not found"});
  cases.push_back({token(), Refused(503, "ServiceUnavailable", "no endpoints available"),
                   "no endpoints available"});
  cases.push_back({Refused(403, "Forbidden", "no tokens for ann"),
                   Refused(403, "Forbidden", "no services for ann"),
                   "one may not ask it: no tokens for ann"});
  cases.push_back({Refused(404, "NotFound", "no such account"),
                   JsonAnswer(404, R"({"message":"the last cycle knew no such job"})"),
                   "it does not know it: the last cycle knew no such job"});
  for (Case& c : cases) {
    AskBed bed;
    bed.serve = [&](const net::Request& request) {
      const net::Response& answer = request.target == kToken ? c.token : c.page;
      return JsonAnswer(answer.status, answer.body);
    };
    const SchedulerAnswer answer = bed.Ask();
    CHECK_FALSE(answer.page.has_value());
    CHECK(answer.why == c.why);
    CHECK(bed.asked.size() <= 9);  // Replicas are tried so often, and no more.
  }
}

TEST_CASE("scheduler page: one that is silent keeps nobody waiting", "[cli][explain]") {
  AskBed bed;
  bed.delay = absl::Hours(1);
  bed.serve = [](const net::Request&) { return JsonAnswer(200, "{}"); };
  const absl::Time before = bed.executor.Now();
  CHECK(bed.Ask().why == "it did not answer within 5s");
  CHECK(bed.executor.Now() - before <= absl::Seconds(6));
}

TEST_CASE("scheduler page: it is asked where one says, or not at all", "[cli][explain]") {
  AskBed bed;
  bed.serve = [](const net::Request& request) {
    return request.method == "POST" ? Refused(404, "NotFound", "none") : JsonAnswer(200, "{}");
  };
  CHECK(bed.Ask({"a/b"}).page.has_value());
  CHECK(bed.asked.back().starts_with("GET /api/v1/namespaces/a/services/http:b:80/proxy/debug/"));
  bed.asked.clear();
  const SchedulerAnswer nobody = bed.Ask({""});
  CHECK((!nobody.page.has_value() && nobody.why.empty()));
  for (const char* odd : {"a", "/a", "a/"}) {
    CHECK(bed.Ask({odd}).why == StrCat("--scheduler-service: \"", odd, "\" is no NAMESPACE/NAME"));
  }
  CHECK(bed.asked.empty());
}

}  // namespace
}  // namespace bth::cli
