// A pod that is deleted and never ends.
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

TEST_CASE("stuck pod: a gang that needs its room keeps others from theirs for a time only",
          "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Group("old", 1);
  bed.Pod("old", "old", 2);
  bed.Settle();
  REQUIRE(bed.NodeOf("old") == "n1");
  bed.Node("n2", 2);
  // Nobody takes it down: there is no kubelet.
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/old");
  bed.Group("gang", 2);
  for (const char* pod : {"gang-0", "gang-1"}) bed.Pod(pod, "gang", 2);
  bed.executor.Advance(absl::Seconds(5));  // It comes first.
  bed.Group("small", 1);
  bed.Pod("small", "small", 2);
  bed.executor.Advance(absl::Minutes(4));
  CHECK(bed.NodeOf("small").empty());
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.NodeOf("small") == "n2");
  for (const char* pod : {"gang-0", "gang-1"}) CHECK(bed.NodeOf(pod).empty());
  // What it held is room like any other once it is gone.
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/old?gracePeriodSeconds=0");
  bed.Node("n3", 2);
  bed.Settle();
  for (const char* pod : {"gang-0", "gang-1"}) CHECK_FALSE(bed.NodeOf(pod).empty());
}

}  // namespace
}  // namespace bth::scheduler
