#include "cmd/common/access_guard.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "net/text_response.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

using client::testing::Answer;
using client::testing::Await;
using types::Json;

net::Awaitable<net::Response> TellPage(net::Request request) {
  const std::string held =
      StrCat(request.headers.Get("authorization"), request.headers.Get("batholith-authorization"));
  co_return net::TextResponse(200, StrCat("page ", request.target, held));
}

// Pages behind a guard; the API server knows the token "secret" as ann, who may get /debug/a.
struct Door {
  Door() {
    server.script = [this](const net::Request& request) { return Serve(request); };
    guarded =
        net::MakeInProcessTransport(executor, GuardPages(executor, review, registry, TellPage));
  }
  net::Response Knock(std::string target, std::vector<std::string> authorization) {
    return KnockBehindProxy(std::move(target), "", std::move(authorization));
  }
  net::Response KnockBehindProxy(std::string target, const std::string& proxied,
                                 std::vector<std::string> authorization = {}) {
    net::Request request;
    request.target = std::move(target);
    if (!proxied.empty()) request.headers.Add("batholith-authorization", proxied);
    for (std::string& field : authorization) request.headers.Add("Authorization", std::move(field));
    absl::StatusOr<net::Response> response = Await(executor, guarded->Fetch(std::move(request)));
    REQUIRE(response.ok());
    return *std::move(response);
  }
  bool Counted(const std::string& result, int count) const {
    return absl::StrContains(
        registry.RenderText(),
        StrCat("batholith_debug_requests_total{result=\"", result, "\"} ", count, "\n"));
  }

  net::VirtualExecutor executor{client::testing::StartTime()};
  client::testing::FakeServer server{executor};
  client::ApiClient api{executor, server.Transport(), client::ApiClientOptions{.qps = 0}};
  client::AccessReview review{api, {.asking_max = 1}};
  metrics::Registry registry;
  int fail_with = 0;
  std::unique_ptr<net::Transport> guarded;

 private:
  net::Response Serve(const net::Request& request) const {
    if (fail_with != 0) return Answer(fail_with, R"({"message":"private words"})");
    const bool known = absl::StrContains(request.body, "\"secret\"");
    const bool may = absl::StrContains(request.body, "\"/debug/a\"");
    if (request.target.ends_with("tokenreviews")) {
      return Answer(201, known ? R"({"status":{"authenticated":true,"user":{"username":"ann"}}})"
                               : R"({"status":{"authenticated":false}})");
    }
    return Answer(201, may ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})");
  }
};

void CheckRefusal(const net::Response& response, int code, const std::string& reason) {
  CHECK(response.status == code);
  CHECK(response.headers.Get("content-type") == "application/json");
  const absl::StatusOr<Json> body = Json::Parse(response.body);
  REQUIRE(body.ok());
  CHECK((*body)["kind"].AsString() == "Status");
  CHECK((*body)["apiVersion"].AsString() == "v1");
  CHECK((*body)["status"].AsString() == "Failure");
  CHECK((*body)["code"].AsInt() == code);
  CHECK((*body)["reason"].AsString() == reason);
  CHECK_FALSE((*body)["message"].AsString().empty());
}

TEST_CASE("access guard: whoever may get the path sees the page, which sees no token",
          "[cmd][access]") {
  Door door;
  const char* field = GENERATE("Bearer secret", "bearer secret", "BEARER  secret ");
  const net::Response response = door.Knock("/debug/a?x=1", {field});
  CHECK(response.status == 200);
  CHECK(response.body == "page /debug/a?x=1");
  CHECK(door.Counted("allowed", 1));
}

TEST_CASE("access guard: who comes through a proxy shows the token beside it", "[cmd][access]") {
  Door door;
  CHECK(door.KnockBehindProxy("/debug/a", "Bearer secret").body == "page /debug/a");
  CheckRefusal(door.KnockBehindProxy("/debug/a", "Bearer guess"), 401, "Unauthorized");
  CheckRefusal(door.KnockBehindProxy("/debug/b", "Bearer secret"), 403, "Forbidden");
  // Whoever shows one of his own is nobody else.
  CheckRefusal(door.KnockBehindProxy("/debug/a", "Bearer secret", {"Bearer guess"}), 401,
               "Unauthorized");
}

TEST_CASE("access guard: without a token that is known nobody comes in", "[cmd][access]") {
  Door door;
  const auto fields = GENERATE(values<std::vector<std::string>>({
      {},
      {""},
      {"Bearer"},
      {"Bearer "},
      {"Bearer guess"},
      {"Bearersecret"},
      {"Basic c2VjcmV0"},
      {"secret"},
      {"Bearer guess", "Bearer secret"},
  }));
  const net::Response response = door.Knock("/debug/a", fields);
  CheckRefusal(response, 401, "Unauthorized");
  CHECK(response.headers.Get("www-authenticate") == "Bearer");
  CHECK(door.Counted("unauthenticated", 1));
  CHECK(door.Counted("allowed", 0));
}

TEST_CASE("access guard: what counts is the path that the page is chosen by", "[cmd][access]") {
  Door door;
  const char* target =
      GENERATE("/debug/b", "/debug/a/", "/debug/%61b", "/debug/b?x=/debug/a", "/debug/a/../b", "/");
  const net::Response response = door.Knock(target, {"Bearer secret"});
  CheckRefusal(response, 403, "Forbidden");
  CHECK(absl::StrContains(response.body, "ann"));
  CHECK(door.Counted("forbidden", 1));
}

TEST_CASE("access guard: when the API server cannot be asked nobody comes in, and is told nothing",
          "[cmd][access]") {
  Door door;
  door.fail_with = GENERATE(401, 403, 404, 429, 500);
  const net::Response response = door.Knock("/debug/a", {"Bearer secret"});
  CheckRefusal(response, 500, "InternalError");
  CHECK_FALSE(absl::StrContains(response.body, "private"));
  CHECK(door.Counted("failed", 1));
}

net::Awaitable<void> Occupy(client::AccessReview& review) {
  (void)co_await review.Ask("guess", "/debug/a");
}

TEST_CASE("access guard: while too many are looked up others are told to wait", "[cmd][access]") {
  Door door;
  door.server.delay = absl::Seconds(5);
  net::Spawn(door.executor, Occupy(door.review));
  door.executor.RunUntilIdle();
  const net::Response response = door.Knock("/debug/a", {"Bearer secret"});
  CheckRefusal(response, 429, "TooManyRequests");
  CHECK(response.headers.Get("retry-after") == "1");
  CHECK(door.Counted("busy", 1));
  door.executor.Advance(absl::Seconds(5));
  CHECK(door.Knock("/debug/a", {"Bearer secret"}).status == 200);
}

}  // namespace
}  // namespace bth::cmd
