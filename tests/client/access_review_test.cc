#include "client/access_review.h"

#include <map>
#include <set>

#include "api/types/json.h"
#include "base/strings.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Await;
using types::Json;

// An API server that knows some tokens and what their owners may get.
struct Reviewers {
  explicit Reviewers(AccessReviewOptions options = {})
      : review(std::make_unique<AccessReview>(api, options)) {
    server.script = [this](const net::Request& request) { return Serve(request); };
  }

  absl::StatusOr<AccessAnswer> Ask(const std::string& token, const std::string& path = "/debug/x") {
    return Await(executor, review->Ask(token, path));
  }
  std::string Word(const std::string& token, const std::string& path = "/debug/x") {
    const absl::StatusOr<AccessAnswer> answer = Ask(token, path);
    if (!answer.ok()) return "error";
    const std::map<Access, std::string> words = {{Access::kAllowed, "allowed"},
                                                 {Access::kUnauthenticated, "unauthenticated"},
                                                 {Access::kForbidden, "forbidden"},
                                                 {Access::kBusy, "busy"}};
    return answer->user.empty() ? words.at(answer->access)
                                : StrCat(words.at(answer->access), " ", answer->user);
  }
  size_t CountTo(const std::string& resource) const {
    size_t count = 0;
    for (const net::Request& request : server.requests) {
      count += request.target.ends_with("/" + resource);
    }
    return count;
  }

  net::VirtualExecutor executor{testing::StartTime()};
  testing::FakeServer server{executor};
  ApiClient api{executor, server.Transport(), ApiClientOptions{.qps = 0}};
  std::unique_ptr<AccessReview> review;
  std::map<std::string, std::string> owners = {{"secret-of-ann", "ann"}, {"secret-of-bob", "bob"}};
  std::set<std::string> readers = {"ann"};
  int fail_with = 0;

 private:
  net::Response Serve(const net::Request& request) {
    if (fail_with != 0) return testing::Answer(fail_with, "{}");
    const absl::StatusOr<Json> body = Json::Parse(request.body);
    REQUIRE(body.ok());
    const Json& spec = (*body)["spec"];
    Json status = Json::MakeObject();
    if (request.target == "/apis/authentication.k8s.io/v1/tokenreviews") {
      const auto owner = owners.find(std::string(spec["token"].AsString()));
      status.Set("authenticated", owner != owners.end());
      if (owner != owners.end()) {
        status.Set("user", Json::MakeObject(
                               {{"username", owner->second},
                                {"uid", "u1"},
                                {"groups", Json::MakeArray({"team"})},
                                {"extra", Json::MakeObject({{"k", Json::MakeArray({"v"})}})}}));
      }
    } else {
      status.Set("allowed", readers.contains(std::string(spec["user"].AsString())));
    }
    return testing::Answer(201, Json::MakeObject({{"status", std::move(status)}}).Dump());
  }
};

TEST_CASE("access review: who, and whether they may", "[client][access]") {
  Reviewers bed;
  CHECK(bed.Word("secret-of-ann") == "allowed ann");
  CHECK(bed.Word("secret-of-bob") == "forbidden bob");
  CHECK(bed.Word("guessed") == "unauthenticated");
}

TEST_CASE("access review: the server is asked with all that it said of the owner",
          "[client][access]") {
  Reviewers bed;
  REQUIRE(bed.Word("secret-of-ann", "/debug/queues") == "allowed ann");
  REQUIRE(bed.server.requests.size() == 2);
  CHECK(bed.server.requests[0].target == "/apis/authentication.k8s.io/v1/tokenreviews");
  CHECK(*Json::Parse(bed.server.requests[0].body) ==
        *Json::Parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",
                         "spec":{"token":"secret-of-ann"}})"));
  CHECK(bed.server.requests[1].target == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  CHECK(*Json::Parse(bed.server.requests[1].body) ==
        *Json::Parse(R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
                         "spec":{"user":"ann","uid":"u1","groups":["team"],"extra":{"k":["v"]},
                         "nonResourceAttributes":{"path":"/debug/queues","verb":"get"}}})"));
}

