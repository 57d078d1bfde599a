#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("stdlib: arithmetic of each type", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(1 + 2)", R"(3)"},
      {R"(1 - 2)", R"(-1)"},
      {R"(3 * -4)", R"(-12)"},
      {R"(7 / 2)", R"(3)"},
      {R"(-7 / 2)", R"(-3)"},
      {R"(7 % 3)", R"(1)"},
      {R"(-7 % 3)", R"(-1)"},
      {R"(7 % -3)", R"(1)"},
      {R"(1u + 2u)", R"(3u)"},
      {R"(3u - 2u)", R"(1u)"},
      {R"(3u * 4u)", R"(12u)"},
      {R"(7u / 2u)", R"(3u)"},
      {R"(7u % 3u)", R"(1u)"},
      {R"(1.5 + 2.0)", R"(3.5)"},
      {R"(1.5 - 2.0)", R"(-0.5)"},
      {R"(1.5 * 2.0)", R"(3.0)"},
      {R"(1.0 / 4.0)", R"(0.25)"},
      {R"(1.0 / 0.0)", R"(+Inf)"},
      {R"(-1.0 / 0.0)", R"(-Inf)"},
      {R"(0.0 / 0.0)", R"(NaN)"},
      {R"(1.0 / -0.0)", R"(-Inf)"},
      {R"(-(1))", R"(-1)"},
      {R"(-(-9223372036854775807))", R"(9223372036854775807)"},
      {R"(-(1.5))", R"(-1.5)"},
      {R"(-(0.0))", R"(-0.0)"},
      {R"("a" + "b")", R"("ab")"},
      {R"("" + "")", R"("")"},
      {R"(b"a" + b"\xff")", R"(b"a\xff")"},
      {R"([1] + [2, 3])", R"([1, 2, 3])"},
      {R"([] + [])", R"([])"},
      {R"(1e308 * 10.0)", R"(+Inf)"},
      {R"(4.9e-324 / 2.0)", R"(0.0)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: arithmetic that does not fit is an error", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(9223372036854775807 + 1)", R"(error: integer overflow)"},
      {R"(-9223372036854775808 - 1)", R"(error: integer overflow)"},
      {R"(9223372036854775807 * 2)", R"(error: integer overflow)"},
      {R"(-9223372036854775808 * -1)", R"(error: integer overflow)"},
      {R"(-9223372036854775808 / -1)", R"(error: integer overflow)"},
      {R"(-9223372036854775808 % -1)", R"(error: integer overflow)"},
      {R"(-(-9223372036854775808))", R"(error: integer overflow)"},
      {R"(1 / 0)", R"(error: division by zero)"},
      {R"(1 % 0)", R"(error: modulus by zero)"},
      {R"(1u / 0u)", R"(error: division by zero)"},
      {R"(1u % 0u)", R"(error: modulus by zero)"},
      {R"(18446744073709551615u + 1u)", R"(error: unsigned integer overflow)"},
      {R"(0u - 1u)", R"(error: unsigned integer overflow)"},
      {R"(18446744073709551615u * 2u)", R"(error: unsigned integer overflow)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: arithmetic of values whose types show when run", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(dyn(1) + 2)", R"(3)"},
      {R"(dyn("a") + dyn("b"))", R"("ab")"},
      {R"(dyn(1) + "a")", R"(error: no such overload)"},
      {R"(dyn(true) + 1)", R"(error: no such overload: _+_)"},
      {R"(dyn(1) + dyn(1u))", R"(error: no such overload)"},
      {R"(-dyn("a"))", R"(error: no such overload)"},
      {R"(dyn(1) - dyn(1.0))", R"(error: no such overload)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
