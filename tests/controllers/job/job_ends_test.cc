// Why a job has ended, restarts or stops: which pods, how, and by which policy.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

const std::string kEnded3 =
    R"({"phase":"Failed","containerStatuses":[{"name":"main","image":"i","imageID":"i",)"
    R"("ready":false,"restartCount":0,"state":{"terminated":{"exitCode":3,"reason":"Error"}}}]})";

TEST_CASE("told: since when a job is in its phase, whatever its counts", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 3));
  const auto since = [&bed] {
    const types::Json status = bed.Job("j")["status"];
    const types::Json& conditions = status["conditions"];
    const types::Json& last = conditions[conditions.size() - 1];
    CHECK(last["status"].AsString() == status.At({"state", "phase"}).AsString());
    CHECK(last["lastTransitionTime"] == status.At({"state", "lastTransitionTime"}));
    return std::string(last["lastTransitionTime"].AsString());
  };
  const std::string running = since();
  bed.Wait(absl::Minutes(1));
  bed.SetPodPhase("j-a-0", "Succeeded");
  bed.WaitForCounts();
  CHECK(bed.Count("j", "succeeded") == 1);
  CHECK(since() == running);
  bed.SetPodPhase("j-a-1", "Succeeded");
  bed.SetPodPhase("j-a-2", "Succeeded");
  CHECK(bed.Phase("j") == "Completed");
  CHECK(since() > running);
}

TEST_CASE("told: which pods failed a job, and how", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const auto fail = [&bed](const std::string& pod) { bed.SetPod(pod, kEnded3); };
  const std::string how = " failed: container main ended with exit code 3 (Error)";
  SECTION("too many for its minimum") {
    bed.RunJob("j", 2, JobBed::TaskText("a", 2));
    bed.SetPodPhase("j-a-0", "Succeeded");
    fail("j-a-1");
    CHECK(bed.Phase("j") == "Failed");
    CHECK(bed.Reason("j") == "PodsFailed");
    CHECK(bed.Message("j") ==
          "1 of 2 pods failed, 1 succeeded, and minAvailable of task a is 2: pod j-a-1" + how);
  }
  SECTION("more than are shown") {
    bed.RunJob("j", 1, JobBed::TaskText("a", 5, R"("minAvailable":1)"));
    for (const std::string& pod : bed.Pods()) fail(pod);
    CHECK(bed.Message("j") ==
          StrCat("5 of 5 pods failed, 0 succeeded, and minAvailable of task a is 1: pod "
                 "j-a-0",
                 how, "; pod j-a-1", how, "; pod j-a-2", how, "; and 2 more"));
  }
  SECTION("the kubelet says why") {
    bed.RunJob("j", 1, JobBed::TaskText("a", 1));
    bed.SetPod("j-a-0", R"({"phase":"Failed","reason":"DeadlineExceeded"})");
    CHECK(absl::EndsWith(bed.Message("j"), ": pod j-a-0 failed: DeadlineExceeded"));
  }
  SECTION("none, but they were too few") {
    bed.RunJob("j", 1, JobBed::TaskText("a", 2, R"("minAvailable":1)"), R"("minSuccess":3)");
    bed.SetPods("Succeeded");
    CHECK(bed.Reason("j") == "TooFewSucceeded");
    CHECK(bed.Message("j") == "0 of 2 pods failed, 2 succeeded, and minSuccess is 3");
  }
  CHECK(bed.Phase("j") == "Failed");
  CHECK(bed.Told("j", StrCat("Warning ", bed.Reason("j"), " ", bed.Message("j"))) == 1);
  bed.Restart();
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  CHECK_FALSE(bed.Reason("j").empty());
}

TEST_CASE("told: which policy acts, and because of what", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string abort = R"("policies":[{"exitCode":4,"action":"RestartJob"},{"exitCode":3,)"
                            R"("action":"AbortJob"}])";
  const std::string because = "pod j-b-0 failed: container main ended with exit code 3 (Error)";
  SECTION("of a task") {
    bed.RunJob("j", 2, JobBed::TaskText("a", 1) + "," + JobBed::TaskText("b", 1, abort));
    bed.SetPod("j-b-0", kEnded3);
    CHECK(bed.Told("j",
                   "Normal ExecuteAction Start to execute action AbortJob by "
                   "spec.tasks[1].policies[1]: " +
                       because) == 1);
    bed.FinishDeletions();
    CHECK(bed.Phase("j") == "Aborted");
    CHECK(bed.Reason("j") == "PodFailed");
    CHECK(bed.Message("j") == "AbortJob by spec.tasks[1].policies[1]: " + because);
    CHECK(bed.Told("j", "Warning") == 0);
    // What begins anew is in good health.
    bed.Command("c", "j", "ResumeJob");
    CHECK(bed.Reason("j").empty());
  }
  SECTION("of a job, after its timeout") {
    bed.RunJob("j", 1, JobBed::TaskText("b", 1),
               R"("policies":[{"event":"PodEvicted","action":"TerminateJob","timeout":"1m"}])");
    bed.Call("DELETE", JobBed::PodPath("j-b-0"));
    bed.Settle();
    const std::string why = "by spec.policies[0]: pod j-b-0 was deleted or evicted";
    CHECK(bed.Told("j", "Normal ExecuteAction Execute action TerminateJob after 1m0s " + why) == 1);
    CHECK(bed.Reason("j").empty());
    bed.Wait(absl::Minutes(2));
    bed.FinishDeletions();
    CHECK(bed.Phase("j") == "Terminated");
    CHECK(bed.Reason("j") == "PodEvicted");
    CHECK(bed.Message("j") == "TerminateJob " + why);
  }
  SECTION("whose pods could not be deleted at once") {
    int refused = 0;
    bed.line->script = [&refused](const net::Request& request) -> std::optional<Fault> {
      if (request.method != "PATCH" || !absl::StrContains(request.target, "/pods/j-a-0")) {
        return std::nullopt;
      }
      if (++refused > 2) return std::nullopt;
      Fault fault;
      fault.code = 503;
      fault.reason = "ServiceUnavailable";
      return fault;
    };
    bed.RunJob("j", 2, JobBed::TaskText("a", 1) + "," + JobBed::TaskText("b", 1, abort));
    refused = 0;
    bed.SetPod("j-b-0", kEnded3);
    bed.Wait(absl::Minutes(1));
    bed.line->script = nullptr;
    CHECK(refused > 0);
    CHECK(bed.Message("j") == "AbortJob by spec.tasks[1].policies[1]: " + because);
  }
}

}  // namespace
}  // namespace bth::test
