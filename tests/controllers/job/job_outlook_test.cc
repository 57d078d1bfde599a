// What a job cannot come to is told, by its state and by an event, until it is mended.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("told: a job that was scaled below its minimum counts the pods that are there",
          "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.RunJob("j", 2, JobBed::TaskText("a", 4, R"("minAvailable":1)"));
  bed.WaitForCounts();
  bed.PatchJob("j", StrCat(R"({"tasks":[)", JobBed::TaskText("a", 1, R"("minAvailable":1)"), "]}"));
  bed.WaitForCounts();
  CHECK(bed.Reason("j") == "InvalidJob");
  CHECK(bed.Count("j", "running") == 4);
  CHECK(bed.Job("j").At({"status", "taskStatusCount", "a", "phase", "Running"}).AsInt() == 4);
  CHECK(bed.Pods().size() == 4);
  bed.PatchJob("j", R"({"minAvailable":1})");
  bed.WaitForCounts();
  CHECK(bed.Pods() == Names{"j-a-0"});
  CHECK(bed.Count("j", "running") == 1);
}

TEST_CASE("told: a policy that cannot be meant holds the job up, and nothing is done by it",
          "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string zero = R"("policies":[{"exitCode":0,"action":"RestartJob"}])";
  SECTION("from its creation on") {
    bed.CreateJob("j", 1, JobBed::TaskText("a", 1), zero);
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Names(JobBed::kGroups).empty());
  }
  SECTION("by an edit") {
    bed.RunJob("j", 1, JobBed::TaskText("a", 1));
    bed.PatchJob("j", "{" + zero + "}");
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Pods() == Names{"j-a-0"});
  }
  CHECK(bed.Count("j", "retryCount") == 0);
  CHECK(bed.Reason("j") == "InvalidJob");
  CHECK(
      absl::StartsWith(bed.Message("j"), "spec.policies[0].exitCode: 0 is not a valid error code"));
  CHECK(bed.Told("j", "Warning InvalidJob") == 1);
  bed.PatchJob("j", R"({"policies":[]})");
  CHECK(bed.Reason("j").empty());
}

TEST_CASE("told: a job whose pods never end", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string endless =
      R"({"name":"b","replicas":2,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}})";
  const std::string tasks = JobBed::TaskText("a", 1) + "," + endless;
  SECTION("and nothing ends it") {
    bed.RunJob("j", 3, tasks + "}",
               R"("minSuccess":2,"policies":[{"event":"PodEvicted","action":"RestartJob"}])");
    CHECK(bed.Reason("j") == "NeverCompletes");
    CHECK(bed.Message("j") ==
          "task b: restartPolicy is Always (the default), so its pods never end and the job is "
          "never Completed: add a policy that ends the job, or delete it and create it anew with "
          "Never or OnFailure in the template");
    CHECK(bed.Told("j", "Warning NeverCompletes") == 1);
    bed.Restart();
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    CHECK(bed.Told("j", "Warning NeverCompletes") == 1);
    return;
  }
  SECTION("but a policy of the job may") {
    bed.RunJob("j", 3, tasks + "}", R"("policies":[{"event":"*","action":"AbortJob"}])");
  }
  SECTION("but a policy of a task may") {
    bed.RunJob("j", 3, tasks + R"(,"policies":[{"event":"TaskFailed","action":"TerminateJob"}]})");
  }
  SECTION("but others are enough for minSuccess") {
    bed.RunJob("j", 3, tasks + "}", R"("minSuccess":1)");
  }
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j").empty());
}

TEST_CASE("told: a job that ran and waits again says what its group says", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1));
  const auto set = [&bed](const std::string& conditions) {
    bed.Patch(StrCat(JobBed::kGroups, "/", bed.GroupOf("j")),
              StrCat(R"({"status":{"phase":"Inqueue","conditions":[)", conditions, "]}}"));
    bed.Settle();
  };
  const auto condition = [](const char* type, const char* status, const char* message) {
    return StrCat(R"({"type":")", type, R"(","status":")", status, R"(","message":")", message,
                  R"(","lastTransitionTime":"2026-01-01T00:00:00Z"})");
  };
  const std::string said = "Warning PodGroupPending PodGroup default:j unschedulable, reason: ";
  set("");
  for (int i = 0; i < 2; ++i) {
    set(condition("Unschedulable", "True", "no room"));
    CHECK(bed.Told("j", said + "no room") == 1);
    // It is looked at again when it has a place and loses that, not for other words.
    set(condition("Unschedulable", "True", "less room"));
    CHECK(bed.Told("j", said) == 1);
    set(condition("Unschedulable", "False", ""));
  }
}

