#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("stdlib: conversions to numbers", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(int(1))", R"(1)"},
      {R"(int(1u))", R"(1)"},
      {R"(int(1.9))", R"(1)"},
      {R"(int(-1.9))", R"(-1)"},
      {R"(int("-7"))", R"(-7)"},
      {R"(int("+5"))", R"(5)"},
      {R"(int(timestamp("1970-01-01T00:01:00.9Z")))", R"(60)"},
      {R"(int(duration("1us")))", R"(1000)"},
      {R"(int(9223372036854775807u))", R"(9223372036854775807)"},
      {R"(int(9223372036854775808u))", R"(error: integer overflow)"},
      {R"(int(9223372036854775807.0))", R"(error: integer overflow)"},
      {R"(int(-9223372036854775808.0))", R"(error: integer overflow)"},
      {R"(int(9223372036854774784.0))", R"(9223372036854774784)"},
      {R"(int(0.0 / 0.0))", R"(error: integer overflow)"},
      {R"(int(1.0 / 0.0))", R"(error: integer overflow)"},
      {R"(int(""))", R"(error: type conversion error from 'string' to 'int')"},
      {R"(int("1.0"))", R"(error: type conversion error from 'string' to 'int')"},
      {R"(int("9223372036854775808"))", R"(error: type conversion error from 'string' to 'int')"},
      {R"(int("+-1"))", R"(error: type conversion error from 'string' to 'int')"},
      {R"(int(" 1"))", R"(error: type conversion error from 'string' to 'int')"},
      {R"(uint(1u))", R"(1u)"},
      {R"(uint(1))", R"(1u)"},
      {R"(uint(1.9))", R"(1u)"},
      {R"(uint("7"))", R"(7u)"},
      {R"(uint(-1))", R"(error: unsigned integer overflow)"},
      {R"(uint(-0.1))", R"(error: unsigned integer overflow)"},
      {R"(uint(18446744073709551616.0))", R"(error: unsigned integer overflow)"},
      {R"(uint(18446744073709549568.0))", R"(18446744073709549568u)"},
      {R"(uint("-1"))", R"(error: type conversion error from 'string' to 'uint')"},
      {R"(uint("+1"))", R"(error: type conversion error from 'string' to 'uint')"},
      {R"(double(1))", R"(1.0)"},
      {R"(double(1u))", R"(1.0)"},
      {R"(double(1.5))", R"(1.5)"},
      {R"(double("1.5"))", R"(1.5)"},
      {R"(double("-.5e1"))", R"(-5.0)"},
      {R"(double("inf"))", R"(+Inf)"},
      {R"(double("-Infinity"))", R"(-Inf)"},
      {R"(double("nan"))", R"(NaN)"},
      {R"(double("1e400"))", R"(error: type conversion error from 'string' to 'double')"},
      {R"(double("1e-400"))", R"(0.0)"},
      {R"(double("1."))", R"(1.0)"},
      {R"(double("."))", R"(error: type conversion error from 'string' to 'double')"},
      {R"(double("1e"))", R"(error: type conversion error from 'string' to 'double')"},
      {R"(double(9007199254740993))", R"(9.007199254740992e+15)"},
      {R"(int(dyn(true)))", R"(error: no such overload: int(bool))"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: conversions to texts, bytes and truths", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(string("a"))", R"("a")"},
      {R"(string(true))", R"("true")"},
      {R"(string(-5))", R"("-5")"},
      {R"(string(5u))", R"("5")"},
      {R"(string(1.5))", R"("1.5")"},
      {R"(string(1e6))", R"("1e+06")"},
      {R"(string(123456.0))", R"("123456")"},
      {R"(string(1.5e-7))", R"("1.5e-07")"},
      {R"(string(0.0001))", R"("0.0001")"},
      {R"(string(-0.0))", R"("-0")"},
      {R"(string(1.0 / 0.0))", R"("+Inf")"},
      {R"(string(0.0 / 0.0))", R"("NaN")"},
      {R"(string(b"h\xc3\xa9"))", R"("hé")"},
      {R"(string(b"\xff"))", R"(error: invalid UTF-8 in bytes, cannot convert to string)"},
      {R"(string(b"\xed\xa0\x80"))", R"(error: invalid UTF-8 in bytes, cannot convert to string)"},
      {R"(string(timestamp("2009-02-13T23:31:30.120Z")))", R"("2009-02-13T23:31:30.12Z")"},
      {R"(string(timestamp("2009-02-13T23:31:30.120-01:30") + duration("1h")))",
       R"("2009-02-14T00:31:30.12-01:30")"},
      {R"(string(timestamp("0001-01-01T00:00:00Z")))", R"("0001-01-01T00:00:00Z")"},
      {R"(string(duration("1h1m1.5s")))", R"("3661.5s")"},
      {R"(string(duration("-1ms")))", R"("-0.001s")"},
      {R"(bytes("hé"))", R"(b"h\xc3\xa9")"},
      {R"(bytes(b"a"))", R"(b"a")"},
      {R"(bool(true))", R"(true)"},
      {R"(bool("t"))", R"(true)"},
      {R"(bool("TRUE"))", R"(true)"},
      {R"(bool("1"))", R"(true)"},
      {R"(bool("False"))", R"(false)"},
      {R"(bool("f"))", R"(false)"},
      {R"(bool("0"))", R"(false)"},
      {R"(bool("yes"))", R"(error: type conversion error from 'string' to 'bool')"},
      {R"(bool("tRUE"))", R"(error: type conversion error from 'string' to 'bool')"},
      {R"(type(1))", R"(int)"},
      {R"(type(1.0))", R"(double)"},
      {R"(type("a"))", R"(string)"},
      {R"(type(b"a"))", R"(bytes)"},
      {R"(type({}))", R"(map)"},
      {R"(type(duration("1s")))", R"(google.protobuf.Duration)"},
      {R"(type(timestamp(0)))", R"(google.protobuf.Timestamp)"},
      {R"(type(type(1)))", R"(type)"},
      {R"(dyn([1]))", R"([1])"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
