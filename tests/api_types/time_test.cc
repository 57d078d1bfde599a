#include "api/types/time.h"

#include <string>

#include "base/rng.h"
#include "tests/support/catch.h"

using namespace bth::types;
using bth::Rng;

TEST_CASE("time: both texts of Kubernetes are read and written", "[types][unit]") {
  struct Case {
    std::string text, seconds, micros;
  };
  const Case c = GENERATE(values<Case>({
      {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"},
      {"2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456Z"},
      {"2026-01-02T03:04:05.9Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.900000Z"},
      {"2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z", "2026-01-02T01:04:05.000000Z"},
      {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000000Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
      {"0506-01-02T03:00:00Z", "0506-01-02T03:00:00Z", "0506-01-02T03:00:00.000000Z"},
      {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"},
  }));
  CAPTURE(c.text);
  const auto time = ParseTimestamp(c.text);
  REQUIRE(time.ok());
  CHECK(FormatTimestamp(*time) == c.seconds);
  CHECK(FormatMicroTimestamp(*time) == c.micros);
}

TEST_CASE("time: other notations are refused", "[types][unit]") {
  const std::string text = GENERATE(values<std::string>(
      {"", "now", "2026-01-02", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "26-01-02T03:04:05Z",
       "2026-13-02T03:04:05Z", "2026-01-02T25:04:05Z", "2026-01-02T03:04:05.Z",
       "2026-01-02T03:04:05Zx", "infinite-future", "+2026-01-02T03:04:05Z",
       "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"}));
  CAPTURE(text);
  const auto time = ParseTimestamp(text);
  REQUIRE_FALSE(time.ok());
  CHECK_THAT(std::string(time.status().message()), Catch::Contains("time \"" + text));
}

TEST_CASE("time: every second of the calendar is read as it was written", "[types][property]") {
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const int64_t seconds = static_cast<int64_t>(rng.Below(8'000'000'000)) - 2'000'000'000;
    const absl::Time time = absl::FromUnixSeconds(seconds);
    const auto read = ParseTimestamp(FormatTimestamp(time));
    REQUIRE(read.ok());
    REQUIRE(*read == time);
  }
  CHECK(ParseTimestamp("2024-02-29T00:00:00Z").ok());
  CHECK_FALSE(ParseTimestamp("2023-02-29T00:00:00Z").ok());
  CHECK_FALSE(ParseTimestamp("2026-04-31T00:00:00Z").ok());
  CHECK_FALSE(ParseTimestamp("2026-00-10T00:00:00Z").ok());
  CHECK_FALSE(ParseTimestamp("2026-01-10T00:60:00Z").ok());
}
