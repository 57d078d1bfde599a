// What the READMEs of cel/ and docs/compatibility.md say of differences: to Kubernetes, and of
// Kubernetes to the language definition.
#include <string>

#include "base/strings.h"
#include "cel/kubernetes/environment.h"
#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

bth::test::Evaluation InKubernetes(std::string_view source) {
  static const auto environment = bth::cel::KubernetesEnvironment();
  return bth::test::EvaluateIn(environment, source, bth::cel::Bindings());
}

TEST_CASE("kubernetes differences: what is an error here and a value there", "[cel]") {
  const auto c = GENERATE(values<bth::test::ExpressionCase>({
      {"{'a': 1, 'a': 2}", "repeated key: a"},
      {"sign(quantity('10E'))", "larger than the maximum of 9223372036854775807"},
      {"sign(quantity('9E').add(quantity('9E')))", "beyond the maximum of 9223372036854775807"},
      {"'%.1001f'.format([1.0])", "1001 is more than 1000"},
  }));
  CAPTURE(c.source);
  CHECK_THAT(InKubernetes(c.source).text, Catch::Contains(std::string(c.expected)));
}

TEST_CASE("kubernetes differences: the largest that both have", "[cel]") {
  CHECK(InKubernetes("sign(quantity('9223372036854775807'))").text == "1");
  CHECK(InKubernetes("'%.1000f'.format([1.0]).size()").text == "1002");
}

TEST_CASE("kubernetes differences: a pattern costs the same in both forms", "[cel]") {
  const std::string text = bth::StrCat("'", std::string(500, 'a'), "'");
  const uint64_t member = InKubernetes(bth::StrCat(text, ".matches('^a+b?$')")).cost;
  CHECK(member > 50);
  CHECK(InKubernetes(bth::StrCat("matches(", text, ", '^a+b?$')")).cost == member);
}

TEST_CASE("kubernetes differences: what Kubernetes leaves out of the language is left out here",
          "[cel]") {
  CHECK_THAT(InKubernetes("math.greatest(1, 2)").text,
             Catch::Contains("undeclared reference to 'math'"));
  // All of the duration, where the definition wants what is left of the second.
  CHECK(InKubernetes("duration('1.5s').getMilliseconds()").text == "1500");
}

}  // namespace
