#include "scheduler/scheduler.h"

#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

TEST_CASE("scheduler: the standing queues are made", "[scheduler]") {
  Bed bed;
  bed.Start();
  CHECK(bed.scheduler->ready());
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues/";
  CHECK(bed.Get(queues + "root").At({"spec", "reclaimable"}) == types::Json(false));
  CHECK(bed.Get(queues + "default").At({"spec", "reclaimable"}) == types::Json(true));
}

TEST_CASE("scheduler: a gang that fits is bound whole", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Node("n2", 2);
  bed.Start();
  bed.Group("g", 3);
  for (const char* pod : {"a", "b", "c"}) bed.Pod(pod, "g", 1);
  bed.Settle();
  std::map<std::string, int> on;
  for (const char* pod : {"a", "b", "c"}) ++on[bed.NodeOf(pod)];
  CHECK(on.size() == 2);
  CHECK(on["n1"] + on["n2"] == 3);
  CHECK(bed.scheduler->idle());
  CHECK(bed.Get(Bed::GroupPath("g")).At({"status", "phase"}).AsString() == "Running");
}

TEST_CASE("scheduler: a gang that does not fit is left whole and told why", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 3);  // Enough cores in all, but in the wrong places.
  bed.Node("n2", 1);
  bed.Start();
  bed.Group("g", 2);
  for (const char* pod : {"a", "b"}) bed.Pod(pod, "g", 2);
  bed.Settle();
  for (const char* pod : {"a", "b"}) {
    CHECK(bed.NodeOf(pod).empty());
    CHECK(absl::StartsWith(bed.PodCondition(pod), "False "));
  }
  const std::string condition = bed.Condition(Bed::GroupPath("g"), "Unschedulable");
  INFO(condition);
  CHECK(absl::StartsWith(condition, "True NotEnoughResources: 1/2 tasks in gang unschedulable: "));
  CHECK(absl::StrContains(condition, "0/2 nodes are unavailable: 2 Insufficient cpu."));
  // Room for the rest lets the whole gang go.
  bed.Node("n3", 2);
  bed.Settle();
  for (const char* pod : {"a", "b"}) CHECK_FALSE(bed.NodeOf(pod).empty());
}

TEST_CASE("scheduler: a pod that no PodGroup claims is told so", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Pod("alone", "", 1);
  bed.Pod("early", "later", 1);
  bed.Settle();
  CHECK(bed.PodCondition("alone") == "False Unschedulable: " + GrouplessMessage(""));
  CHECK(bed.PodCondition("early") == "False Unschedulable: " + GrouplessMessage("default/later"));
  bed.Group("later", 1);
  bed.Settle();
  CHECK(bed.NodeOf("early") == "n1");
  CHECK(bed.NodeOf("alone").empty());
}

TEST_CASE("scheduler: nothing is written and no cycle runs while nothing changes", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Group("fits", 1);
  bed.Pod("a", "fits", 1);
  bed.Group("waits", 3);  // More than the node holds, whatever goes first.
  for (const char* pod : {"b", "c", "d"}) bed.Pod(pod, "waits", 1);
  bed.Pod("alone", "", 1);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("a") == "n1");
  const size_t writes = bed.writes;
  const uint64_t cycles = bed.scheduler->cycles();
  CHECK(writes > 0);
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
  CHECK(bed.scheduler->cycles() == cycles);
}

TEST_CASE("scheduler: nothing is decided before it leads, nor afterwards", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.Settle();
  CHECK(bed.scheduler->ready());
  CHECK(bed.scheduler->cycles() == 0);
  CHECK(bed.writes == 0);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n1");
  bed.scheduler->StopLeading();
  const uint64_t cycles = bed.scheduler->cycles();
  bed.Group("h", 1);
  bed.Pod("b", "h", 1);
  bed.Settle();
  CHECK(bed.scheduler->cycles() == cycles);
  CHECK(bed.NodeOf("b").empty());
}

}  // namespace
}  // namespace bth::scheduler