TEST_CASE("access review: answers of every kind count for ten seconds", "[client][access]") {
  Reviewers bed;
  const std::string token = GENERATE("secret-of-ann", "secret-of-bob", "guessed");
  const std::string before = bed.Word(token);
  const size_t asked = bed.server.requests.size();
  bed.owners = {{"guessed", "bob"}};
  bed.readers = {"bob"};
  bed.executor.Advance(absl::Seconds(10) - absl::Nanoseconds(1));
  CHECK(bed.Word(token) == before);
  CHECK(bed.server.requests.size() == asked);
  bed.executor.Advance(absl::Nanoseconds(1));
  CHECK(bed.Word(token) == (token == "guessed" ? "allowed bob" : "unauthenticated"));
}

TEST_CASE("access review: permission for one page is none for another", "[client][access]") {
  Reviewers bed;
  CHECK(bed.Word("secret-of-ann", "/debug/a") == "allowed ann");
  bed.readers.clear();
  CHECK(bed.Word("secret-of-ann", "/debug/b") == "forbidden ann");
  CHECK(bed.Word("secret-of-ann", "/debug/a") == "allowed ann");
  CHECK(bed.CountTo("tokenreviews") == 1);
  CHECK(bed.CountTo("subjectaccessreviews") == 2);
}

TEST_CASE("access review: unknown tokens push out nobody's answer", "[client][access]") {
  Reviewers bed({.tokens_max = 2});
  CHECK(bed.Word("secret-of-ann") == "allowed ann");
  for (int i = 0; i < 5; ++i) bed.Word(StrCat("guess-", i));
  const size_t asked = bed.server.requests.size();
  CHECK(bed.Word("secret-of-ann") == "allowed ann");
  CHECK(bed.Word("guess-4") == "unauthenticated");
  CHECK(bed.server.requests.size() == asked);
  CHECK(bed.Word("guess-0") == "unauthenticated");  // Forgotten, and asked once more.
  CHECK(bed.server.requests.size() == asked + 1);
}

TEST_CASE("access review: a server that does not answer lets nobody in, and is asked again",
          "[client][access]") {
  Reviewers bed;
  bed.fail_with = GENERATE(401, 403, 429, 500, 503);
  CHECK_FALSE(bed.Ask("secret-of-ann").ok());
  bed.fail_with = 0;
  CHECK(bed.Word("secret-of-ann") == "allowed ann");
}

TEST_CASE("access review: an answer that says nothing lets nobody in", "[client][access]") {
  Reviewers bed;
  struct Case {
    const char* token_review;
    const char* access_review;
    const char* word;
  };
  const char* ann = R"({"status":{"authenticated":true,"user":{"username":"ann"}}})";
  const Case c = GENERATE_COPY(values<Case>({
      {"", "", "error"},
      {"[]", "", "error"},
      {"{}", "", "error"},
      {R"({"status":{}})", "", "unauthenticated"},
      {R"({"status":{"authenticated":"true","user":{"username":"ann"}}})", "", "unauthenticated"},
      {R"({"status":{"authenticated":true}})", "", "unauthenticated"},
      {ann, "{}", "error"},
      {ann, R"({"status":{}})", "forbidden ann"},
      {ann, R"({"status":{"allowed":true,"denied":true}})", "forbidden ann"},
      {ann, R"({"status":{"allowed":true}})", "allowed ann"},
  }));
  CAPTURE(c.token_review, c.access_review);
  bed.server.script = [&c](const net::Request& request) {
    const bool first = request.target.ends_with("tokenreviews");
    return testing::Answer(201, first ? c.token_review : c.access_review);
  };
  CHECK(bed.Word("any") == c.word);
}

net::Awaitable<void> Keep(AccessReview& review, std::string token, std::vector<Access>& out) {
  const absl::StatusOr<AccessAnswer> answer = co_await review.Ask(std::move(token), "/debug/x");
  BTH_CHECK(answer.ok());
  out.push_back(answer->access);
}

TEST_CASE("access review: few callers wait for the server at once", "[client][access]") {
  Reviewers bed({.asking_max = 2});
  bed.server.delay = absl::Seconds(1);
  std::vector<Access> answers;
  for (const char* token : {"guess-1", "guess-2", "guess-3"}) {
    net::Spawn(bed.executor, Keep(*bed.review, token, answers));
  }
  bed.executor.Advance(absl::Seconds(2));
  CHECK(answers ==
        std::vector<Access>{Access::kBusy, Access::kUnauthenticated, Access::kUnauthenticated});
  CHECK(bed.Word("guess-3") == "unauthenticated");  // The places are free again.
}

}  // namespace
}  // namespace bth::client
