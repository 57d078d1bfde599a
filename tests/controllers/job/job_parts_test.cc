// Restarts of parts of a batch job: one for all that happens to a part at once.
#include <map>
#include <string>

#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

struct Parts : JobBed {
  Parts() {
    StartJobs();
    RunJob("j", 4,
           TaskText("a", 8,
                    R"("partitionPolicy":{"totalPartitions":2,"partitionSize":4,)"
                    R"("minPartitions":1})"),
           R"("maxRetry":3,"policies":[{"events":["PodFailed","PodEvicted"],)"
           R"("action":"RestartPartition"}])");
    REQUIRE(Phase("j") == "Running");
    for (const std::string& pod : Pods()) uids[pod] = PodUid(pod);
    REQUIRE(uids.size() == 8);
  }
  // The first partition was made anew once, and the other is as it was.
  void CheckOneRestart() {
    SetGroup("j", "Inqueue");
    FinishDeletions();
    CHECK(Count("j", "retryCount") == 1);
    CHECK(Phase("j") != "Failed");
    REQUIRE(Pods().size() == 8);
    for (const auto& [pod, uid] : uids) {
      CAPTURE(pod);
      CHECK((PodUid(pod) == uid) == (pod >= "j-a-4"));
    }
  }

  std::map<std::string, std::string> uids;
};

TEST_CASE("job parts: pods of a partition that fail together cost one retry",
          "[controllers][job]") {
  Parts bed;
  bed.Kill();
  for (const char* pod : {"j-a-0", "j-a-1", "j-a-2", "j-a-3"}) {
    bed.Patch(JobBed::PodPath(pod) + "/status", R"({"status":{"phase":"Failed"}})");
  }
  bed.StartJobs();  // Hears of all of them at once.
  bed.CheckOneRestart();
}

TEST_CASE("job parts: pods of a partition that are evicted one after another cost one retry",
          "[controllers][job]") {
  Parts bed;
  bed.Create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  for (const char* pod : {"j-a-0", "j-a-1", "j-a-2", "j-a-3"}) {
    bed.Create(
        JobBed::PodPath(pod) + "/binding",
        StrCat(R"({"metadata":{"name":")", pod, R"("},"target":{"kind":"Node","name":"n"}})"));
    bed.Call("DELETE", JobBed::PodPath(pod) + "?gracePeriodSeconds=30");
  }
  bed.Settle();
  for (const char* pod : {"j-a-0", "j-a-1", "j-a-2", "j-a-3"}) {
    bed.Call("DELETE", JobBed::PodPath(pod) + "?gracePeriodSeconds=0");
    bed.Settle();
  }
  bed.CheckOneRestart();
}

}  // namespace
}  // namespace bth::test
