#include "api/types/duration.h"

#include <string>

#include "tests/support/catch.h"

using namespace bth::types;

TEST_CASE("duration: texts are read and written as Kubernetes does", "[types][unit]") {
  struct Case {
    std::string text;
    absl::Duration value;
    std::string written;
  };
  const Case c = GENERATE(values<Case>({
      {"0", absl::ZeroDuration(), "0s"},
      {"0s", absl::ZeroDuration(), "0s"},
      {"-0", absl::ZeroDuration(), "0s"},
      {"1s", absl::Seconds(1), "1s"},
      {"+5m", absl::Minutes(5), "5m0s"},
      {"1h", absl::Hours(1), "1h0m0s"},
      {"90m", absl::Minutes(90), "1h30m0s"},
      {"1h0m1s", absl::Seconds(3601), "1h0m1s"},
      {"1m30.5s", absl::Milliseconds(90500), "1m30.5s"},
      {"30s1h", absl::Seconds(3630), "1h0m30s"},
      {"-1.5h", -absl::Minutes(90), "-1h30m0s"},
      {"1.s", absl::Seconds(1), "1s"},
      {".5s", absl::Milliseconds(500), "500ms"},
      {"1ms", absl::Milliseconds(1), "1ms"},
      {"1500us", absl::Microseconds(1500), "1.5ms"},
      {"3\xC2\xB5s", absl::Microseconds(3), "3\xC2\xB5s"},
      {"3\xCE\xBCs", absl::Microseconds(3), "3\xC2\xB5s"},
      {"1001ns", absl::Nanoseconds(1001), "1.001\xC2\xB5s"},
      {"12ns", absl::Nanoseconds(12), "12ns"},
      {"0.9ns", absl::ZeroDuration(), "0s"},
      {"0.123456789012345678901234h", absl::Nanoseconds(444444440444), "7m24.444440444s"},
      {"2562047h47m16.854775807s", absl::Nanoseconds(INT64_MAX), "2562047h47m16.854775807s"},
      {"-2562047h47m16.854775808s", absl::Nanoseconds(INT64_MIN), "-2562047h47m16.854775808s"},
  }));
  CAPTURE(c.text);
  const auto value = ParseDuration(c.text);
  REQUIRE(value.status().ToString() == "OK");
  CHECK(*value == c.value);
  CHECK(DurationText(*value) == c.written);
  const auto again = ParseDuration(c.written);
  REQUIRE(again.ok());
  CHECK(*again == *value);
}

TEST_CASE("duration: everything else is refused with an example", "[types][unit]") {
  const std::string text = GENERATE(as<std::string>(), "", "-", "+", "1", "1.5", "s", ".s", "-.s",
                                    "1x", "1S", "1 s", " 1s", "1s ", "--1s", "1s-1s", "inf", "1e3s",
                                    "2562047h47m16.854775808s", "-2562047h47m16.854775809s",
                                    "9999999999999999999999h", "3000000h", "1d", "1:30", "0x1s");
  CAPTURE(text);
  const auto value = ParseDuration(text);
  REQUIRE_FALSE(value.ok());
  CHECK_THAT(std::string(value.status().message()), Catch::Contains("1h30m"));
}

TEST_CASE("duration: what lies beyond the limits is written as the limit", "[types][unit]") {
  CHECK(DurationText(absl::InfiniteDuration()) == "2562047h47m16.854775807s");
  CHECK(DurationText(-absl::InfiniteDuration()) == "-2562047h47m16.854775808s");
}
