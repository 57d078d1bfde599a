// A scheduler that stands by for long, beside a leader that works.
#include "base/strings.h"
#include "tests/scheduler/bed.h"

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

}  // namespace
}  // namespace bth::scheduler
