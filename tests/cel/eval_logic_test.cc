#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("eval: && and || let errors pass where the other side decides", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(true && true)", R"(true)"},
      {R"(true && false)", R"(false)"},
      {R"(false || true)", R"(true)"},
      {R"(false || false)", R"(false)"},
      {R"(false && 1 / 0 > 0)", R"(false)"},
      {R"(1 / 0 > 0 && false)", R"(false)"},
      {R"(true || 1 / 0 > 0)", R"(true)"},
      {R"(1 / 0 > 0 || true)", R"(true)"},
      {R"(true && 1 / 0 > 0)", R"(error: division by zero)"},
      {R"(1 / 0 > 0 && true)", R"(error: division by zero)"},
      {R"(1 / 0 > 0 || 1 % 0 > 0)", R"(error: division by zero)"},
      {R"(1 / 0 > 0 && 1 % 0 > 0)", R"(error: division by zero)"},
      {R"(dyn(1) && true)", R"(error: no such overload)"},
      {R"(dyn(1) && false)", R"(false)"},
      {R"(true && dyn(1))", R"(error: no such overload)"},
      {R"(dyn(1) || true)", R"(true)"},
      {R"(false || dyn("a"))", R"(error: no such overload)"},
      {R"(!true)", R"(false)"},
      {R"(!(1 > 2))", R"(true)"},
      {R"(!dyn(1))", R"(error: no such overload)"},
      {R"(true ? 1 : 1 / 0)", R"(1)"},
      {R"(false ? 1 / 0 : 2)", R"(2)"},
      {R"(1 / 0 > 0 ? 1 : 2)", R"(error: division by zero)"},
      {R"(dyn(1) ? 1 : 2)", R"(error: no such overload)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("eval: members, and those that are not there", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"({"a": {"b": [dyn(1), dyn({"c": 2})]}}.a.b[1].c)", R"(2)"},
      {R"({"a": {"b": 1}}["a"].b)", R"(1)"},
      {R"(has({"a": 1}.a))", R"(true)"},
      {R"(has({"a": 1}.b))", R"(false)"},
      {R"(has({"a": {"b": null}}.a.b))", R"(true)"},
      {R"(has({"a": {}}.a.b))", R"(false)"},
      {R"(has({"a": {}}.b.c))", R"(error: no such key: b)"},
      {R"(has(dyn(1).a))", R"(false)"},
      {R"(dyn([1]).a)", R"(error: unsupported index type 'string' in list)"},
      {R"(dyn(1).a)", R"(error: no such key: a)"},
      {R"({"a": 1 / 0}.a)", R"(error: division by zero)"},
      {R"([1 / 0][0])", R"(error: division by zero)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("eval: literals", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"({"a": 1, "b": 2})", R"({"a": 1, "b": 2})"},
      {R"({dyn(1): 1, dyn("a"): 2, dyn(true): 3, dyn(4u): 4})",
       R"({1: 1, "a": 2, true: 3, 4u: 4})"},
      {R"({"a": 1, "a": 2})", R"(error: Failed with repeated key: a)"},
      {R"({dyn(1): 1, dyn(1u): 2})", R"(error: Failed with repeated key: 1)"},
      {R"({1.5: 1})", R"(error: unsupported key type: double)"},
      {R"({null: 1})", R"(error: unsupported key type: null_type)"},
      {R"({dyn([1]): 1})", R"(error: unsupported key type: list)"},
      {R"([])", R"([])"},
      {R"({})", R"({})"},
      {R"(0x1F)", R"(31)"},
      {R"(-0x1F)", R"(-31)"},
      {R"(1e3)", R"(1000.0)"},
      {R"("\u00e9\U0001F600\x41\101\n")", R"("é😀AA\n")"},
      {R"(r"\n")", R"("\\n")"},
      {R"(b"\x00\377")", R"(b"\x00\xff")"},
      {R"('''a"b''')", R"("a\"b")"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
