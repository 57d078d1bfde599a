#include "api/rules/pattern_fault.h"

#include <string>

#include "re2/re2.h"
#include "tests/support/catch.h"

namespace bth::rules {
namespace {

TEST_CASE("pattern fault: in the words of Go", "[rules][patterns]") {
  struct Case {
    std::string pattern, told;
  };
  const Case c = GENERATE(values<Case>({
      {"a(b", "missing closing ): `a(b`"},
      {"a)b", "unexpected ): `a)b`"},
      {"x[a", "missing closing ]: `[a`"},
      {"[b-a]", "invalid character class range: `b-a`"},
      {"[[:nope:]]", "invalid character class range: `[:nope:]`"},
      {"\\pX", "invalid character class range: `\\pX`"},
      {"*a", "missing argument to repetition operator: `*`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"a{2,1}", "invalid repeat count: `{2,1}`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a\\", "trailing backslash at end of expression: ``"},
      {"\\8", "invalid escape sequence: `\\8`"},
      {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      {"(?P<n", "invalid named capture: `(?P<n`"},
      {"(?P<>a)", "invalid named capture: `(?P<>`"},
  }));
  CAPTURE(c.pattern);
  const re2::RE2 compiled(c.pattern, re2::RE2::Quiet);
  REQUIRE_FALSE(compiled.ok());
  CHECK(PatternFault(compiled) == "error parsing regexp: " + c.told);
}

TEST_CASE("pattern fault: of one that is too large the whole is shown", "[rules][patterns]") {
  const std::string pattern = "((a{100}){100}){100}";
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);
  CHECK(PatternFault(re2::RE2(pattern, options)) ==
        "error parsing regexp: invalid repeat count: `{100}`");
  options.set_max_mem(1 << 12);
  CHECK(PatternFault(re2::RE2("(\\pL{30}){3}", options)) ==
        "error parsing regexp: expression too large: `(\\pL{30}){3}`");
}

}  // namespace
}  // namespace bth::rules
