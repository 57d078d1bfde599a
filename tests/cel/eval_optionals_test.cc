#include "cel/kubernetes/environment.h"
#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::ExpressionCase;

std::string EvaluateKubernetes(std::string_view source) {
  return bth::test::EvaluateIn(bth::cel::KubernetesEnvironment(), source, bth::cel::Bindings())
      .text;
}

TEST_CASE("eval: optionals", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(optional.of(1))", R"(optional.of(1))"},
      {R"(optional.none())", R"(optional.none())"},
      {R"(optional.of(1).value())", R"(1)"},
      {R"(optional.none().value())", R"(error: optional.none() dereference)"},
      {R"(optional.of(1).hasValue())", R"(true)"},
      {R"(optional.ofNonZeroValue(0).hasValue())", R"(false)"},
      {R"({"a": 1}.?a)", R"(optional.of(1))"},
      {R"({"a": 1}.?b)", R"(optional.none())"},
      {R"({"a": {"b": 1}}.?a.?b)", R"(optional.of(1))"},
      {R"({"a": {"b": 1}}.?a.b)", R"(optional.of(1))"},
      {R"({"a": {"b": 1}}.?x.b)", R"(optional.none())"},
      {R"({"a": {"b": dyn(1)}}.?x.b.c.d.hasValue())", R"(false)"},
      {R"({"a": {"b": 1}}.?a.b.value())", R"(1)"},
      {R"({"a": 1}[?"a"])", R"(optional.of(1))"},
      {R"({"a": 1}[?"b"].orValue(2))", R"(2)"},
      {R"([1, 2][?1])", R"(optional.of(2))"},
      {R"([1, 2][?5])", R"(optional.none())"},
      {R"([1, 2][?-1])", R"(optional.none())"},
      {R"(optional.of([1, 2])[0])", R"(optional.of(1))"},
      {R"(optional.of([1, 2])[?5])", R"(optional.none())"},
      {R"(optional.none()[?0].hasValue())", R"(false)"},
      {R"(has({"a": {"b": 1}}.?a.b))", R"(true)"},
      {R"(has({"a": {"b": 1}}.?x.b))", R"(false)"},
      {R"(has({"a": {"b": 1}}.?a.c))", R"(false)"},
      {R"(optional.of(1).or(optional.of(1 / 0)).value())", R"(1)"},
      {R"(optional.none().or(optional.of(2)).value())", R"(2)"},
      {R"(optional.of(1).orValue(1 / 0))", R"(1)"},
      {R"(optional.none().orValue(3))", R"(3)"},
      {R"(optional.none().orValue(1 / 0))", R"(error: division by zero)"},
      {R"(optional.of(1).optMap(x, x + 1))", R"(optional.of(2))"},
      {R"(optional.none().optMap(x, x + 1))", R"(optional.none())"},
      {R"(optional.of(1).optFlatMap(x, optional.none()))", R"(optional.none())"},
      {R"([?optional.of(1), ?optional.none(), 2])", R"([1, 2])"},
      {R"({?"a": optional.of(1), ?"b": optional.none()})", R"({"a": 1})"},
      {R"([?dyn(optional.of(1))])", R"([1])"},
      {R"(optional.of(1) == optional.of(1))", R"(true)"},
      {R"(optional.none() == optional.none())", R"(true)"},
      {R"(optional.of(1) == optional.none())", R"(false)"},
      {R"([optional.of(1)] == [optional.of(2)])", R"(false)"},
      {R"(type(optional.none()) == optional_type)", R"(true)"},
  }));
  CAPTURE(c.source);
  CHECK(EvaluateKubernetes(c.source) == c.expected);
}

}  // namespace
