#include "api/types/quantity.h"

#include <string>

#include "tests/support/catch.h"

using bth::types::Quantity;

TEST_CASE("quantity: parsed, rounded up and printed as Kubernetes does", "[types][unit]") {
  struct Case {
    std::string text;
    int64_t value, milli;
    std::string printed;
  };
  const Case c = GENERATE(values<Case>({
      {"0", 0, 0, "0"},
      {"00012", 12, 12000, "12"},
      {"+5", 5, 5000, "5"},
      {"-5", -5, -5000, "-5"},
      {"1.", 1, 1000, "1"},
      {".5", 1, 500, "500m"},
      {"1.5", 2, 1500, "1500m"},
      {"-1.5", -2, -1500, "-1500m"},
      {"1500m", 2, 1500, "1500m"},
      {"1000m", 1, 1000, "1"},
      {"0.0005", 1, 1, "500u"},
      {"1n", 1, 1, "1n"},
      {"0.1n", 1, 1, "1n"},
      {"-0.1n", -1, -1, "-1n"},
      {"1500u", 1, 2, "1500u"},
      {"1k", 1000, 1000000, "1k"},
      {"1000", 1000, 1000000, "1k"},
      {"1500", 1500, 1500000, "1500"},
      {"1.5k", 1500, 1500000, "1500"},
      {"100M", 100000000, 100000000000, "100M"},
      {"1e3", 1000, 1000000, "1e3"},
      {"1E3", 1000, 1000000, "1e3"},
      {"15e2", 1500, 1500000, "1500"},
      {"1e4", 10000, 10000000, "10e3"},
      {"1e-3", 1, 1, "1e-3"},
      {"1e-4", 1, 1, "100e-6"},
      {"1e+3", 1000, 1000000, "1e3"},
      {"1e-20", 1, 1, "1e-9"},
      {"1Ki", 1024, 1024000, "1Ki"},
      {"1024", 1024, 1024000, "1024"},
      {"1024Ki", 1048576, 1048576000, "1Mi"},
      {"1000Ki", 1024000, 1024000000, "1000Ki"},
      {"1.5Gi", 1610612736, 1610612736000, "1536Mi"},
      {"0.5Ki", 512, 512000, "512"},
      {"0.1Ki", 103, 102400, "102400m"},
      {"2.0001Ki", 2049, 2048103, "2048102400u"},
      {"-1Ki", -1024, -1024000, "-1Ki"},
      {"0Ki", 0, 0, "0"},
      {"0e999", 0, 0, "0"},
      {"7Ti", 7696581394432, 7696581394432000, "7Ti"},
      {"9223372036854775m", 9223372036854776, 9223372036854775, "9223372036854775m"},
      {"123456789.123456789123", 123456790, 123456789124, "123456789123456790n"},
  }));
  CAPTURE(c.text);
  const auto quantity = Quantity::Parse(c.text);
  REQUIRE(quantity.ok());
  if (c.text != "9223372036854775m") CHECK(quantity->Value() == c.value);
  CHECK(quantity->MilliValue().value() == c.milli);
  CHECK(quantity->ToString() == c.printed);
  const auto again = Quantity::Parse(c.printed);
  REQUIRE(again.ok());
  CHECK(*again == *quantity);
  CHECK(again->ToString() == c.printed);
}

TEST_CASE("quantity: whole units of no binary suffix lose their notation when printed",
          "[types][unit]") {
  const auto quantity = Quantity::Parse("62.5Ki");
  REQUIRE(quantity.ok());
  CHECK(quantity->ToString() == "64000");
  CHECK(Quantity::Parse("64000")->ToString() == "64k");
}

