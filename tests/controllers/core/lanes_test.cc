#include "controllers/core/lanes.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

// Enough for frames of work after work to fill any stack.
constexpr int kKeys = 200'000;

TEST_CASE("lanes: work that waits for nothing neither piles up nor keeps others waiting",
          "[controllers][core]") {
  net::VirtualExecutor executor(absl::FromUnixSeconds(1'000'000));
  int done = 0;
  int done_at_turn = -1;
  LaneHooks hooks;
  hooks.work = [&done](std::string) -> net::Awaitable<LaneHooks::Outcome> {
    ++done;
    LaneHooks::Outcome outcome;
    co_return std::move(outcome);
  };
  Lanes lanes(executor, DefaultLanes(1), std::move(hooks));
  for (int i = 0; i < kKeys; ++i) lanes.Add(StrCat(i));
  lanes.Start();
  executor.Post([&] { done_at_turn = done; });
  REQUIRE(executor.RunUntilIdle());
  CHECK(done == kKeys);
  CHECK(lanes.idle());
  CHECK(done_at_turn < 10);
}

TEST_CASE("lanes: refusals count until a key is given up, outages never", "[controllers][core]") {
  net::VirtualExecutor executor(absl::FromUnixSeconds(1'000'000));
  absl::Status answer = absl::UnavailableError("away");
  std::vector<absl::Duration> tried;
  int given_up = 0;
  LaneHooks hooks;
  hooks.work = [&](std::string) -> net::Awaitable<LaneHooks::Outcome> {
    tried.push_back(executor.Monotonic());
    LaneHooks::Outcome outcome;
    outcome.status = answer;
    co_return std::move(outcome);
  };
  hooks.give_up = [&given_up](std::string, absl::Status status) -> net::Awaitable<void> {
    CHECK(absl::IsInvalidArgument(status));
    ++given_up;
    co_return;
  };
  Lanes lanes(executor, DefaultLanes(1, 3), std::move(hooks));
  lanes.Add("a");
  lanes.Start();
  executor.Advance(absl::Hours(2));
  CHECK(tried.size() > 200);
  CHECK(tried.back() - tried[tried.size() - 2] == absl::Seconds(30));
  CHECK(given_up == 0);
  // The first one, and three more.
  answer = absl::InvalidArgumentError("no");
  tried.clear();
  executor.Advance(absl::Hours(2));
  CHECK(tried.size() == 4);
  CHECK(given_up == 1);
  // What goes well in between starts the count anew.
  for (int i = 0; i < 3; ++i) {
    answer = absl::InvalidArgumentError("no");
    lanes.Add("b");
    executor.Advance(absl::Milliseconds(8));
    answer = absl::OkStatus();
    executor.Advance(absl::Minutes(1));
  }
  CHECK(given_up == 1);
}

}  // namespace
}  // namespace bth::controllers
