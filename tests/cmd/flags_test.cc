#include "cmd/common/flags.h"

#include <sstream>

#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

// One flag of each type.
struct FlagsBed {
  FlagsBed() {
    flags.Add("kube-config", &text, "A text");
    flags.Add("leader-elect", &yes, "A switch that is on");
    flags.Add("enable-metrics", &no, "A switch that is off");
    flags.Add("v", &level, "A number");
    flags.Add("qps", &qps, "A decimal");
    flags.Add("period", &period, "A time");
    flags.AddRepeated("scheduler-name", &names, "Names");
    flags.AddList("selector", &list, "A list");
  }
  FlagSet::Outcome Parse(std::vector<const char*> args) {
    args.insert(args.begin(), "program");
    return flags.Parse(static_cast<int>(args.size()), args.data(), err);
  }

  FlagSet flags{"program", "Does things."};
  std::ostringstream err;
  std::string text = "default";
  bool yes = true;
  bool no = false;
  int64_t level = 0;
  double qps = 50;
  absl::Duration period = absl::Seconds(1);
  std::vector<std::string> names = {"volcano"};
  std::vector<std::string> list;
};

TEST_CASE("flags: each spelling of a value is understood", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--kube_config", "a b", "--leader_elect=false", "--enable-metrics", "-v=3",
                     "--qps=2.5", "--period", "1m30s"})
              .run);
  CHECK(bed.text == "a b");
  CHECK_FALSE(bed.yes);
  CHECK(bed.no);
  CHECK(bed.level == 3);
  CHECK(bed.qps == 2.5);
  CHECK(bed.period == absl::Seconds(90));
  CHECK(bed.err.str().empty());
}

TEST_CASE("flags: -v takes its value in three ways", "[cmd][unit]") {
  for (const std::vector<const char*>& args :
       std::vector<std::vector<const char*>>{{"-v", "4"}, {"-v=4"}, {"-v4"}, {"--v=4"}}) {
    FlagsBed bed;
    REQUIRE(bed.Parse(args).run);
    CHECK(bed.level == 4);
  }
}

TEST_CASE("flags: defaults stay without a flag", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({}).run);
  CHECK(bed.text == "default");
  CHECK(bed.yes);
  CHECK(bed.names == std::vector<std::string>{"volcano"});
  CHECK_FALSE(bed.flags.Given("kube-config"));
}

TEST_CASE("flags: arguments without a flag are ignored", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"-v=3", "2>&1", "--leader-elect", "false", "--", "--unknown"}).run);
  CHECK(bed.level == 3);
  CHECK(bed.yes);  // A boolean takes its value after `=` only.
}

TEST_CASE("flags: a word behind a boolean is ignored, and that is told", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--leader_elect", "false", "--enable-metrics", "--v", "0"}).run);
  CHECK(bed.yes);
  CHECK(bed.no);
  CHECK(bed.err.str() ==
        "Flag --leader-elect takes a value only after \"=\": \"false\" is ignored and the flag is "
        "true; write --leader-elect=false\n");
  FlagsBed quiet;
  REQUIRE(quiet.Parse({"--leader-elect=false", "false", "--enable-metrics", "2>&1"}).run);
  CHECK(quiet.err.str().empty());
}

TEST_CASE("flags: a repeated flag replaces the default, commas stay", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--scheduler-name=a,b", "--scheduler-name", "c", "x"}).run);
  CHECK(bed.names == std::vector<std::string>{"a,b", "c"});
  CHECK(bed.flags.Given("scheduler-name"));
}

TEST_CASE("flags: a list is split at commas and may be repeated", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--selector=a:b,c:d", "--selector", "e:f"}).run);
  CHECK(bed.list == std::vector<std::string>{"a:b", "c:d", "e:f"});
}

TEST_CASE("flags: the last of several values wins, and a value may be empty", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--kube-config=a", "--kube-config=", "--leader-elect=false", "--leader-elect",
                     "--qps", "-1"})
              .run);
  CHECK(bed.text.empty());
  CHECK(bed.yes);
  CHECK(bed.qps == -1);
}

