#include "nodesim/outcome.h"

#include "tests/support/catch.h"

namespace bth::nodesim {
namespace {

constexpr absl::Duration kEndless = absl::InfiniteDuration();

TEST_CASE("outcome: scripts end when their steps do", "[nodesim][unit]") {
  struct Case {
    std::string script;
    absl::Duration runs;
    int exit_code;
  };
  const Case c = GENERATE(values<Case>({
      {"", absl::ZeroDuration(), 0},
      {"true", absl::ZeroDuration(), 0},
      {"false", absl::ZeroDuration(), 1},
      {"exit 3", absl::ZeroDuration(), 3},
      {"exit 256", absl::ZeroDuration(), 0},
      {"exit", absl::ZeroDuration(), 0},
      {"false; exit", absl::ZeroDuration(), 1},
      {"exit much", absl::ZeroDuration(), 2},
      {"sleep 5", absl::Seconds(5), 0},
      {"sleep 0.25", absl::Milliseconds(250), 0},
      {"sleep 1m 30s", absl::Seconds(90), 0},
      {"sleep 1d", absl::Hours(24), 0},
      {"sleep", absl::ZeroDuration(), 1},
      {"sleep x; true", absl::ZeroDuration(), 0},
      {"sleep -1", absl::ZeroDuration(), 1},
      {"sleep infinity", kEndless, 0},
      {"sleep 2 && exit 4", absl::Seconds(2), 4},
      {"sleep 2; sleep 3", absl::Seconds(5), 0},
      {"sleep 2\nsleep 3\n", absl::Seconds(5), 0},
      {"false && sleep 9", absl::ZeroDuration(), 1},
      {"false || sleep 9", absl::Seconds(9), 0},
      {"true || sleep 9", absl::ZeroDuration(), 0},
      {"false && sleep 9; sleep 1", absl::Seconds(1), 0},
      {"exit 1; sleep 9", absl::ZeroDuration(), 1},
      {"echo 'a; sleep 9' \"b && c\" && sleep 1", absl::Seconds(1), 0},
      {"echo a\\;b; sleep 1", absl::Seconds(1), 0},
      {"echo hi > /dev/null 2>&1; sleep 1", absl::Seconds(1), 0},
      {"# a comment; sleep 9\nsleep 1", absl::Seconds(1), 0},
      {"set -e; sleep 1", absl::Seconds(1), 0},
      {"exec sleep 4; false", absl::Seconds(4), 0},
      {"/bin/sleep 7", absl::Seconds(7), 0},
      {"bash -c 'sleep 3; exit 2'", absl::Seconds(3), 2},
      {"python train.py; exit 1", kEndless, 0},
      {"sleep 5 &", kEndless, 0},
      {"while true; do sleep 1; done", kEndless, 0},
      {"sleep $TIME", kEndless, 0},
      {"echo `date`", kEndless, 0},
      {"echo a | cat", kEndless, 0},
      {"echo 'open", kEndless, 0},
  }));
  CAPTURE(c.script);
  CHECK(OutcomeOfScript(c.script) == Outcome{c.runs, c.exit_code});
}

TEST_CASE("outcome: command and arguments are one line", "[nodesim][unit]") {
  struct Case {
    std::vector<std::string> command, args;
    Outcome outcome;
  };
  const Case c = GENERATE(values<Case>({
      {{}, {}, {kEndless, 0}},
      {{}, {"--serve"}, {kEndless, 0}},
      {{"sleep", "5"}, {}, {absl::Seconds(5), 0}},
      {{"sleep"}, {"5"}, {absl::Seconds(5), 0}},
      {{"/bin/true"}, {}, {absl::ZeroDuration(), 0}},
      {{"sh", "-c"}, {"sleep 1 && exit 3"}, {absl::Seconds(1), 3}},
      {{"/bin/bash", "-ec", "sleep 1", "ignored"}, {}, {absl::Seconds(1), 0}},
      {{"sh", "/run.sh"}, {}, {kEndless, 0}},
      {{"sh"}, {}, {kEndless, 0}},
      {{"sleep 5 && exit 1"}, {}, {absl::Seconds(5), 1}},
      {{"sleep", "5", "&&", "exit", "1"}, {}, {absl::Seconds(5), 1}},
      {{"exit", "7"}, {}, {absl::ZeroDuration(), 7}},
      {{"nginx", "-g", "daemon off;"}, {}, {kEndless, 0}},
  }));
  CAPTURE(c.command, c.args);
  CHECK(OutcomeOf(c.command, c.args) == c.outcome);
}

TEST_CASE("outcome: a script of any size is read in bounded time", "[nodesim][unit]") {
  CHECK(OutcomeOfScript(std::string(1 << 20, ';')).endless());
  std::string nested = "sleep 1";
  for (int i = 0; i < 200; ++i) nested = "sh -c \"" + nested + "\"";
  OutcomeOfScript(nested);  // Quotes do not nest: whatever comes out, it comes soon.
}

}  // namespace
}  // namespace bth::nodesim
