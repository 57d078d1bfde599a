// The small tools: clock, strings, digest, random numbers, status.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/doubled.h"
#include "base/interner.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/spaced_lines.h"
#include "base/status.h"
#include "base/suggest.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"

namespace bth {
namespace {

TEST_CASE("doubled: a pause doubles up to the longest, however often it failed", "[base]") {
  const absl::Duration first = absl::Milliseconds(5);
  const absl::Duration most = absl::Seconds(30);
  CHECK(Doubled(first, -1, most) == first);
  CHECK(Doubled(first, 0, most) == first);
  CHECK(Doubled(first, 3, most) == absl::Milliseconds(40));
  CHECK(Doubled(first, 12, most) == absl::Milliseconds(20480));
  CHECK(Doubled(first, 13, most) == most);
  CHECK(Doubled(first, 1'000'000, most) == most);
}

TEST_CASE("spaced lines: at once, then after pauses that double, cause by cause", "[base]") {
  SpacedLines lines({.pause_first = absl::Seconds(10), .pause_max = absl::Seconds(40)});
  std::vector<int> told;
  int64_t times = 0;
  for (int second = 0; second <= 200; second += 5) {
    if (const auto line = lines.Note("a", absl::Seconds(second))) {
      told.push_back(second);
      times += line->times;
    }
  }
  CHECK(told == std::vector<int>{0, 10, 30, 70, 110, 150, 190});
  CHECK(times == 39);  // Two came after the last line.
  CHECK(lines.Note("b", absl::Seconds(201))->next_in == absl::Seconds(10));
  // One that comes back soon goes on, also when it comes more seldom than its pause is long.
  CHECK(lines.Note("b", absl::Seconds(230))->next_in == absl::Seconds(20));
  CHECK(lines.Note("b", absl::Seconds(300))->next_in == absl::Seconds(10));  // Away: anew.
  CHECK(lines.Over("a"));
  CHECK_FALSE(lines.Over("a"));
  CHECK(lines.Note("a", absl::Seconds(301))->times == 1);
}

TEST_CASE("spaced lines: causes beyond the limit push out those seen longest ago", "[base]") {
  SpacedLines lines;
  const auto cause = [](size_t i) { return std::to_string(i); };
  for (size_t i = 0; i < SpacedLines::kCausesMax; ++i) lines.Note(cause(i), absl::ZeroDuration());
  CHECK_FALSE(lines.Note(cause(0), absl::Seconds(1)).has_value());
  CHECK(lines.Note("new", absl::Seconds(1)).has_value());
  CHECK_FALSE(lines.Note(cause(0), absl::Seconds(1)).has_value());
  CHECK(lines.Note(cause(1), absl::Seconds(1)).has_value());
}

TEST_CASE("log: lines that cannot be written are counted, and told when it works again", "[base]") {
  test::CapturedLog lines(LogLevel::kInfo);
  const int64_t lost_before = LogLinesLost();
  const int captured = dup(STDERR_FILENO);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  dup2(full, STDERR_FILENO);
  Log(LogLevel::kInfo, "one");
  Log(LogLevel::kInfo, "two", {{"why", std::string(10'000, 'x')}});
  Log(LogLevel::kDebug, "below the level");
  dup2(captured, STDERR_FILENO);
  close(full);
  close(captured);
  CHECK(LogLinesLost() - lost_before == 2);
  CHECK(lines.Take().empty());
  Log(LogLevel::kInfo, "three");
  Log(LogLevel::kInfo, "four");
  CHECK(lines.Take() ==
        std::vector<std::string>{
            "three", "log.lines_lost lines=2 why=\"they could not be written\"", "four"});
}

TEST_CASE("suggest: the nearest name, the first on ties, or none", "[base]") {
  struct Case {
    const char* name;
    std::vector<std::string_view> known;
    const char* nearest;
  };
  const std::vector<Case> cases = {
      {"alocate", {"enqueue", "allocate"}, "allocate"},
      {"GANG", {"gang"}, "gang"},
      {"drg", {"drf", "drh"}, "drf"},
      {"proportoin", {"proportion", "priority"}, "proportion"},
      {"something-else", {"gang", "drf"}, ""},
      {"x", {}, ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(NearestName(c.name, c.known) == c.nearest);
  }
  CHECK(EditDistance("kitten", "sitting") == 3);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(DidYouMean("gagn", {"gang"}) == " (did you mean \"gang\"?)");
  CHECK(DidYouMean("zzzzzz", {"gang"}).empty());
}

TEST_CASE("manual clock: stands still until told", "[base]") {
  ManualClock clock(absl::FromUnixSeconds(100));
  CHECK(clock.Now() == absl::FromUnixSeconds(100));
  clock.Advance(absl::Milliseconds(1500));
  CHECK(clock.Now() == absl::FromUnixMillis(101'500));
  CHECK(clock.Monotonic() == absl::Milliseconds(1500));
}

TEST_CASE("real clock: monotonic time does not go back", "[base]") {
  const RealClock clock;
  const absl::Duration first = clock.Monotonic();
  CHECK(clock.Monotonic() >= first);
  CHECK(clock.Now() > absl::FromUnixSeconds(1'600'000'000));
}

TEST_CASE("interner: equal texts have one symbol, and texts never move", "[base]") {
  Interner symbols;
  const Symbol a = symbols.Intern("zone");
  const std::string_view text = symbols.Text(a);
  for (int i = 0; i < 10'000; ++i) symbols.Intern(std::to_string(i));
  CHECK(symbols.Intern("zone") == a);
  CHECK(symbols.Find("zone") == a);
  CHECK(symbols.Text(a).data() == text.data());
  CHECK_FALSE(symbols.Find("nowhere").valid());
  CHECK(symbols.size() == 10'001);
}

TEST_CASE("digest: order and borders of texts count", "[base]") {
  const auto of = [](std::string_view a, std::string_view b) {
    Digest digest;
    digest.Add(a);
    digest.Add(b);
    return digest.value();
  };
  CHECK(of("ab", "c") == of("ab", "c"));
  CHECK(of("ab", "c") != of("a", "bc"));
  CHECK(of("a", "b") != of("b", "a"));
}

TEST_CASE("rng: a seed always gives the same numbers, inside their bounds", "[base]") {
  Rng a(42);
  Rng b(42);
  Rng other(43);
  CHECK(a.Next() == b.Next());
  CHECK(a.Next() != other.Next());
  for (int i = 0; i < 1000; ++i) {
    const int64_t x = a.Between(-3, 3);
    REQUIRE((x >= -3 && x <= 3));
    const double unit = a.Unit();
    REQUIRE((unit >= 0 && unit < 1));
  }
}

TEST_CASE("status: annotations go before the message and keep the code", "[base]") {
  const absl::Status status = Annotate(absl::NotFoundError("no such file"), "read policy");
  CHECK(absl::IsNotFound(status));
  CHECK(status.message() == "read policy: no such file");
  CHECK(Annotate(absl::OkStatus(), "read policy").ok());
}

}  // namespace
}  // namespace bth
