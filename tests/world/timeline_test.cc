#include "sim/world/timeline.h"

#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace bth::sim {
namespace {

TEST_CASE("timeline: a process keeps its order, and chance decides between processes", "[world]") {
  const auto run = [](uint64_t seed) {
    Timeline timeline(absl::UnixEpoch(), seed);
    Process a(timeline, "a");
    Process b(timeline, "b");
    std::string done;
    for (char c = '0'; c < '9'; ++c) {
      a.Post([&done, c] { done += c; });
      b.Post([&done, c] { done += static_cast<char>(c - '0' + 'A'); });
    }
    REQUIRE(timeline.RunUntilIdle());
    return done;
  };
  const std::string once = run(1);
  CHECK(once.size() == 18);
  std::string digits;
  for (const char c : once) digits += c <= '9' ? std::string(1, c) : "";
  CHECK(digits == "012345678");
  CHECK(run(1) == once);
  CHECK(run(2) != once);
}

TEST_CASE("timeline: what is paused catches up, and what died does nothing", "[world]") {
  Timeline timeline(absl::UnixEpoch(), 1);
  Process process(timeline, "p", absl::Seconds(5));
  CHECK(process.Now() == absl::UnixEpoch() + absl::Seconds(5));
  std::vector<std::string> done;
  const auto say = [&](std::string what) { return [&done, what] { done.push_back(what); }; };
  process.RunAfter(absl::Seconds(2), say("second"));
  process.RunAfter(absl::Seconds(1), say("first"));
  const auto late = process.RunAfter(absl::Seconds(3), say("cancelled"));
  process.Pause();
  process.Post(say("posted"));
  REQUIRE(timeline.RunUntil(absl::Seconds(10)));
  CHECK(done.empty());
  // It had fired, and has not run yet.
  process.CancelTimer(late);
  process.Resume();
  REQUIRE(timeline.RunUntilIdle());
  CHECK(done == std::vector<std::string>{"posted", "first", "second"});
  process.RunAfter(absl::Seconds(1), say("never"));
  process.Post(say("never"));
  process.Die();
  process.Post(say("never"));
  REQUIRE(timeline.RunUntil(absl::Seconds(60)));
  CHECK(done.size() == 3);
}

TEST_CASE("timeline: a moment without end is noticed", "[world]") {
  Timeline timeline(absl::UnixEpoch(), 1);
  Process process(timeline, "p");
  std::function<void()> again = [&] { process.Post(again); };
  again();
  CHECK_FALSE(timeline.RunUntil(absl::Seconds(1)));
}

TEST_CASE("timeline: a process that is held up by its disk goes on when that is over", "[world]") {
  Timeline timeline(absl::UnixEpoch(), 1);
  Process process(timeline, "p");
  std::vector<std::string> done;
  const auto say = [&](std::string what) { return [&done, what] { done.push_back(what); }; };
  process.Halt(absl::Seconds(5));
  process.Post(say("posted"));
  process.Pause();
  process.Resume();
  REQUIRE(timeline.RunUntil(absl::Seconds(4)));
  CHECK(process.halted());
  CHECK(done.empty());
  REQUIRE(timeline.RunUntil(absl::Seconds(6)));
  CHECK(done == std::vector<std::string>{"posted"});
  CHECK_FALSE(process.halted());
  process.Halt(absl::InfiniteDuration());
  process.Post(say("last"));
  REQUIRE(timeline.RunUntil(absl::Hours(1)));
  CHECK(done.size() == 1);
  process.RunReady();
  CHECK(done.back() == "last");
}

TEST_CASE("timeline: a wall clock that jumps moves nothing else", "[world]") {
  Timeline timeline(absl::UnixEpoch(), 1);
  Process process(timeline, "p", absl::Seconds(5));
  bool fired = false;
  process.RunAfter(absl::Seconds(3), [&fired] { fired = true; });
  process.SetAhead(absl::Hours(-1));
  CHECK(process.Now() == absl::UnixEpoch() - absl::Hours(1));
  CHECK(process.Monotonic() == absl::ZeroDuration());
  CHECK_FALSE(fired);
  REQUIRE(timeline.RunUntil(absl::Seconds(4)));
  CHECK(fired);
}

}  // namespace
}  // namespace bth::sim
