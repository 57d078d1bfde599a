#include "scheduler/pages.h"

#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

TEST_CASE("pages: health, explanations and mistakes of the caller", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 3);
  bed.Node("n2", 1);
  bed.Group("g", 2);
  bed.Pod("a", "g", 2);
  bed.Pod("b", "g", 2);
  bed.Start();
  metrics::Registry metrics;
  const auto pages =
      net::MakeInProcessTransport(bed.executor, MakePages(bed.executor, *bed.scheduler, metrics));
  struct Case {
    const char* method;
    const char* target;
    int code;
    const char* part;
  };
  const Case cases[] = {
      {"GET", "/healthz", 200, "ok"},
      {"GET", "/livez", 200, "ok"},
      {"GET", "/readyz", 200, "ok"},
      {"GET", "/metrics", 200, ""},
      {"POST", "/healthz", 405, "only GET"},
      {"GET", "/nothing", 404, "/debug/explain"},
      {"GET", "/", 404, "pages:"},
      {"GET", "/debug/explain", 400, "say which"},
      {"GET", "/debug/explain?job=", 400, "say which"},
      {"GET", "/debug/explain?job=default/none", 404, "no such pod or job"},
      {"GET", "/debug/explain?pod=default/none", 404, "no such pod or job"},
      {"GET", "/debug/explain?job=default/g", 200, "Insufficient cpu"},
      {"GET", "/debug/explain?pod=default/a", 200, "default/a"},
      {"GET", "/debug/queues", 200, "\"default\""},
      {"GET", "/debug/cycle", 200, "{"},
  };
  for (const Case& c : cases) {
    INFO(c.method << " " << c.target);
    const Bed::Answer answer = bed.Fetch(*pages, c.method, c.target);
    INFO(answer.text);
    CHECK(answer.code == c.code);
    CHECK(absl::StrContains(answer.text, c.part));
  }
}

TEST_CASE("pages: before the lists are in and the first cycle has run", "[scheduler]") {
  Bed bed;
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  metrics::Registry metrics;
  const auto pages =
      net::MakeInProcessTransport(bed.executor, MakePages(bed.executor, *bed.scheduler, metrics));
  CHECK(bed.Fetch(*pages, "GET", "/healthz").code == 200);
  CHECK(bed.Fetch(*pages, "GET", "/readyz").code == 503);
  CHECK(bed.Fetch(*pages, "GET", "/debug/queues").code == 503);
}

}  // namespace
}  // namespace bth::scheduler
