#include "cli/print/times.h"
#include "cli/text/ordered_json.h"
#include "cli/text/padded.h"
#include "cli/text/resource_list.h"
#include "cli/text/shell_words.h"
#include "cli/text/time_text.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr absl::Duration kDay = absl::Hours(24);

TEST_CASE("age: the units follow the size", "[cli][text]") {
  struct Case {
    absl::Duration age;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {absl::Seconds(-3), "<invalid>"},
      {absl::Milliseconds(-1900), "0s"},
      {absl::Seconds(0), "0s"},
      {absl::Seconds(62), "62s"},
      {absl::Seconds(119), "119s"},
      {absl::Seconds(120), "2m"},
      {absl::Seconds(180), "3m"},
      {absl::Seconds(190), "3m10s"},
      {absl::Minutes(10), "10m"},
      {absl::Minutes(121) + absl::Seconds(56), "121m"},
      {absl::Hours(3), "3h"},
      {absl::Hours(5) + absl::Seconds(9), "5h"},
      {absl::Hours(5) + absl::Minutes(7) + absl::Seconds(9), "5h7m"},
      {absl::Hours(12) + absl::Minutes(7), "12h"},
      {5 * kDay, "5d"},
      {5 * kDay + absl::Hours(9), "5d9h"},
      {8 * kDay, "8d"},
      {531 * kDay, "531d"},
      {(5 * 365 + 89) * kDay, "5y89d"},
      {(12 * 365 + 15) * kDay, "12y"},
  };
  for (const Case& c : cases) {
    INFO(absl::FormatDuration(c.age));
    CHECK(EventAgeText(c.age) == c.expected);
    CHECK(AgeText(c.age) == c.expected);
  }
}

TEST_CASE("age: only events show years without days in full", "[cli][text]") {
  CHECK(EventAgeText(3 * 365 * kDay) == "3y0d");
  CHECK(AgeText(3 * 365 * kDay) == "3y");
}

TEST_CASE("age: without a time it is not known", "[cli][text]") {
  const absl::Time now = absl::FromUnixSeconds(1'767'225'600);
  CHECK(AgeSince("", now) == "<unknown>");
  CHECK(AgeSince("2025-12-29T00:00:00Z", now) == "3d");
}

TEST_CASE("padded: characters count, not bytes, and nothing is cut", "[cli][text]") {
  CHECK(Padded("ab", 4) == "ab  ");
  CHECK(Padded("äö", 4) == "äö  ");
  CHECK(Padded("abcdef", 4) == "abcdef");
  CHECK(PaddedLine({"a", "bc"}, {3, 4}) == "a  bc  \n");
}

TEST_CASE("resource list: names and quantities", "[cli][text]") {
  const auto list = ParseResourceList("cpu=1000m,memory=100Mi");
  REQUIRE(list.ok());
  CHECK(*list == Json::MakeObject({{"cpu", "1"}, {"memory", "100Mi"}}));
  CHECK(ParseResourceList("")->is_null());
  CHECK(*ParseResourceList("cpu=1,cpu=2") == Json::MakeObject({{"cpu", "2"}}));
}

TEST_CASE("resource list: mistakes have the words of Kubernetes", "[cli][text]") {
  constexpr char kForm[] =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"cpu", "invalid argument syntax cpu, expected <resource>=<value>"},
      {"cpu=1=2", "invalid argument syntax cpu=1=2, expected <resource>=<value>"},
      {"cpu=1,", "invalid argument syntax , expected <resource>=<value>"},
      {"cpu=", kForm},
      {"cpu=abc", kForm},
      {"cpu=1.2.3", kForm},
      {"memory=1Mii", "unable to parse quantity's suffix"},
      {"memory=1ki", "unable to parse quantity's suffix"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(ParseResourceList(c.text).status().message() == c.message);
  }
}

TEST_CASE("shell words: as a shell cuts them", "[cli][text]") {
  struct Case {
    std::string text;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {"  sleep\t10 ", {"sleep", "10"}},
      {"sh -c 'echo \"a  b\" \\n'", {"sh", "-c", "echo \"a  b\" \\n"}},
      {R"("a \"b\" \\")", {R"(a "b" \)"}},
      {R"(a\ b c)", {"a b", "c"}},
      {"a''b \"\"", {"ab", ""}},
      {"echo a#b # not this\nc", {"echo", "a#b", "c"}},
      {"echo $HOME", {"echo", "$HOME"}},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const auto words = SplitShellWords(c.text);
    REQUIRE(words.ok());
    CHECK(*words == c.words);
  }
}

TEST_CASE("shell words: an open quote is a mistake", "[cli][text]") {
  constexpr char kQuote[] = "EOF found when expecting closing quote";
  constexpr char kEscape[] = "EOF found after escape character";
  CHECK(SplitShellWords("echo 'a").status().message() == kQuote);
  CHECK(SplitShellWords("echo \"a").status().message() == kQuote);
  CHECK(SplitShellWords("echo a\\").status().message() == kEscape);
  CHECK(SplitShellWords("echo \"a\\").status().message() == kEscape);
}

TEST_CASE("time text: in the zone of the reader", "[cli][text]") {
  const absl::TimeZone east = absl::FixedTimeZone(8 * 3600);
  CHECK(DayText("2026-08-20T20:07:21Z", east) == "2026-08-21");
  CHECK(DayText("", east) == "0001-01-01");
  CHECK(MomentText("2026-08-20T02:07:21Z", east).substr(0, 25) == "2026-08-20 10:07:21 +0800");
  CHECK(MomentText("2026-08-20T02:07:21Z", absl::UTCTimeZone()) == "2026-08-20 02:07:21 +0000 UTC");
  CHECK(MomentText("", east) == "0001-01-01 00:00:00 +0000 UTC");
}

TEST_CASE("ordered json: members keep their order", "[cli][text]") {
  const Json value = *Json::Parse(R"({"b":[1,{"z":"<&>"}],"a":{},"c":[]})");
  CHECK(OrderedJson(value) ==
        "{\n  \"b\": [\n    1,\n    {\n      \"z\": \"\\u003c\\u0026\\u003e\"\n    }\n  ],\n"
        "  \"a\": {},\n  \"c\": []\n}");
  CHECK(SortedJson(*Json::Parse(R"({"b":"2","a":"1"})")) == R"({"a":"1","b":"2"})");
}

}  // namespace
}  // namespace bth::cli
