#include "net/http.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace bth::net {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("headers: names compare without case and Set replaces all", "[net]") {
  Headers headers{{"Accept", "a"}, {"X-One", "1"}, {"accept", "b"}};
  CHECK(headers.Get("ACCEPT") == "a");
  CHECK(headers.Has("x-one"));
  CHECK_FALSE(headers.Has("x-two"));
  CHECK(headers.Get("x-two").empty());
  headers.Set("aCCept", "c");
  headers.Set("X-Two", "2");
  headers.Add("X-Two", "3");
  CHECK(headers.fields() ==
        Fields{{"Accept", "c"}, {"X-One", "1"}, {"X-Two", "2"}, {"X-Two", "3"}});
}

TEST_CASE("target: path and query are split and decoded", "[net]") {
  struct Case {
    std::string target, path;
    Fields query;
  };
  const Case c = GENERATE(values<Case>({
      {"/", "/", {}},
      {"/api/v1/pods?limit=5", "/api/v1/pods", {{"limit", "5"}}},
      {"/a%20b/%C3%A9?x=%26%3D&y=1+2", "/a b/\xC3\xA9", {{"x", "&="}, {"y", "1 2"}}},
      {"/a+b", "/a+b", {}},
      {"/p?", "/p", {}},
      {"/p?&&a&b=&=c&a=2", "/p", {{"a", ""}, {"b", ""}, {"", "c"}, {"a", "2"}}},
      {"/p?a=b?c=d", "/p", {{"a", "b?c=d"}}},
      {"/p?labelSelector=app%3Dweb%2Ctier+in+(a)",
       "/p",
       {{"labelSelector", "app=web,tier in (a)"}}},
  }));
  CAPTURE(c.target);
  const absl::StatusOr<Target> target = ParseTarget(c.target);
  REQUIRE(target.ok());
  CHECK(target->path == c.path);
  CHECK(target->query == c.query);
}

TEST_CASE("target: the first value of a name wins and absence is told apart", "[net]") {
  const absl::StatusOr<Target> target = ParseTarget("/p?a=1&a=2&empty");
  REQUIRE(target.ok());
  CHECK(target->Query("a") == "1");
  CHECK(target->Query("empty").empty());
  CHECK(target->HasQuery("empty"));
  CHECK_FALSE(target->HasQuery("b"));
}

TEST_CASE("target: what is malformed is refused", "[net]") {
  std::string many = "/p?";
  for (int i = 0; i < 1001; ++i) many += "a=1&";
  const std::string target = GENERATE_COPY(values<std::string>(
      {"", "pods", "?a=1", "*", "/%", "/%4", "/%zz", "/a%00b", "/p?a=%g1", "/p?%1=2", many}));
  CAPTURE(target.substr(0, 40));
  CHECK(ParseTarget(target).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("target: percent encoding is undone by parsing", "[net]") {
  CHECK(PercentEncode("aZ09-_.~") == "aZ09-_.~");
  CHECK(PercentEncode("a b/c?&=+%\xC3\xA9") == "a%20b%2Fc%3F%26%3D%2B%25%C3%A9");
  std::string all;
  for (int i = 1; i < 256; ++i) all.push_back(static_cast<char>(i));
  const absl::StatusOr<Target> target = ParseTarget("/?v=" + PercentEncode(all));
  REQUIRE(target.ok());
  CHECK(target->Query("v") == all);
}

}  // namespace
}  // namespace bth::net