TEST_CASE("told: a gang with tasks that are made only when it runs", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string later = JobBed::TaskText("b", 2, R"("dependsOn":{"name":["a"]})");
  SECTION("out of reach") {
    bed.CreateJob("j", 3, JobBed::TaskText("a", 1) + "," + later);
    CHECK(bed.Reason("j") == "GangOutOfReach");
    CHECK(bed.Message("j") ==
          "minAvailable is 3, and only the 1 pods of tasks without dependsOn are made before the "
          "gang has its place: set minAvailable to at most 1, or leave it out");
    CHECK(bed.Told("j", "Warning GangOutOfReach") == 1);
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    bed.PatchJob("j", R"({"minAvailable":1})");
  }
  SECTION("enough pods, but not of each task") {
    bed.CreateJob("j", 3, JobBed::TaskText("a", 4, R"("minAvailable":1)") + "," + later);
    CHECK(bed.Reason("j") == "GangOutOfReach");
    CHECK(bed.Message("j") ==
          "minAvailable is 3, which asks for the minimum of each task, and the pods of task b are "
          "made only when the gang has its place: set minAvailable to at most 2");
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    bed.PatchJob("j", R"({"minAvailable":2})");
  }
  SECTION("within reach") {
    bed.CreateJob("j", 1, JobBed::TaskText("a", 1) + "," + later);
  }
  SECTION("nobody is waited for") {
    bed.CreateJob("j", 3, JobBed::TaskText("a", 1, R"("minAvailable":0)") + "," + later);
  }
  CHECK(bed.Reason("j").empty());
}

TEST_CASE("told: a task that waits for one that has failed", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string iteration = GENERATE("all", "any");
  const std::string later = JobBed::TaskText(
      "c", 1, StrCat(R"("dependsOn":{"name":["a","b"],"iteration":")", iteration, R"("})"));
  bed.RunJob("j", 1,
             JobBed::TaskText("a", 2, R"("minAvailable":1)") + "," + JobBed::TaskText("b", 1) +
                 "," + later);
  CHECK(bed.Reason("j").empty());
  bed.Restart();
  if (iteration == "any") return;  // Both are ready.
  bed.SetPodPhase("j-b-0", "Failed");
  bed.Call("DELETE", JobBed::PodPath("j-c-0"));
  bed.Settle();
  CHECK(bed.Reason("j") == "DependencyFailed");
  CHECK(bed.Message("j") ==
        "task c waits for task b, which needs 1 ready pods, and 1 of its 1 failed: pod j-b-0 "
        "failed; restart or end the job, or mend that and create it anew");
  CHECK(bed.Told("j", "Warning DependencyFailed") == 1);
  CHECK(bed.IsQuiet(absl::Minutes(20)));
}

TEST_CASE("told: a task that lost a pod, and has others, when the one that it waits for had failed",
          "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1,
             JobBed::TaskText("a", 2, R"("minAvailable":2)") + "," +
                 JobBed::TaskText("b", 2, R"("dependsOn":{"name":["a"]})"));
  bed.SetPods("Running");
  REQUIRE(bed.Pods() == Names{"j-a-0", "j-a-1", "j-b-0", "j-b-1"});
  bed.SetPodPhase("j-a-0", "Failed");
  bed.SetPodPhase("j-a-1", "Failed");
  bed.SetPodPhase("j-b-0", "Succeeded");
  bed.WaitForCounts();
  CHECK(bed.Reason("j").empty());  // Nobody waits.
  bed.Call("DELETE", JobBed::PodPath("j-b-1"));
  bed.Wait(absl::Minutes(1));
  REQUIRE(bed.Pods() == Names{"j-a-0", "j-a-1", "j-b-0"});
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j") == "DependencyFailed");
  CHECK(bed.Message("j") ==
        "task b lacks pods and waits for task a, which needs 2 ready pods, and 2 of its 2 failed: "
        "pod j-a-0 failed; restart or end the job, or mend that and create it anew");
  CHECK(bed.IsQuiet(absl::Minutes(20)));
}

TEST_CASE("told: of several forerunners all must have failed where one would do",
          "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string later =
      JobBed::TaskText("c", 1, R"("dependsOn":{"name":["a","b"],"iteration":"any"})");
  bed.CreateJob("j", 1,
                JobBed::TaskText("a", 2, R"("minAvailable":1)") + "," + JobBed::TaskText("b", 1) +
                    "," + later);
  bed.SetGroup("j", "Inqueue");
  bed.SetPodPhase("j-b-0", "Failed");
  bed.SetPodPhase("j-a-0", "Failed");
  bed.WaitForCounts();
  CHECK(bed.Reason("j").empty());
  bed.SetPodPhase("j-a-1", "Failed");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j") == "DependencyFailed");
  CHECK(absl::StartsWith(bed.Message("j"), "task c waits for task a, which needs 1 ready pods"));
}

}  // namespace
}  // namespace bth::test
