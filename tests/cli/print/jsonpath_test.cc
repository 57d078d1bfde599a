// What kubectl's recorded answers do not show: what goes beyond them, and limits.
#include <string>
#include <utility>
#include <vector>

#include "api/types/json.h"
#include "cli/print/jsonpath/evaluate.h"
#include "cli/print/jsonpath/template.h"
#include "tests/support/catch.h"

namespace {

using bth::types::Json;
namespace jsonpath = bth::cli::jsonpath;

constexpr const char* kJobs = R"({"items":[
  {"name":"a","queue":"q1","n":1,"ok":true},
  {"name":"b","queue":"q2","n":2},
  {"name":"c && d","queue":"q1","n":3,"ok":false},
  {"name":"it's || so","n":4}]})";

// The output, or `!` and the error.
std::string RunPath(const std::string& text, const std::string& json, bool allow_missing = true) {
  const auto value = Json::Parse(json);
  REQUIRE(value.ok());
  const auto program = jsonpath::Template::Parse(text);
  if (!program.ok()) return "!" + std::string(program.status().message());
  jsonpath::EvaluateOptions options;
  options.allow_missing_keys = allow_missing;
  const auto results = jsonpath::Evaluate(*program, *value, options);
  if (!results.ok()) return "!" + std::string(results.status().message());
  std::string out;
  const absl::Status status = jsonpath::PrintResults(*results, 1 << 20, out);
  return status.ok() ? out : "!" + std::string(status.message());
}

TEST_CASE("jsonpath: conditions of filters may be joined", "[cli][unit]") {
  struct Case {
    std::string filter, names;
  };
  const std::vector<Case> cases = {
      {R"(@.queue=="q1" && @.n>1)", "c && d"},
      {R"(@.queue=="q2" || @.n==1)", "a b"},
      {R"(@.queue=="q2" || @.queue=="q1" && @.n==3)", "b c && d"},
      {R"(@.n==3 && @.queue=="q1" || @.queue=="q2")", "b c && d"},
      {R"(@.ok && @.n<3)", "a"},
      {R"(@.n<3&&@.n>1)", "b"},
      {R"(@.name=="c && d")", "c && d"},
      {R"(@.name=="it's || so")", "it's || so"},
      {R"(@.name=='c && d' || @.name=="it's || so")", "c && d it's || so"},
      {R"(@.missing==1 || @.n==2)", "b"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.filter);
    CHECK(RunPath("{.items[?(" + c.filter + ")].name}", kJobs) == c.names);
  }
  // Nothing is the item itself, which is there.
  CHECK(RunPath("{.items[?(@.n>1 && )].name}", kJobs) == "b c && d it's || so");
}

TEST_CASE("jsonpath: objects are walked by key", "[cli][unit]") {
  CHECK(RunPath("{.*}", R"({"b":2,"a":1,"c":3})") == "1 2 3");
  CHECK(RunPath("{..x}", R"({"b":{"x":2},"a":{"x":1,"y":{"x":3}}})") == "1 3 2");
}

TEST_CASE("jsonpath: too large a template is refused", "[cli][limits]") {
  jsonpath::ParseLimits limits;
  limits.bytes_max = 10;
  CHECK(jsonpath::Template::Parse("0123456789", limits).ok());
  CHECK(jsonpath::Template::Parse("0123456789a", limits).status().message() ==
        "the template has 11 bytes; the limit is 10");
  limits = {};
  limits.nodes_max = 3;
  CHECK(jsonpath::Template::Parse("{.a.b.c}", limits).ok());
  CHECK(jsonpath::Template::Parse("{.a.b}{.c.d}", limits).status().message() ==
        "the template has too many parts");
}

TEST_CASE("jsonpath: what finds or prints without end is stopped", "[cli][limits]") {
  Json::Array wide(300, Json("text"));
  const Json value = Json::MakeObject({{"a", Json(std::move(wide))}});
  jsonpath::EvaluateOptions options;
  options.results_max = 10'000;
  std::string text = "{range .a[*]}";
  for (int i = 0; i < 40; ++i) text += "{@}";
  const auto nested = jsonpath::Template::Parse(text + "{end}");
  REQUIRE(nested.ok());
  CHECK(jsonpath::Evaluate(*nested, value, options).status().message() ==
        "the template finds too many values");
  options = {};
  options.steps_max = 20;
  CHECK(jsonpath::Evaluate(*nested, value, options).status().code() ==
        absl::StatusCode::kResourceExhausted);

  // What a single part finds is limited while it is found.
  options = {};
  options.results_max = 1000;
  for (const char* many :
       {"{.a[*,*,*,*]}", "{.a[*].*}", "{.a.*.*}", "{.a[0:299,0:299,0:299,:299]}"}) {
    CAPTURE(many);
    const auto wild = jsonpath::Template::Parse(many);
    REQUIRE(wild.ok());
    CHECK(jsonpath::Evaluate(*wild, value, options).status().message() ==
          "the template finds too many values");
  }

  const auto list = jsonpath::Template::Parse("{.a}{.a}");
  REQUIRE(list.ok());
  const auto results = jsonpath::Evaluate(*list, value, {});
  REQUIRE(results.ok());
  std::string out;
  CHECK(jsonpath::PrintResults(*results, 700, out).message() ==
        "the output of the template is too long");
  CHECK(jsonpath::PrintResultsAsJson(*results, 700, out).code() ==
        absl::StatusCode::kResourceExhausted);
}

TEST_CASE("jsonpath: ranges and unions nest without a deep stack", "[cli][limits]") {
  std::string text, ends;
  for (int i = 0; i < 1000; ++i) {
    text += "{range @}";
    ends += "{end}";
  }
  CHECK(RunPath(text + ends, "{}") == "!the ranges of the template are nested too deep");
  std::string fields = "{";
  for (int i = 0; i < 3000; ++i) fields += ".a";
  CHECK(RunPath(fields + "}", "{}").empty());
}

TEST_CASE("jsonpath: relaxed paths", "[cli][unit]") {
  struct Case {
    std::string path, full;
  };
  const std::vector<Case> cases = {
      {"metadata.name", "{.metadata.name}"},
      {".metadata.name", "{.metadata.name}"},
      {"{metadata.name}", "{.metadata.name}"},
      {"{.metadata.name}", "{.metadata.name}"},
      {"", ""},
      {".", "{..}"},
      {"..a", "{..a}"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const auto full = jsonpath::RelaxedPath(c.path);
    REQUIRE(full.ok());
    CHECK(*full == c.full);
  }
  for (const char* bad : {"{}", "{a", "a}", "{{a}}", "{a}{b}", "{"}) {
    CAPTURE(bad);
    CHECK_FALSE(jsonpath::RelaxedPath(bad).ok());
  }
}

}  // namespace
