#include "controllers/core/lanes.h"

#include <string>

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

}  // namespace
}  // namespace bth::controllers
