#include "controllers/core/remake_pauses.h"

#include "base/strings.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

// Makes it as soon as it may be made, and says how long that took.
absl::Duration MakeWhenFree(net::VirtualExecutor& executor, RemakePauses& pauses,
                            const std::string& child) {
  const absl::Duration left = pauses.Left(child);
  executor.Advance(left);
  REQUIRE(pauses.Left(child) == absl::ZeroDuration());
  pauses.NoteMade(child);
  return left;
}

TEST_CASE("remake pauses: they grow while the child goes as soon as it is made",
          "[controllers][core]") {
  net::VirtualExecutor executor(absl::UnixEpoch());
  RemakePauses pauses(executor);
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::ZeroDuration());
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::ZeroDuration());
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::Milliseconds(5));
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::Milliseconds(10));
  for (int i = 0; i < 20; ++i) MakeWhenFree(executor, pauses, "c");
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::Seconds(30));
}

TEST_CASE("remake pauses: one child does not wait for another", "[controllers][core]") {
  net::VirtualExecutor executor(absl::UnixEpoch());
  RemakePauses pauses(executor);
  for (int i = 0; i < 5; ++i) MakeWhenFree(executor, pauses, "a");
  CHECK(pauses.Left("a") > absl::ZeroDuration());
  CHECK(pauses.Left("b") == absl::ZeroDuration());
}

TEST_CASE("remake pauses: what lasted, or was deleted on purpose, starts over",
          "[controllers][core]") {
  net::VirtualExecutor executor(absl::UnixEpoch());
  RemakePauses pauses(executor);
  const bool lasts = GENERATE(true, false);
  for (int i = 0; i < 5; ++i) MakeWhenFree(executor, pauses, "c");
  const absl::Duration pause = pauses.Left("c");
  REQUIRE(pause > absl::ZeroDuration());
  if (lasts) {
    executor.Advance(pause + absl::Seconds(1) + absl::Nanoseconds(1));
  } else {
    pauses.Forget("c");
  }
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::ZeroDuration());
  CHECK(MakeWhenFree(executor, pauses, "c") == absl::ZeroDuration());
}

TEST_CASE("remake pauses: what is kept does not grow with what was made", "[controllers][core]") {
  net::VirtualExecutor executor(absl::UnixEpoch());
  RemakePauses pauses(executor);
  for (int i = 0; i < 1000; ++i) {
    pauses.NoteMade(StrCat(i));
    executor.Advance(absl::Milliseconds(100));
  }
  CHECK(pauses.size() < 15);
  executor.Advance(absl::Minutes(1));
  pauses.Left("c");
  CHECK(pauses.size() == 0);
}

}  // namespace
}  // namespace bth::controllers
