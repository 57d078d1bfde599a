// The queues that every cluster has.
#include <string>

#include "scheduler/scheduler.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

constexpr char kQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues/";

class StandingBed : public testing::Bed {
 public:
  std::string UidOf(const std::string& queue) {
    return std::string(Get(kQueues + queue).At({"metadata", "uid"}).AsString());
  }
  int Count(const std::string& reason, const std::string& uid) {
    int count = 0;
    const types::Json list = Get("/api/v1/namespaces/default/events");
    for (size_t i = 0; i < list["items"].size(); ++i) {
      const types::Json& event = list["items"][i];
      count += static_cast<int>(event["reason"].AsString() == reason &&
                                event.At({"involvedObject", "uid"}).AsString() == uid);
    }
    return count;
  }
};

TEST_CASE("standing queues: one that is deleted is made anew, and the new one says so",
          "[scheduler]") {
  const std::string queue = GENERATE(values<std::string>({"root", "default"}));
  CAPTURE(queue);
  StandingBed bed;
  bed.Start();
  const std::string first = bed.UidOf(queue);
  REQUIRE(!first.empty());
  CHECK(bed.Count("MadeAnew", first) == 0);
  for (int round = 0; round < 2; ++round) {
    const std::string before = bed.UidOf(queue);
    REQUIRE(bed.Call("DELETE", kQueues + queue).code == 200);
    bed.Settle();
    const std::string after = bed.UidOf(queue);
    REQUIRE(!after.empty());
    CHECK(after != before);
    CHECK(bed.Count("MadeAnew", after) == 1);
  }
  CHECK(bed.Get(kQueues + queue).At({"spec", "reclaimable"}).AsBool() == (queue == "default"));
}

TEST_CASE("standing queues: jobs of the default queue go on after it was deleted", "[scheduler]") {
  StandingBed bed;
  bed.Node("n", 4);
  bed.Start();
  REQUIRE(bed.Call("DELETE", std::string(kQueues) + "default").code == 200);
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n");
}

TEST_CASE("standing queues: who does not lead makes none", "[scheduler]") {
  StandingBed bed;
  bed.Start();
  bed.scheduler->StopLeading();
  REQUIRE(bed.Call("DELETE", std::string(kQueues) + "root").code == 200);
  bed.Settle();
  CHECK(bed.Call("GET", std::string(kQueues) + "root").code == 404);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(bed.Call("GET", std::string(kQueues) + "root").code == 200);
}

}  // namespace
}  // namespace bth::scheduler
