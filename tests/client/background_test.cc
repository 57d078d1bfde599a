#include "client/background.h"

#include <stdexcept>
#include <vector>

#include "client/parking.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

// Counts its runs; the first `failures` of them end with an exception after a second.
struct Loop {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'700'000'000)};
  int failures = 0;
  std::vector<absl::Duration> begun;

  net::Awaitable<void> Run() {
    begun.push_back(executor.Monotonic());
    co_await net::Sleep(executor, absl::Seconds(1));
    if (static_cast<int>(begun.size()) <= failures) throw std::runtime_error("cut off");
    co_await net::Sleep(executor, absl::Hours(1));
  }
};

TEST_CASE("background: a loop that an exception cuts off begins anew after growing pauses",
          "[client]") {
  Loop loop;
  loop.failures = 7;
  Background work;
  work.Keep(loop.executor, "test.loop", [&loop] { return loop.Run(); });
  loop.executor.Advance(absl::Minutes(10));
  CHECK(work.running());
  CHECK(loop.executor.barrier().caught() == 7);
  REQUIRE(loop.begun.size() == 8);
  const int64_t pauses[] = {1, 2, 4, 8, 16, 30, 30};
  for (size_t i = 0; i < 7; ++i) {
    CHECK(loop.begun[i + 1] - loop.begun[i] == absl::Seconds(1 + pauses[i]));
  }
}

TEST_CASE("background: work that is started once ends with its exception", "[client]") {
  Loop loop;
  loop.failures = 1;
  Background work;
  work.Start(loop.executor, loop.Run());
  loop.executor.Advance(absl::Minutes(10));
  CHECK_FALSE(work.running());
  CHECK(loop.begun.size() == 1);
  CHECK(loop.executor.barrier().caught() == 1);
}

TEST_CASE("background: stopping ends a loop that waits to begin anew", "[client]") {
  Loop loop;
  loop.failures = 1;
  Background work;
  work.Keep(loop.executor, "test.loop", [&loop] { return loop.Run(); });
  loop.executor.Advance(absl::Milliseconds(1500));
  work.Stop();
  loop.executor.Advance(absl::Minutes(1));
  CHECK(loop.begun.size() == 1);
  CHECK(loop.executor.NextTimer() == absl::InfiniteDuration());
}

TEST_CASE("parking: each comes back at its time, and one timer serves all", "[client]") {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'700'000'000)};
  std::vector<std::pair<int64_t, int>> back;
  Parking<int> parking(executor, [&](int item) {
    back.emplace_back(absl::ToInt64Seconds(executor.Monotonic()), item);
    if (item == 2) throw std::runtime_error("cut off");
  });
  parking.Park(3, absl::Seconds(3));
  parking.Park(1, absl::Seconds(1));
  parking.Park(2, absl::Seconds(3));
  parking.Park(4, absl::Seconds(4));
  parking.Park(5, absl::Seconds(2));
  CHECK(parking.TakeIf([](int item) { return item == 5; }) == std::vector<int>{5});
  CHECK(parking.size() == 4);
  executor.Advance(absl::Minutes(1));
  CHECK(back == std::vector<std::pair<int64_t, int>>{{1, 1}, {3, 3}, {3, 2}, {4, 4}});
  CHECK(parking.empty());
  CHECK(executor.NextTimer() == absl::InfiniteDuration());
}

}  // namespace
}  // namespace bth::client
