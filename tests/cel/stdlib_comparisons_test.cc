#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("stdlib: comparisons", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(1 < 2)", R"(true)"},
      {R"(2 <= 2)", R"(true)"},
      {R"(1 > 2)", R"(false)"},
      {R"(2 >= 3)", R"(false)"},
      {R"(1 < 2u)", R"(true)"},
      {R"(1u < 2.5)", R"(true)"},
      {R"(-1 < 0u)", R"(true)"},
      {R"(3.0 >= 3)", R"(true)"},
      {R"(9223372036854775807 < 9223372036854775808.0)", R"(true)"},
      {R"(9007199254740993 > 9007199254740992.0)", R"(true)"},
      {R"(18446744073709551615u > -1)", R"(true)"},
      {R"("a" < "b")", R"(true)"},
      {R"("a" < "B")", R"(false)"},
      {R"("é" > "e")", R"(true)"},
      {R"("" < "a")", R"(true)"},
      {R"(b"a" < b"ab")", R"(true)"},
      {R"(false < true)", R"(true)"},
      {R"(true <= false)", R"(false)"},
      {R"(duration("1s") < duration("2s"))", R"(true)"},
      {R"(timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-01T00:00:00.1Z"))", R"(true)"},
      {R"(0.0 / 0.0 < 1.0)", R"(error: NaN values cannot be ordered)"},
      {R"(dyn("a") < 1)", R"(error: no such overload)"},
      {R"(dyn([1]) < 1)", R"(error: no such overload: _<_)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: equality", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(1 == 1)", R"(true)"},
      {R"(1 != 1)", R"(false)"},
      {R"(dyn(1) == 1u)", R"(true)"},
      {R"(dyn(1) == 1.0)", R"(true)"},
      {R"(dyn(1) == "1")", R"(false)"},
      {R"(dyn(null) == 0)", R"(false)"},
      {R"(null == null)", R"(true)"},
      {R"([1, 2] == [1, 2])", R"(true)"},
      {R"([1, 2] == [2, 1])", R"(false)"},
      {R"({"a": 1} == {"a": 1})", R"(true)"},
      {R"({"a": 1, "b": 2} == {"b": 2, "a": 1})", R"(true)"},
      {R"({"a": 1} == {"a": 2})", R"(false)"},
      {R"([dyn(1)] == [dyn(1.0)])", R"(true)"},
      {R"(0.0 == -0.0)", R"(true)"},
      {R"(0.0 / 0.0 == 0.0 / 0.0)", R"(false)"},
      {R"(0.0 / 0.0 != 0.0 / 0.0)", R"(true)"},
      {R"(type(1) == int)", R"(true)"},
      {R"(type(1) == uint)", R"(false)"},
      {R"(type([]) == list)", R"(true)"},
      {R"(type(type(1)) == type)", R"(true)"},
      {R"(type(null) == null_type)", R"(true)"},
      {R"("a" == "a")", R"(true)"},
      {R"(b"a" == b"a")", R"(true)"},
      {R"(dyn("a") == b"a")", R"(false)"},
      {R"(duration("60s") == duration("1m"))", R"(true)"},
      {R"(timestamp("2024-01-01T01:00:00+01:00") == timestamp("2024-01-01T00:00:00Z"))", R"(true)"},
      {R"(dyn(1 / 0) == 1)", R"(error: division by zero)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: membership and size", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(1 in [1, 2])", R"(true)"},
      {R"(3 in [1, 2])", R"(false)"},
      {R"(dyn(1.0) in [1, 2])", R"(true)"},
      {R"(1 in [])", R"(false)"},
      {R"(dyn("a") in [1, 2])", R"(false)"},
      {R"([1] in [[1], [2]])", R"(true)"},
      {R"(1.5 in [1.5])", R"(true)"},
      {R"("a" in {"a": 1})", R"(true)"},
      {R"("b" in {"a": 1})", R"(false)"},
      {R"(dyn(1u) in {1: 1})", R"(true)"},
      {R"(dyn([1]) in {1: 1})", R"(false)"},
      {R"(dyn(1) in dyn(1))", R"(error: no such overload)"},
      {R"(size(""))", R"(0)"},
      {R"(size("héllo 😀"))", R"(7)"},
      {R"("abc".size())", R"(3)"},
      {R"(size(b"\xff\xfe"))", R"(2)"},
      {R"(size([1, 2]))", R"(2)"},
      {R"({"a": 1}.size())", R"(1)"},
      {R"(size(dyn(1)))", R"(error: no such overload: size)"},
      {R"([1, 2 + 0][1])", R"(2)"},
      {R"([1][1])", R"(error: index out of bounds: 1)"},
      {R"([1][-1])", R"(error: index out of bounds: -1)"},
      {R"([1][dyn(0.0)])", R"(1)"},
      {R"([1][dyn(0u)])", R"(1)"},
      {R"([1][dyn(0.5)])", R"(error: unsupported index value 0.5 in list)"},
      {R"([1][dyn("a")])", R"(error: unsupported index type 'string' in list)"},
      {R"({"a": 1}["a"])", R"(1)"},
      {R"({"a": 1}["b"])", R"(error: no such key: b)"},
      {R"({"a": 1}.b)", R"(error: no such key: b)"},
      {R"({1: 1}[2])", R"(error: no such key: 2)"},
      {R"({1: "x"}[dyn(1.0)])", R"("x")"},
      {R"({true: 1}[false])", R"(error: no such key: false)"},
      {R"(dyn(1)[0])", R"(error: no such key: 0)"},
      {R"(dyn(1).a)", R"(error: no such key: a)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
