// The Job controller with the real plugins: their objects live and die with the pods.
#include "tests/controllers/job/plugin_bed.h"

namespace bth::test {
namespace {

struct RunningBed : PluginBed {
  RunningBed() {
    RunJob("j", 2, TaskText("t", 2),
           StrCat(kPlugins, R"(,"policies":[{"event":"PodFailed","action":"RestartPod"}])"));
  }
};

TEST_CASE("job objects: those of svc and ssh go when the job stops, and come back",
          "[controllers][job]") {
  RunningBed bed;
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.ObjectsExist());
  CHECK(bed.Records(PluginBed::kAll));
  const types::Json pod = bed.Get(JobBed::PodPath("j-t-1"));
  CHECK(pod.At({"spec", "subdomain"}).AsString() == "j");
  CHECK_FALSE(pod.At({"spec", "containers"})[size_t{0}]["env"].empty());

  bed.Command("c1", "j", "AbortJob");
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.ObjectsAreGone());
  bed.Command("c2", "j", "ResumeJob");
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.ObjectsExist());
  CHECK(bed.Records(PluginBed::kAll));
}

TEST_CASE("job objects: the restart of one pod leaves them to the others", "[controllers][job]") {
  RunningBed bed;
  const types::Json before = bed.Get(PluginBed::Object("secrets/j-ssh"));
  bed.SetPodPhase("j-t-0", "Failed");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.ObjectsExist());
  CHECK(bed.Get(PluginBed::Object("secrets/j-ssh"))["metadata"] == before["metadata"]);
}

TEST_CASE("job objects: they go when the job completes", "[controllers][job]") {
  RunningBed bed;
  bed.SetPods("Succeeded");
  CHECK(bed.Phase("j") == "Completed");
  CHECK(bed.ObjectsAreGone());
}

TEST_CASE("job objects: a job scaled while it waits tells its pods of all hosts",
          "[controllers][job]") {
  PluginBed bed;
  bed.CreateJob("j", 1, JobBed::TaskText("t", 2), PluginBed::kPlugins);
  const bool is_while_nobody_looks = GENERATE(false, true);
  CAPTURE(is_while_nobody_looks);
  if (is_while_nobody_looks) bed.Kill();
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"tasks":[)", JobBed::TaskText("t", 3), "]}}"));
  if (is_while_nobody_looks) bed.StartJobs();
  bed.Settle();
  CHECK(bed.Phase("j") == "Pending");
  const types::Json map = bed.Get(PluginBed::Object("configmaps/j-svc"));
  CHECK(map.At({"data", "VC_T_HOSTS"}).AsString() == "j-t-0.j,j-t-1.j,j-t-2.j");
}

}  // namespace
}  // namespace bth::test
