#include "net/virtual_executor.h"

#include <functional>

#include "tests/support/catch.h"

namespace bth::net {
namespace {

TEST_CASE("virtual executor: a task that posts itself without end is stopped", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int runs = 0;
  const std::function<void()> again = [&] {
    ++runs;
    executor.Post(again);
  };
  executor.RunAfter(absl::Seconds(1), again);
  CHECK_FALSE(executor.Advance(absl::Seconds(2), 100));
  CHECK(runs == 100);
  CHECK(executor.Monotonic() == absl::Seconds(1));
}

TEST_CASE("virtual executor: a timer that sets itself for now without end is stopped", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int runs = 0;
  const std::function<void()> again = [&] {
    ++runs;
    executor.RunAfter(absl::ZeroDuration(), again);
  };
  executor.RunAfter(absl::Seconds(1), again);
  CHECK_FALSE(executor.Advance(absl::Seconds(2), 100));
  CHECK(runs == 100);
}

TEST_CASE("virtual executor: the limit of tasks is one of each moment", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int runs = 0;
  const std::function<void()> again = [&] {
    ++runs;
    executor.RunAfter(absl::Milliseconds(1), again);
  };
  executor.RunAfter(absl::Milliseconds(1), again);
  CHECK(executor.Advance(absl::Seconds(1), 2));
  CHECK(runs == 1000);
}

}  // namespace
}  // namespace bth::net
