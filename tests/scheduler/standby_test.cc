// Schedulers that have nothing to decide for long, beside others that work: one that stands by, and
// an agent scheduler that leads.
#include "base/strings.h"
#include "tests/scheduler/agent_bed.h"

namespace bth::scheduler {
namespace {

TEST_CASE("standby: what came and went before it leads leaves no rows behind", "[scheduler]") {
  testing::Bed bed;
  bed.Node("n1", 4);
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Settle();
  for (int i = 0; i < 700; ++i) {
    const std::string name = StrCat("a", i);
    bed.Group(name, 1);
    bed.Pod(name, name, 1);
    bed.executor.Advance(absl::Milliseconds(50));
    bed.Call("DELETE", "/api/v1/namespaces/default/pods/" + name + "?gracePeriodSeconds=0");
    bed.Call("DELETE", testing::Bed::GroupPath(name));
    bed.executor.Advance(absl::Milliseconds(50));
  }
  CHECK(bed.scheduler->cycles() == 0);
  REQUIRE(bed.scheduler->mirror().Check().ToString() == "OK");
  bed.Group("last", 1);
  bed.Pod("last", "last", 1);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(bed.NodeOf("last") == "n1");
  const auto snapshot = bed.scheduler->mirror().Publish();
  // 700 of each without a rest.
  CHECK(snapshot->tasks.size() < 300);
  CHECK(snapshot->jobs.size() < 300);
}

TEST_CASE("agent scheduler: pods of others that came and went leave no rows behind",
          "[scheduler][agent]") {
  testing::AgentBed bed;
  bed.Node("n1", 4);
  bed.BeginAgent();
  const uint64_t before = bed.scheduler->cycles();
  for (int i = 0; i < 700; ++i) {
    const std::string name = StrCat("a", i);
    bed.Given({StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                      R"("},"spec":{"nodeName":"n1","schedulerName":"volcano",)",
                      R"("containers":[{"name":"c"}]}})")});
    bed.executor.Advance(absl::Milliseconds(50));
    bed.Delete(testing::AgentBed::PodPath(name));
    bed.executor.Advance(absl::Milliseconds(50));
  }
  CHECK(bed.scheduler->mirror().pods() == 0);
  CHECK(bed.scheduler->cycles() - before <= 10);  // Few: nobody waits for them.
  const auto snapshot = bed.scheduler->mirror().Publish();
  CHECK(snapshot->tasks.size() < 300);  // 700 without a cycle.
}

}  // namespace
}  // namespace bth::scheduler
