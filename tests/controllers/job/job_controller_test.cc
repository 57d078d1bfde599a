#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("job controller: a job becomes a group, then pods, runs and completes",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("train", 2, JobBed::TaskText("worker", 2));
  CHECK(bed.Phase("train") == "Pending");
  CHECK(bed.Names(JobBed::kGroups) == Names{bed.GroupOf("train")});
  CHECK(bed.Pods().empty());

  bed.SetGroup("train", "Inqueue");
  CHECK(bed.Pods() == Names{"train-worker-0", "train-worker-1"});
  bed.WaitForCounts();
  CHECK(bed.Count("train", "pending") == 2);
  CHECK(bed.Phase("train") == "Pending");

  bed.SetPodPhase("train-worker-0", "Running");
  CHECK(bed.Phase("train") == "Pending");
  bed.SetPodPhase("train-worker-1", "Running");
  CHECK(bed.Phase("train") == "Running");

  bed.SetPods("Succeeded");
  CHECK(bed.Phase("train") == "Completed");
  CHECK(bed.Count("train", "succeeded") == 2);
  CHECK(bed.Conditions("train") == Names{"Pending", "Running", "Completed"});
  CHECK(bed.Names(JobBed::kGroups).empty());
  CHECK(bed.Pods().size() == 2);
}

TEST_CASE("job controller: pods that are scaled away leave a gang that is not admitted",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("train", 2, JobBed::TaskText("worker", 3));
  // Somebody deletes the group: the new one asks for admission while the pods run.
  bed.Call("DELETE", StrCat(JobBed::kGroups, "/", bed.GroupOf("train")));
  bed.Settle();
  REQUIRE(bed.Names(JobBed::kGroups) == Names{bed.GroupOf("train")});
  bed.SetGroup("train", "Pending");

  const std::string path = StrCat(JobBed::kJobs, "/train");
  const std::string tasks = JobBed::TaskText("worker", 2);
  bed.Patch(path, StrCat(R"({"spec":{"tasks":[)", tasks, "]}}"));
  bed.Settle();
  bed.FinishDeletions();
  bed.WaitForCounts();
  CHECK(bed.Pods() == Names{"train-worker-0", "train-worker-1"});
  CHECK(bed.Count("train", "running") == 2);
  CHECK(bed.Count("train", "terminating") == 0);

  // Those that are missing come with the admission.
  bed.Patch(path, StrCat(R"({"spec":{"tasks":[)", JobBed::TaskText("worker", 3), "]}}"));
  bed.Settle();
  CHECK(bed.Pods().size() == 2);
  bed.SetGroup("train", "Inqueue");
  CHECK(bed.Pods().size() == 3);
}

}  // namespace
}  // namespace bth::test
