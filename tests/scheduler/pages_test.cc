#include "scheduler/pages.h"

#include <string_view>

#include "scheduler/debug_pages.h"
#include "tests/scheduler/bed.h"
#include "tests/scheduler/short_bed.h"

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
  metrics::Registry registry;
  const auto open = net::MakeInProcessTransport(bed.executor, MakePages(*bed.scheduler, registry));
  const auto debug = net::MakeInProcessTransport(
      bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, nullptr));
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
      {"GET", "/nothing", 404, "pages:"},
      {"GET", "/", 404, "pages:"},
      {"GET", "/debug/nothing", 404, "/debug/explain"},
      {"POST", "/debug/queues", 405, "only GET"},
      {"GET", "/debug/explain", 400, "say which"},
      {"GET", "/debug/explain?job=", 400, "say which"},
      {"GET", "/debug/explain?job=default/none", 404,
       "no such pod or job: the name is wrong, or the controllers hold the job back: kubectl -n "
       "default describe vcjob none"},
      {"GET", "/debug/explain?pod=default/none", 404,
       "no such pod or job: the name is wrong, or the pod names another scheduler: kubectl -n "
       "default describe pod none"},
      {"GET", "/debug/explain?job=none", 404, "no such pod or job: a namespace and a name"},
      {"GET", "/debug/explain?job=default/$(x)", 404, "no such pod or job: a namespace and a name"},
      {"GET", "/debug/explain?job=default/g", 200, "Insufficient cpu"},
      {"GET", "/debug/explain?pod=default/a", 200, "default/a"},
      {"GET", "/debug/queues", 200, "\"default\""},
      {"GET", "/debug/cycle", 200, "{"},
  };
  for (const Case& c : cases) {
    INFO(c.method << " " << c.target);
    const Bed::Answer answer = bed.Fetch(
        std::string_view(c.target).starts_with("/debug/") ? *debug : *open, c.method, c.target);
    INFO(answer.text);
    CHECK(answer.code == c.code);
    CHECK(absl::StrContains(answer.text, c.part));
  }
}

TEST_CASE("pages: amounts of queues are quantities", "[scheduler]") {
  testing::ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi gpu=2", "queue q cap.cpu=2500m cap.mem=6Gi guarantee.gpu=1",
             "job j queue=q min=1", "pod p job=j cpu=1500m mem=512Mi gpu=1",
             "pod big job=j cpu=7 mem=1Gi"});
  bed.Begin();
  const auto pages = net::MakeInProcessTransport(
      bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, nullptr));
  const types::Json page = bed.Fetch(*pages, "GET", "/debug/queues").json;
  REQUIRE(page.size() == 3);
  const types::Json& queue = page[1];
  REQUIRE(queue["name"].AsString() == "q");
  CHECK(queue["capability"].Dump() == R"({"cpu":"2500m","memory":"6Gi"})");
  CHECK(queue["guarantee"].Dump() == R"({"nvidia.com/gpu":"1"})");
  CHECK(queue["allocated"].Dump() ==
        R"({"cpu":"1500m","memory":"512Mi","nvidia.com/gpu":"1","pods":"1"})");
  CHECK(queue["pending"].Dump() == R"({"cpu":"7","memory":"1Gi","pods":"1"})");
  CHECK(queue["deserved"].Dump() ==
        R"({"cpu":"2500m","memory":"1536Mi","nvidia.com/gpu":"1","pods":"2"})");
  CHECK(queue["inqueue"].Dump() == R"({"cpu":"0","memory":"0"})");
  CHECK(queue["elastic"].Dump() ==
        R"({"cpu":"1500m","memory":"512Mi","nvidia.com/gpu":"1","pods":"1"})");
  CHECK(queue["jobs"] == types::Json(1));
  CHECK(queue["jobsWaiting"] == types::Json(1));
  CHECK(queue["jobsNotAdmitted"] == types::Json(0));
}

TEST_CASE("pages: before the lists are in and the first cycle has run", "[scheduler]") {
  Bed bed;
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  metrics::Registry registry;
  const auto open = net::MakeInProcessTransport(bed.executor, MakePages(*bed.scheduler, registry));
  const auto debug = net::MakeInProcessTransport(
      bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, nullptr));
  CHECK(bed.Fetch(*open, "GET", "/healthz").code == 200);
  const Bed::Answer unready = bed.Fetch(*open, "GET", "/readyz");
  CHECK(unready.code == 503);
  CHECK(absl::StartsWith(unready.text,
                         "the first lists from the API server are not complete: priorityclasses."));
  CHECK(absl::EndsWith(unready.text, "pods\n"));
  const auto away = net::MakeInProcessTransport(
      bed.executor, MakePages(*bed.scheduler, registry, [] { return "the server is away"; }));
  CHECK(bed.Fetch(*away, "GET", "/readyz").text == unready.text + "the server is away\n");
  CHECK(bed.Fetch(*debug, "GET", "/debug/queues").code == 503);
}

TEST_CASE("pages: what is scheduled is not shown beside the metrics", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 3);
  bed.Start();
  metrics::Registry registry;
  const auto open = net::MakeInProcessTransport(bed.executor, MakePages(*bed.scheduler, registry));
  const char* path = GENERATE("/debug/explain?job=default/g", "/debug/queues", "/debug/cycle",
                              "/debug/invariants", "/debug/dump");
  const Bed::Answer answer = bed.Fetch(*open, "GET", path);
  CHECK(answer.code == 404);
  CHECK(absl::StrContains(answer.text, "--debug-bind-address"));
}

TEST_CASE("pages: a dump is made once in ten seconds", "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 3);
  bed.Start();
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics(registry);
  const auto debug = net::MakeInProcessTransport(
      bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, &metrics));
  CHECK(bed.Fetch(*debug, "GET", "/debug/dump").code == 200);
  CHECK(bed.Fetch(*debug, "GET", "/debug/dump").code == 429);
  CHECK(absl::StrContains(registry.RenderText(),
                          "batholith_limit_reached_total{limit=\"debug_dump\"} 1\n"));
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.Fetch(*debug, "GET", "/debug/dump").code == 200);
}

}  // namespace
}  // namespace bth::scheduler