TEST_CASE("flags: mistakes end with code 2, the reason and the usage", "[cmd][unit]") {
  struct Case {
    std::vector<const char*> args;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {{"--kube-confg=x"}, "unknown flag: --kube-confg (did you mean --kube-config?)"},
      {{"--lead-elect"}, "unknown flag: --lead-elect (did you mean --leader-elect?)"},
      {{"-x"}, "unknown flag: -x"},
      {{"--nothing-like-it"}, "unknown flag: --nothing-like-it"},
      {{"--v=much"}, "invalid argument \"much\" for \"--v\" flag: not a whole number"},
      {{"--v=99999999999999999999"}, "not a whole number"},
      {{"--qps=nan"}, "not a number"},
      {{"--leader-elect=perhaps"}, "neither true nor false"},
      {{"--period=5"}, "is not a duration"},
      {{"--kube-config"}, "--kube-config"},
  }));
  FlagsBed bed;
  const FlagSet::Outcome outcome = bed.Parse(c.args);
  CHECK_FALSE(outcome.run);
  CHECK(outcome.exit_code == 2);
  const std::string said = bed.err.str();
  CHECK_THAT(said, Catch::Contains("--enable-metrics"));
  // The mistake is the last line, and the only one about it.
  const size_t last = said.rfind('\n', said.size() - 2) + 1;
  CHECK_THAT(said.substr(last), Catch::Contains(c.message));
  CHECK_THAT(said.substr(0, last), !Catch::Contains(c.message + "\n"));
}

TEST_CASE("flags: a value that its check refuses is malformed", "[cmd][unit]") {
  const auto short_ones = [](const std::string& text) {
    return text.size() < 4 ? absl::OkStatus() : absl::InvalidArgumentError("too long");
  };
  FlagsBed bed;
  bed.flags.Checked("kube-config", short_ones);
  REQUIRE(bed.Parse({"--kube-config=abc"}).run);
  CHECK(bed.text == "abc");
  FlagsBed other;
  other.flags.Checked("kube-config", short_ones);
  CHECK(other.Parse({"--kube-config=abcd"}).exit_code == 2);
  CHECK(other.text == "default");
  CHECK_THAT(other.err.str(),
             Catch::EndsWith("invalid argument \"abcd\" for \"--kube-config\" flag: too long\n"));
  FlagsBed none;  // Defaults are not checked.
  none.flags.Checked("kube-config", short_ones);
  CHECK(none.Parse({}).run);
}

TEST_CASE("flags: a gathered one is all of its values, checked as one", "[cmd][unit]") {
  const auto without_x = [](const std::string& text) {
    return text.find('x') == text.npos ? absl::OkStatus() : absl::InvalidArgumentError("an x");
  };
  FlagsBed bed;
  bed.flags.Gathered("kube-config");
  bed.flags.Checked("kube-config", without_x);
  REQUIRE(bed.Parse({"--kube-config=a,b", "--kube_config", "c"}).run);
  CHECK(bed.text == "a,b,c");
  FlagsBed other;
  other.flags.Gathered("kube-config");
  other.flags.Checked("kube-config", without_x);
  CHECK(other.Parse({"--kube-config=x", "--kube-config=c"}).exit_code == 2);
  CHECK_THAT(other.err.str(),
             Catch::EndsWith("invalid argument \"x,c\" for \"--kube-config\" flag: an x\n"));
}

TEST_CASE("flags: help is the usage with the defaults and code 0", "[cmd][unit]") {
  FlagsBed bed;
  const FlagSet::Outcome outcome = bed.Parse({"--help"});
  CHECK_FALSE(outcome.run);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(bed.err.str(), Catch::Contains("Does things.") && Catch::Contains("([volcano])"));
}

TEST_CASE("flags: values come in order of names", "[cmd][unit]") {
  FlagsBed bed;
  REQUIRE(bed.Parse({"--period=90s"}).run);
  const auto values = bed.flags.Values();
  REQUIRE(values.size() == 8);
  CHECK(values[0] == std::pair<std::string, std::string>("enable-metrics", "false"));
  CHECK(values[3] == std::pair<std::string, std::string>("period", "1m30s"));
}

}  // namespace
}  // namespace bth::cmd
