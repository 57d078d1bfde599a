#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("stdlib: timestamps and durations from texts", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(timestamp("2024-02-29T12:30:45.5+02:00"))",
       R"(timestamp("2024-02-29T12:30:45.5+02:00"))"},
      {R"(timestamp("2024-01-01T00:00:00,5Z"))", R"(timestamp("2024-01-01T00:00:00.5Z"))"},
      {R"(timestamp("2024-01-01T00:00:00+24:00"))", R"(timestamp("2024-01-01T00:00:00+24:00"))"},
      {R"(timestamp("9999-12-31T23:59:59.999999999Z"))",
       R"(timestamp("9999-12-31T23:59:59.999999999Z"))"},
      {R"(timestamp(1234567890))", R"(timestamp("2009-02-13T23:31:30Z"))"},
      {R"(timestamp(-62135596800))", R"(timestamp("0001-01-01T00:00:00Z"))"},
      {R"(timestamp(dyn("2023-02-29T00:00:00Z")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      {R"(timestamp(dyn("2024-01-01T00:00:60Z")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      {R"(timestamp(dyn("2024-01-01t00:00:00z")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      {R"(timestamp(dyn("2024-01-01T00:00:00")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      {R"(timestamp(dyn("2024-01-01")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Timestamp')"},
      {R"(timestamp(dyn("0000-01-01T00:00:00Z")))", R"(error: timestamp overflow)"},
      {R"(timestamp(dyn("9999-12-31T23:59:59-01:00")))", R"(error: timestamp overflow)"},
      {R"(timestamp(dyn(253402300800)))", R"(error: timestamp overflow)"},
      {R"(duration("1h2m3.5s"))", R"(duration("3723.5s"))"},
      {R"(duration("-1m"))", R"(duration("-60s"))"},
      {R"(duration("+1s"))", R"(duration("1s"))"},
      {R"(duration("0"))", R"(duration("0s"))"},
      {R"(duration(".5s"))", R"(duration("0.5s"))"},
      {R"(duration("1us"))", R"(duration("0.000001s"))"},
      {R"(duration("1µs"))", R"(duration("0.000001s"))"},
      {R"(duration("1ns"))", R"(duration("0.000000001s"))"},
      {R"(duration(dyn(1000)))",
       R"(error: type conversion error from 'int' to 'google.protobuf.Duration')"},
      {R"(duration("1m1m"))", R"(duration("120s"))"},
      {R"(duration(dyn("")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("1")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("s")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("1d")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("1 s")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("--1s")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("1.s.")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("9223372037s")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn("1s2")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
      {R"(duration(dyn(".s")))",
       R"(error: type conversion error from 'string' to 'google.protobuf.Duration')"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: parts of timestamps in UTC", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getFullYear())", R"(2009)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMonth())", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDate())", R"(13)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfMonth())", R"(12)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfWeek())", R"(5)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfYear())", R"(43)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours())", R"(23)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMinutes())", R"(31)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getSeconds())", R"(30)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMilliseconds())", R"(123)"},
      {R"(timestamp("2024-12-31T00:00:00Z").getDayOfYear())", R"(365)"},
      {R"(timestamp("2024-12-29T00:00:00Z").getDayOfWeek())", R"(0)"},
      {R"(timestamp("0001-01-01T00:00:00Z").getFullYear())", R"(1)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: parts of timestamps in time zones", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("+01:30"))", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDate("+01:30"))", R"(14)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("-08:00"))", R"(15)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("02:00"))", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMinutes("-00:30"))", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("UTC"))", R"(23)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours(""))", R"(23)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("Asia/Kolkata"))", R"(5)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMinutes("Asia/Kolkata"))", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfWeek("America/Los_Angeles"))",
       R"(5)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDate("Australia/Sydney"))", R"(14)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfMonth("US/Central"))", R"(12)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getDayOfYear("Asia/Tokyo"))", R"(44)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getFullYear("Europe/London"))", R"(2009)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMonth("Europe/London"))", R"(1)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getSeconds("Europe/London"))", R"(30)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getMilliseconds("Europe/London"))", R"(123)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("Nowhere/Land"))",
       R"(error: unknown time zone Nowhere/Land)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("/etc/passwd"))",
       R"(error: unknown time zone /etc/passwd)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("../zoneinfo/UTC"))",
       R"(error: unknown time zone ../zoneinfo/UTC)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("Europe"))",
       R"(error: unknown time zone Europe)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("x:y"))",
       R"(error: strconv.Atoi: parsing "x": invalid syntax)"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("+99:00"))",
       R"(error: invalid time zone offset "+99:00")"},
      {R"(timestamp("2009-02-13T23:31:30.123456789Z").getHours("9223372036854775807:00"))",
       R"(error: invalid time zone offset "9223372036854775807:00")"},
      {R"(timestamp("2024-07-01T12:00:00Z").getHours("Europe/Berlin"))", R"(14)"},
      {R"(timestamp("2024-01-01T12:00:00Z").getHours("Europe/Berlin"))", R"(13)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: parts of durations count all of it", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(duration("93784.005s").getHours())", R"(26)"},
      {R"(duration("93784.005s").getMinutes())", R"(1563)"},
      {R"(duration("93784.005s").getSeconds())", R"(93784)"},
      {R"(duration("93784.005s").getMilliseconds())", R"(93784005)"},
      {R"(duration("-90m").getHours())", R"(-1)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("stdlib: arithmetic of timestamps and durations", "[cel][stdlib]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"(timestamp("2009-02-13T23:31:30Z") + duration("0.5s"))",
       R"(timestamp("2009-02-13T23:31:30.5Z"))"},
      {R"(duration("-1ns") + timestamp("2009-02-13T23:31:30Z"))",
       R"(timestamp("2009-02-13T23:31:29.999999999Z"))"},
      {R"(timestamp("2009-02-13T23:31:30.999999999Z") + duration("1ns"))",
       R"(timestamp("2009-02-13T23:31:31Z"))"},
      {R"(timestamp("2009-02-13T23:31:30Z") - duration("30s"))",
       R"(timestamp("2009-02-13T23:31:00Z"))"},
      {R"(timestamp("2009-02-13T23:31:30Z") - timestamp("2009-02-13T23:31:29.5Z"))",
       R"(duration("0.5s"))"},
      {R"(timestamp("2009-02-13T23:31:29.5Z") - timestamp("2009-02-13T23:31:30Z"))",
       R"(duration("-0.5s"))"},
      {R"(duration("1h") + duration("1m"))", R"(duration("3660s"))"},
      {R"(duration("1h") - duration("1m"))", R"(duration("3540s"))"},
      {R"(timestamp("9999-12-31T23:59:59Z") + duration("1s"))", R"(error: timestamp overflow)"},
      {R"(timestamp("0001-01-01T00:00:00Z") - duration("1ns"))", R"(error: timestamp overflow)"},
      {R"(timestamp("9999-12-31T23:59:59Z") - timestamp("0001-01-01T00:00:00Z"))",
       R"(error: integer overflow)"},
      {R"(duration("2562047h") + duration("2562047h"))", R"(error: integer overflow)"},
      {R"(duration("-2562047h") - duration("2562047h"))", R"(error: integer overflow)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