TEST_CASE("quantity: bad text is refused and named", "[types][unit]") {
  const std::string text = GENERATE(values<std::string>({
      "",
      " 1",
      "1 ",
      "1K",
      "1ki",
      "1i",
      "1mm",
      "1uM",
      "0.1mi",
      "0x1",
      "1_000",
      "+-5",
      "1.1.M",
      "1+1.0M",
      "1e",
      "1e+",
      "1e3Ki",
      "-3.01e-",
      "aoeu",
      "1,5",
      "1e99999999999999999999",
      "\xFF",
      std::string("1\0", 2),
  }));
  CAPTURE(text);
  const auto quantity = Quantity::Parse(text);
  REQUIRE_FALSE(quantity.ok());
  CHECK(quantity.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(quantity.status().message()), Catch::Contains("quantity \"" + text));
}

TEST_CASE("quantity: what exceeds the range is an error, not a limit value", "[types][unit]") {
  for (const char* text : {"9223372036854775808", "-9223372036854775808", "8Ei", "10E", "1e19",
                           "1e30", "1e2147483648", "9223372036854775807.1"}) {
    CAPTURE(text);
    CHECK_THAT(std::string(Quantity::Parse(text).status().message()),
               Catch::Contains("larger than the maximum"));
  }
  CHECK(Quantity::Parse("9223372036854775807")->Value() == INT64_MAX);
  CHECK(Quantity::Parse("-9223372036854775807")->Value() == -INT64_MAX);
  CHECK(Quantity::Parse("9223372036854775806.5")->Value() == INT64_MAX);
  CHECK(Quantity::Parse("1e-99999")->Value() == 1);
  CHECK_FALSE(Quantity::Parse(std::string(300, '1')).ok());
}

TEST_CASE("quantity: thousandths beyond int64 are an error that names it", "[types][unit]") {
  CHECK(Quantity::Parse("9223372036854775.807")->MilliValue().value() == INT64_MAX);
  const auto milli = Quantity::Parse("9223372036854775.808")->MilliValue();
  REQUIRE_FALSE(milli.ok());
  CHECK(milli.status().code() == absl::StatusCode::kOutOfRange);
  CHECK_THAT(std::string(milli.status().message()), Catch::Contains("9223372036854775808m"));
}

TEST_CASE("quantity: built from numbers and printed in the asked notation", "[types][unit]") {
  using Format = Quantity::Format;
  CHECK(Quantity::FromMilli(1500).ToString() == "1500m");
  CHECK(Quantity::FromMilli(2000).ToString() == "2");
  CHECK(Quantity::FromMilli(-1).ToString() == "-1m");
  CHECK(Quantity::FromValue(int64_t{1536} << 20, Format::kBinarySI).ToString() == "1536Mi");
  CHECK(Quantity::FromValue(1023, Format::kBinarySI).ToString() == "1023");
  CHECK(Quantity::FromValue(1025, Format::kBinarySI).ToString() == "1025");
  CHECK(Quantity::FromValue(1000, Format::kDecimalExponent).ToString() == "1e3");
  CHECK(Quantity::FromMilli(2048500, Format::kBinarySI).ToString() == "2048500m");
  CHECK(Quantity::FromValue(INT64_MAX).ToString() == "9223372036854775807");
  CHECK(Quantity::FromValue(INT64_MIN).Value() == -INT64_MAX);
}

TEST_CASE("quantity: sums are exact and refuse to overflow", "[types][unit]") {
  const auto parse = [](const char* text) { return *Quantity::Parse(text); };
  CHECK(parse("0.1").Plus(parse("0.2"))->ToString() == "300m");
  CHECK(Quantity().Plus(parse("1Gi"))->ToString() == "1Gi");
  CHECK(parse("1Gi").Minus(parse("512Mi"))->ToString() == "512Mi");
  CHECK(parse("1").Compare(parse("1000m")) == 0);
  CHECK(parse("1").Compare(parse("1001m")) < 0);
  const auto sum = parse("9223372036854775807").Plus(parse("1n"));
  REQUIRE_FALSE(sum.ok());
  CHECK(sum.status().code() == absl::StatusCode::kOutOfRange);
}
