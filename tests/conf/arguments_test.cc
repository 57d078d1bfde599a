#include "conf/arguments.h"

#include "tests/support/catch.h"

namespace bth::conf {
namespace {

constexpr const char* kPath = "tiers[1].plugins[0].arguments";

Arguments Make(const std::string& yaml) {
  const auto document = ParseYaml(yaml);
  INFO(document.status().ToString());
  REQUIRE(document.ok());
  return Arguments(document->root, kPath);
}

std::vector<std::string> Texts(const Arguments& arguments) {
  std::vector<std::string> texts;
  for (const Finding& finding : arguments.Findings()) texts.push_back(ToString(finding));
  return texts;
}

TEST_CASE("arguments: each getter takes its own types and keeps the default otherwise", "[conf]") {
  struct Case {
    std::string yaml;
    int64_t as_int;         // Default -1.
    double as_double;       // Default -1.
    bool as_bool;           // Default true.
    std::string as_string;  // Default "none".
  };
  const Case c = GENERATE(values<Case>({
      {"k: 5", 5, 5, true, "none"},
      {"k: 0x10", 16, 16, true, "none"},
      {"k: 5.0", -1, 5, true, "none"},
      {"k: \"5\"", -1, -1, true, "5"},
      {"k: false", -1, -1, false, "none"},
      {"k: off", -1, -1, false, "none"},
      {"k: \"off\"", -1, -1, true, "off"},
      {"k: \"false\"", -1, -1, false, "false"},
      {"k: 'F'", -1, -1, false, "F"},
      {"k: \"0\"", -1, -1, false, "0"},
      {"k: 0", 0, 0, true, "none"},
      {"k: text", -1, -1, true, "text"},
      {"k: ~", -1, -1, true, "none"},
      {"k: [1]", -1, -1, true, "none"},
      {"k: {a: 1}", -1, -1, true, "none"},
      {"other: 1", -1, -1, true, "none"},
      {"k: 99999999999999999999", -1, 99999999999999999999.0, true, "none"},
  }));
  CAPTURE(c.yaml);
  const Arguments arguments = Make(c.yaml);
  CHECK(arguments.Int("k", -1).value() == c.as_int);
  CHECK(arguments.Double("k", -1).value() == c.as_double);
  CHECK(arguments.Bool("k", true).value() == c.as_bool);
  CHECK(arguments.String("k", "none").value() == c.as_string);
}

TEST_CASE("arguments: a wrong type is reported once, with line and path", "[conf]") {
  const Arguments arguments = Make("a: 1\nbinpack.weight: \"5\"\n");
  CHECK(arguments.Int("a", 0).value() == 1);
  CHECK(arguments.Int("binpack.weight", 1).value() == 1);
  CHECK(arguments.Int("binpack.weight", 1).value() == 1);
  CHECK(Texts(arguments) ==
        std::vector<std::string>{
            "line 2: tiers[1].plugins[0].arguments.binpack.weight: needs an integer, got \"5\" (a "
            "string); the default 1 is kept"});
}

TEST_CASE("arguments: absent and null keys are no finding", "[conf]") {
  const Arguments arguments = Make("k: ~\n");
  CHECK(arguments.Int("k", 3).value() == 3);
  CHECK(arguments.Duration("gone", absl::Minutes(1)).value() == absl::Minutes(1));
  CHECK(!arguments.Has("k"));
  CHECK(arguments.Find("k") != nullptr);
  CHECK(arguments.Find("gone") == nullptr);
  CHECK(Texts(arguments).empty());
}

TEST_CASE("arguments: keys nobody asked for are reported with the nearest known name", "[conf]") {
  const Arguments arguments = Make("binpack.wieght: 5\nbinpack.cpu: 1\nsomething: 2\n");
  (void)arguments.Int("binpack.weight", 1);
  (void)arguments.Int("binpack.cpu", 1);
  CHECK(Texts(arguments) ==
        std::vector<std::string>{
            "line 1: tiers[1].plugins[0].arguments.binpack.wieght: unknown argument, ignored (did "
            "you mean \"binpack.weight\"?)",
            "line 3: tiers[1].plugins[0].arguments.something: unknown argument, ignored"});
  CHECK(arguments.UnreadKeys() ==
        std::vector<std::string>{"tiers[1].plugins[0].arguments.binpack.wieght",
                                 "tiers[1].plugins[0].arguments.something"});
}

TEST_CASE("arguments: sections share findings with their root, copies too", "[conf]") {
  const Arguments arguments = Make("thresholds: {cpu: 80, mme: 70}\nrest: {x: 1}\n");
  const Arguments copy = arguments;
  const auto section = copy.Section("thresholds");
  REQUIRE(section.ok());
  CHECK(section->Int("cpu", 1).value() == 80);
  CHECK(section->Int("mem", 75).value() == 75);
  (void)arguments.Find("rest");  // What is read as a whole counts as read.
  CHECK(Texts(arguments) ==
        std::vector<std::string>{"line 1: tiers[1].plugins[0].arguments.thresholds.mme: unknown "
                                 "argument, ignored (did you mean \"mem\"?)"});
}

TEST_CASE("arguments: a list of sections names its items", "[conf]") {
  const Arguments arguments = Make("strategies:\n- name: low\n- name: 5\n");
  const auto sections = arguments.Sections("strategies");
  REQUIRE(sections.ok());
  REQUIRE(sections->size() == 2);
  CHECK((*sections)[0].String("name", "").value() == "low");
  CHECK((*sections)[1].String("name", "x").value() == "x");
  CHECK(Texts(arguments) == std::vector<std::string>{
                                "line 3: tiers[1].plugins[0].arguments.strategies[1].name: needs "
                                "a string (in quotes), got 5 (an integer); the default x is kept"});
}

TEST_CASE("arguments: composed values of a wrong type are an error", "[conf]") {
  const Arguments arguments = Make("a: 5\nb: [{}, x]\nc: [x, [y]]\nd: [nvidia.com/gpu, 7]\n");
  CHECK(arguments.Section("a").status().message() ==
        "line 1: tiers[1].plugins[0].arguments.a: needs a map, got 5 (an integer)");
  CHECK(arguments.Sections("b").status().message() ==
        "line 2: tiers[1].plugins[0].arguments.b[1]: needs a map, got \"x\" (a string)");
  CHECK(arguments.Strings("c").status().message() ==
        "line 3: tiers[1].plugins[0].arguments.c[1]: needs a string, got a list");
  CHECK(arguments.Strings("a").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(arguments.Strings("d").value() == std::vector<std::string>{"nvidia.com/gpu", "7"});
  CHECK(arguments.Strings("none").value().empty());
  CHECK(arguments.Sections("none").value().empty());
  CHECK(arguments.Section("none").value().empty());
}

TEST_CASE("arguments: comma lists are trimmed and drop empty names", "[conf]") {
  const Arguments arguments = Make("r: \" nvidia.com/gpu, ,a ,\"\nn: 5\n");
  CHECK(arguments.CommaList("r").value() == std::vector<std::string>{"nvidia.com/gpu", "a"});
  CHECK(arguments.CommaList("n").value().empty());
  CHECK(Texts(arguments).size() == 1);
}

TEST_CASE("arguments: a plugin may add findings, up to a limit", "[conf]") {
  const Arguments arguments = Make("w: -5\n");
  (void)arguments.Int("w", 1);
  arguments.Report("w", "must not be negative; 1 is used");
  CHECK(Texts(arguments) == std::vector<std::string>{"line 1: tiers[1].plugins[0].arguments.w: "
                                                     "must not be negative; 1 is used"});
  for (int i = 0; i < 1000; ++i) arguments.Report("", "finding " + std::to_string(i));
  CHECK(arguments.Findings().size() == Arguments::kFindingsMax);
}

TEST_CASE("go syntax: durations", "[conf]") {
  struct Case {
    std::string text;
    absl::Duration expect;
  };
  const Case c = GENERATE(values<Case>({
      {"0", absl::ZeroDuration()},
      {"+0", absl::ZeroDuration()},
      {"1h2m3s", absl::Hours(1) + absl::Minutes(2) + absl::Seconds(3)},
      {"1.5h", absl::Minutes(90)},
      {".5s", absl::Milliseconds(500)},
      {"5.s", absl::Seconds(5)},
      {"-250ms", -absl::Milliseconds(250)},
      {"3us", absl::Microseconds(3)},
      {"3\u00b5s", absl::Microseconds(3)},
      {"3\u03bcs", absl::Microseconds(3)},
      {"7ns", absl::Nanoseconds(7)},
      {"0.3333333333333333333333h", absl::Nanoseconds(1199999999999)},
      {"9223372036854775807ns", absl::Nanoseconds(INT64_MAX)},
      {"2m1m", absl::Minutes(3)},
  }));
  CAPTURE(c.text);
  const auto parsed = ParseGoDuration(c.text);
  REQUIRE(parsed.ok());
  CHECK(*parsed == c.expect);
}

TEST_CASE("go syntax: what is no duration", "[conf]") {
  for (const char* text :
       {"", "5", "-", "1d", "1 s", " 1s", "1s ", "s", ".s", "1..5s", "1h-5m",
        "9223372036854775808ns", "99999999999999h", "9223372036s855ms", "1e3s"}) {
    CAPTURE(text);
    CHECK(ParseGoDuration(text).status().code() == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("go syntax: booleans", "[conf]") {
  for (const char* text : {"1", "t", "T", "TRUE", "true", "True"}) CHECK(*ParseGoBool(text));
  for (const char* text : {"0", "f", "F", "FALSE", "false", "False"}) CHECK(!*ParseGoBool(text));
  for (const char* text : {"", "yes", "tRUE", "on", "2"}) CHECK(!ParseGoBool(text).ok());
}

}  // namespace
}  // namespace bth::conf
