// A cluster in which somebody has yet to apply deploy/crds.
#include "scheduler/pages.h"
#include "tests/scheduler/bed.h"
#include "tests/support/captured_log.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

TEST_CASE("missing definitions: the log and /readyz name them until they are there",
          "[scheduler]") {
  Bed bed;
  bool installed = false;
  bed.line->script = [&installed](const net::Request& request) -> std::optional<test::Fault> {
    if (installed || !absl::StrContains(request.target, "/scheduling.volcano.sh/")) {
      return std::nullopt;
    }
    return test::Fault{
        .code = 404, .reason = "NotFound", .message = "the server could not find the resource"};
  };
  test::CapturedLog log(LogLevel::kInfo);
  bed.Node("n1", 4);
  bed.Start();
  metrics::Registry registry;
  const auto pages = net::MakeInProcessTransport(bed.executor, MakePages(*bed.scheduler, registry));
  bed.executor.Advance(absl::Minutes(5));
  const Bed::Answer waits = bed.Fetch(*pages, "GET", "/readyz");
  CHECK(waits.code == 503);
  CHECK(waits.text ==
        "the API server does not know queues.scheduling.volcano.sh, "
        "podgroups.scheduling.volcano.sh: install the definitions with kubectl apply -f "
        "deploy/crds\n");
  std::vector<std::string> named, made;
  for (const std::string& line : log.Take()) {
    if (absl::StartsWith(line, "definition.missing ")) named.push_back(line);
    if (absl::StartsWith(line, "queue.not_created ")) made.push_back(line);
  }
  CHECK(named.size() <= 8);
  for (const char* kind : {"queues", "podgroups"}) {
    INFO(kind);
    CHECK(std::any_of(named.begin(), named.end(), [kind](const std::string& line) {
      return absl::StrContains(line, StrCat("definition=", kind, ".scheduling.volcano.sh ")) &&
             absl::StrContains(line, "kubectl apply -f deploy/crds");
    }));
  }
  CHECK(made.size() <= 12);

  installed = true;
  bed.executor.Advance(absl::Seconds(40));
  CHECK(bed.Fetch(*pages, "GET", "/readyz").code == 200);
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
  int found = 0;
  for (const std::string& line : log.Take()) {
    found += absl::StartsWith(line, "definition.found ") ? 1 : 0;
  }
  CHECK(found == 2);
}

}  // namespace
}  // namespace bth::scheduler
