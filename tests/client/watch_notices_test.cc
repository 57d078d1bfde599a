#include "client/watch_notices.h"

#include "net/virtual_executor.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

TEST_CASE("watch notices: a right that is missing costs a line at once, then ever fewer",
          "[client]") {
  net::VirtualExecutor executor(absl::FromUnixSeconds(0));
  WatchNotices notices(executor, "deploy/x/rbac.yaml");
  test::CapturedLog log(LogLevel::kInfo);
  const absl::Status forbidden = absl::PermissionDeniedError("cannot list resource \"pods\"");
  for (int i = 0; i < 60; ++i) {
    notices.Failed("pods", forbidden);
    executor.Advance(absl::Seconds(10));
  }
  const std::vector<std::string> lines = log.Take();
  REQUIRE(lines.size() == 6);  // After 0, 10, 30, 70, 150 and 310 s.
  CHECK_THAT(lines[0], Catch::StartsWith("informer.failed resource=pods status=") &&
                           Catch::Contains("remedy=\"grant get, list and watch on it, as "
                                           "deploy/x/rbac.yaml does\" times=1 next_line_in=10s"));
  CHECK_THAT(lines[5], Catch::Contains(" times=16 next_line_in=5m20s"));
  // Another kind is another cause.
  notices.Failed("nodes", forbidden);
  CHECK(log.Take().size() == 1);
}

TEST_CASE(
    "watch notices: a definition that is missing is named with the remedy, and when it is "
    "there",
    "[client]") {
  net::VirtualExecutor executor(absl::FromUnixSeconds(0));
  WatchNotices notices(executor, "");
  test::CapturedLog log(LogLevel::kInfo);
  notices.Presence("queues.scheduling.volcano.sh", true);
  CHECK(log.Take().empty());
  for (int i = 0; i < 20; ++i) {
    notices.Presence("queues.scheduling.volcano.sh", false);
    executor.Advance(absl::Seconds(25));
  }
  notices.Presence("queues.scheduling.volcano.sh", true);
  const std::vector<std::string> lines = log.Take();
  REQUIRE(lines.size() == 5);  // After 0 s, 75 s, 200 s and 450 s.
  CHECK_THAT(lines[0],
             Catch::StartsWith("definition.missing definition=queues.scheduling.volcano.sh ") &&
                 Catch::Contains("remedy=\"install it: kubectl apply -f deploy/crds\""));
  CHECK(lines[4] == "definition.found definition=queues.scheduling.volcano.sh");
}

}  // namespace
}  // namespace bth::client
