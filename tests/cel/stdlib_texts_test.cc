#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("stdlib: texts", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"("hello".contains("ell"))", R"(true)"},
      {R"("hello".contains(""))", R"(true)"},
      {R"("hello".contains("x"))", R"(false)"},
      {R"("hello".startsWith("he"))", R"(true)"},
      {R"("hello".startsWith("ello"))", R"(false)"},
      {R"("hello".endsWith("lo"))", R"(true)"},
      {R"("".endsWith("lo"))", R"(false)"},
      {R"("héllo".contains("é"))", R"(true)"},
      {R"("hello".matches("l+"))", R"(true)"},
      {R"("hello".matches("^l"))", R"(false)"},
      {R"(matches("hello", "^h.*o$"))", R"(true)"},
      {R"("hé".matches("^h.$"))", R"(true)"},
      {R"("a\nb".matches("a.b"))", R"(false)"},
      {R"("a\nb".matches("(?s)a.b"))", R"(true)"},
      {R"("É".matches("\\p{Lu}"))", R"(true)"},
      {R"("a".matches(dyn("(")))", R"(error: error parsing regexp: missing closing ): `(`)"},
      {R"("a".matches(dyn("[z-a]")))",
       R"(error: error parsing regexp: invalid character class range: `z-a`)"},
      {R"("a".matches(dyn("a**")))",
       R"(error: error parsing regexp: invalid nested repetition operator: `**`)"},
      {R"x("a".matches(dyn("(?=a)")))x",
       R"(error: error parsing regexp: invalid or unsupported Perl syntax: `(?=`)"},
      {R"("a".matches(dyn("\\1")))",
       R"(error: error parsing regexp: invalid escape sequence: `\1`)"},
      {R"(dyn(1).startsWith("a"))", R"(error: no such overload)"},
      {R"("a".contains(dyn(1)))", R"(error: no such overload)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: literals that cannot be are refused before a run, but where Kubernetes does not",
          "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(timestamp("x"))", R"(compile: ERROR: <input>:1:11: invalid timestamp argument
 | timestamp("x")
 | ..........^)"},
      {R"(timestamp(999999999999))", R"(compile: ERROR: <input>:1:11: invalid timestamp argument
 | timestamp(999999999999)
 | ..........^)"},
      {R"(duration("1d"))", R"(compile: ERROR: <input>:1:10: invalid duration argument
 | duration("1d")
 | .........^)"},
      {R"("a".matches("("))", R"(compile: ERROR: <input>:1:13: invalid matches argument
 | "a".matches("(")
 | ............^)"},
      {R"(matches("a", "["))", "error: error parsing regexp: missing closing ]: `[`"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
