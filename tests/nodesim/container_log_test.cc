#include "nodesim/container_log.h"

#include "nodesim/outcome.h"
#include "nodesim/printed.h"
#include "tests/support/catch.h"

namespace bth::nodesim {
namespace {

const absl::Time kStarted = absl::FromUnixSeconds(1'767'225'600);

types::Container Script(const std::string& script) {
  types::Container container;
  container.image = "busybox";
  container.command = {"sh", "-c", script};
  return container;
}

// The lines with the seconds from the start before each.
std::vector<std::string> Lines(const ContainerLog& log) {
  std::vector<std::string> out;
  for (const LogLine& line : log.lines) {
    out.push_back(absl::FormatDuration(line.time - kStarted) + " " + line.text);
  }
  return out;
}

TEST_CASE("printed: echo and printf write what they are told", "[nodesim][unit]") {
  struct Case {
    std::vector<std::string> words;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{"echo"}, "\n"},
      {{"echo", "a", "b"}, "a b\n"},
      {{"echo", "-n", "a"}, "a"},
      {{"echo", "-e", "a\\tb\\n"}, "a\tb\n\n"},
      {{"echo", "a\\n"}, "a\\n\n"},
      {{"echo", "a", ">", "/file"}, ""},
      {{"echo", "a", ">/file"}, ""},
      {{"echo", "a", ">&2"}, "a\n"},
      {{"echo", "a", "2>&1"}, "a\n"},
      {{"echo", "a", "2>", "/file"}, "a\n"},
      {{"echo", "a > b"}, "a > b\n"},
      {{"printf", "a\\n"}, "a\n"},
      {{"printf", "%s=%d%%\\n", "x", "1", "y", "2"}, "x=1%\ny=2%\n"},
      {{"printf", "%s"}, ""},
      {{"printf"}, ""},
      {{"true", "a"}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.words);
    CHECK(PrintedBy(c.words[0], c.words) == c.text);
  }
  // A format that is used for each of many words does not grow without end.
  std::vector<std::string> many(2'000, "x");
  many[0] = "printf";
  many[1] = "%s" + std::string(1'000, 'y');
  CHECK(PrintedBy("printf", many).size() < 70'000);
}

TEST_CASE("container log: what is printed comes at its time", "[nodesim][unit]") {
  const types::Container container = Script("echo hi; sleep 5; printf 'a\\nb'; sleep 5; exit 3");
  const LoggedRun running = {kStarted, {}, 0};
  const std::string first =
      "0 simulated: started: sh -c echo hi; sleep 5; printf 'a\\nb'; sleep 5; exit 3 (runs for "
      "10s)";
  ContainerLog log = LogOf(container, running, kStarted + absl::Seconds(1));
  CHECK(Lines(log) == std::vector<std::string>{first, "0 hi"});
  CHECK(log.next == kStarted + absl::Seconds(5));
  log = LogOf(container, running, kStarted + absl::Seconds(5));
  // The line that has no end yet is held back.
  CHECK(Lines(log) == std::vector<std::string>{first, "0 hi", "5s a"});
  CHECK(log.next == absl::InfiniteFuture());
  const LoggedRun over = {kStarted, kStarted + absl::Seconds(10), 3};
  log = LogOf(container, over, kStarted + absl::Hours(1));
  CHECK(Lines(log) == std::vector<std::string>{first, "0 hi", "5s a", "5s b",
                                               "10s simulated: ended with exit code 3"});
  // Killed before the second text.
  const LoggedRun killed = {kStarted, kStarted + absl::Seconds(2), 137};
  log = LogOf(container, killed, kStarted + absl::Hours(1));
  CHECK(Lines(log) ==
        std::vector<std::string>{first, "0 hi", "2s simulated: stopped with exit code 137"});
}

TEST_CASE("container log: commands that nobody runs are named", "[nodesim][unit]") {
  types::Container server;
  server.image = "nginx";
  const LoggedRun running = {kStarted, {}, 0};
  CHECK(Lines(LogOf(server, running, kStarted)) ==
        std::vector<std::string>{
            "0 simulated: started: the command of image nginx (runs until it is stopped)"});
  const LoggedRun ended = {kStarted, kStarted, 0};
  CHECK(Lines(LogOf(Script("true"), ended, kStarted)) ==
        std::vector<std::string>{"0 simulated: started: sh -c true (ends at once)",
                                 "0 simulated: ended with exit code 0"});
  // Before what runs without end comes what is said before it.
  CHECK(Lines(LogOf(Script("echo begin; python train.py"), running, kStarted)).back() == "0 begin");
  const std::string long_word(1'000, 'x');
  CHECK(LogOf(Script(long_word), running, kStarted).lines[0].text.size() < 300);
}

TEST_CASE("container log: it is bounded, and says so", "[nodesim][unit]") {
  std::string script;
  for (int i = 0; i < 12'000; ++i) script += "echo;";
  const LoggedRun ended = {kStarted, kStarted, 0};
  const ContainerLog log = LogOf(Script(script), ended, kStarted);
  REQUIRE(log.lines.size() == 10'002);
  CHECK(log.lines[10'000].text == "simulated: further lines are left out");
  CHECK(log.lines[10'001].text == "simulated: ended with exit code 0");
}

TEST_CASE("container log: the runs of a status", "[nodesim][unit]") {
  types::ContainerStatus status;
  CHECK_FALSE(RunIn(status, false));
  status.state.running.emplace();
  status.state.running->started_at = kStarted;
  status.last_state.terminated.emplace();
  status.last_state.terminated->started_at = kStarted - absl::Seconds(9);
  status.last_state.terminated->finished_at = kStarted - absl::Seconds(2);
  status.last_state.terminated->exit_code = 7;
  REQUIRE(RunIn(status, false));
  CHECK(RunIn(status, false)->started == kStarted);
  CHECK_FALSE(RunIn(status, false)->ended);
  REQUIRE(RunIn(status, true));
  CHECK(RunIn(status, true)->ended == kStarted - absl::Seconds(2));
  CHECK(RunIn(status, true)->exit_code == 7);
}

}  // namespace
}  // namespace bth::nodesim
