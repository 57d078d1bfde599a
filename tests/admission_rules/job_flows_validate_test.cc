#include <string>
#include <vector>

#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

// "a; b a; c a b": flows, each with its targets.
std::string FlowsText(std::string_view text) {
  std::string flows;
  for (const absl::string_view flow : SplitText(text, "; ")) {
    std::string name, targets;
    for (const absl::string_view word : SplitText(ToStd(flow), ' ')) {
      if (name.empty()) {
        name = std::string(word);
      } else {
        StrAppend(&targets, targets.empty() ? "" : ",", "\"", word, "\"");
      }
    }
    StrAppend(&flows, flows.empty() ? "" : ",", R"({"name":")", name,
              R"(","dependsOn":{"targets":[)", targets, "]}}");
  }
  return StrCat(R"({"spec":{"flows":[)", flows, "]}}");
}

std::string Flows(std::string_view text) {
  return test::Told(
      test::Ask({.path = "/jobflows/validate", .object = FlowsText(text)}, test::PlainKnown()));
}

TEST_CASE("job flows validate: graphs", "[admission_rules][job_flows]") {
  const std::string circle = "jobflow Flow is not DAG";
  const std::string missing = "jobflow Flow is not DAG: vertex is not defined: ";
  struct Case {
    std::string flows, told;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"a; b a; c a b; d b; e c d", "allowed"},
      {"b a; c a b; d b; e c d", missing + "a"},
      {"a b; b a", circle},
      {"a a", circle},
      {"a; b a; c b; c a", "allowed"},
      {"a; a; b a", "allowed"},
      {"a; b a a", "allowed"},
      // Of one name the last counts.
      {"a; b nobody; b a", "allowed"},
      {"a a; a", "allowed"},
      {"a; a a", circle},
      {"a; b zz yy; c xx", missing + "zz"},
      {"1 2; 2 1 3", missing + "3"},
      {"1 2; 2 3; 3 1", circle},
      {"1 2; 2 1 3; 3", circle},
      {"1 2 3; 2 3; 3 4; 4", "allowed"},
      {"1 2 3; 2 4 5; 3; 4; 5", "allowed"},
      {"1 2 3 4; 2 3; 3 4; 4 5; 5", "allowed"},
      {"1 2 3 4; 2 3 5; 3 5; 4 3 5; 5", "allowed"},
      {"1 2 3 4; 2 3 5; 3 5; 4 3 5; 5 3", circle},
  }));
  CAPTURE(c.flows);
  CHECK(Flows(c.flows) == c.told);
}

TEST_CASE("job flows validate: what is no graph, and other operations",
          "[admission_rules][job_flows]") {
  const test::PlainKnown known;
  const std::string path = "/jobflows/validate";
  CHECK(test::Told(test::Ask({.path = path, .object = "{}"}, known)) == "allowed");
  CHECK(test::Told(test::Ask({.path = path, .object = R"({"spec":{"flows":[{"name":"a"}]}})"},
                             known)) == "allowed");
  CHECK(test::Told(test::Ask({.path = path, .operation = "UPDATE", .object = FlowsText("a a")},
                             known)) == "jobflow Flow is not DAG");
  CHECK(test::Told(test::Ask({.path = path, .operation = "DELETE"}, known)) ==
        "expect operation to be 'CREATE' or 'UPDATE'");
}

TEST_CASE("job flows validate: ten thousand flows in a chain, and in a circle",
          "[admission_rules][job_flows]") {
  std::string chain = "f0";
  for (int i = 1; i < 10'000; ++i) StrAppend(&chain, "; f", i, " f", i - 1);
  CHECK(Flows(chain) == "allowed");
  CHECK(Flows(StrCat("f0 f9999", chain.substr(2))) == "jobflow Flow is not DAG");
}

}  // namespace
}  // namespace bth::admission
