// Policies, commands and restarts of the Job controller, on the API.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Annotation(JobBed& bed, const std::string& pod, const std::string& key) {
  return std::string(bed.Get(JobBed::PodPath(pod)).At({"metadata", "annotations", key}).AsString());
}

TEST_CASE("job controller: without policies a failed pod fails the job in the end",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 2, JobBed::TaskText("t", 2));
  bed.SetPodPhase("j-t-0", "Failed");
  CHECK(bed.Phase("j") == "Running");
  bed.WaitForCounts();
  CHECK(bed.Count("j", "failed") == 1);
  bed.SetPodPhase("j-t-1", "Succeeded");
  CHECK(bed.Phase("j") == "Failed");
  CHECK(bed.Conditions("j") == Names{"Pending", "Running", "Failed"});
}

TEST_CASE("job controller: RestartJob starts everything anew until the retries are used up",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 2, JobBed::TaskText("t", 2),
             R"("maxRetry":3,"policies":[{"event":"PodFailed","action":"RestartJob"}])");
  for (int retry = 1; retry <= 2; ++retry) {
    const std::string uid(bed.Get(JobBed::PodPath("j-t-1")).At({"metadata", "uid"}).AsString());
    bed.SetPodPhase("j-t-0", "Failed");
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Count("j", "retryCount") == retry);
    CHECK(bed.Count("j", "version") == retry);
    CHECK(bed.Conditions("j") == Names{"Running", "Restarting", "Pending"});
    CHECK(Has(bed.Events("j"),
              "Normal ExecuteAction Start to execute action RestartJob by "
              "spec.policies[0]: pod j-t-0 failed"));
    CHECK(bed.Pods().empty());
    bed.SetGroup("j", "Inqueue");
    REQUIRE(bed.Pods() == Names{"j-t-0", "j-t-1"});
    CHECK(Annotation(bed, "j-t-1", "volcano.sh/job-version") == std::to_string(retry));
    CHECK(Annotation(bed, "j-t-1", "volcano.sh/job-retry-count") == std::to_string(retry));
    CHECK(bed.Get(JobBed::PodPath("j-t-1")).At({"metadata", "uid"}).AsString() != uid);
    bed.SetPods("Running");
    CHECK(bed.Phase("j") == "Running");
  }
  bed.SetPodPhase("j-t-1", "Failed");
  CHECK(bed.Phase("j") == "Failed");
  CHECK(bed.Count("j", "retryCount") == 3);
  // The last retry keeps pods that have ended.
  CHECK(bed.Pods() == Names{"j-t-1"});
}

TEST_CASE("job controller: exit codes, evictions and completed tasks act", "[controllers][job]") {
  struct Case {
    std::string policy, pod_status, phase;
    bool is_deleted;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"exitCode":137,"action":"TerminateJob"})",
       R"({"phase":"Failed","containerStatuses":[{"name":"c","image":"i","imageID":"i","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":137}}}]})",
       "Terminated", false},
      {R"({"exitCode":1,"action":"TerminateJob"})",
       R"({"phase":"Failed","containerStatuses":[{"name":"c","image":"i","imageID":"i","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":137}}}]})",
       "Running", false},
      {R"({"event":"PodFailed","action":"AbortJob"})", R"({"phase":"Failed"})", "Aborted", false},
      {R"({"event":"PodFailed","action":"CompleteJob"})", R"({"phase":"Failed"})", "Completed",
       false},
      {R"({"event":"TaskCompleted","action":"CompleteJob"})", R"({"phase":"Succeeded"})",
       "Completed", false},
      {R"({"event":"PodEvicted","action":"TerminateJob"})", "", "Terminated", true},
      {R"({"event":"*","action":"TerminateJob"})", "", "Terminated", true},
      {R"({"event":"PodFailed","action":"TerminateJob"})", "", "Running", true},
      {R"({"event":"TaskFailed","action":"AbortJob"})",
       R"({"phase":"Running","containerStatuses":[{"name":"c","image":"i","imageID":"i","ready":true,"restartCount":3,"state":{"running":{}}}]})",
       "Aborted", false},
  }));
  CAPTURE(c.policy);
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1) + "," + JobBed::TaskText("b", 2),
             StrCat(R"("policies":[)", c.policy, "]"));
  REQUIRE(bed.Phase("j") == "Running");
  if (c.is_deleted) {
    bed.Call("DELETE", JobBed::PodPath("j-a-0"));
    bed.Settle();
  } else {
    bed.SetPod("j-a-0", c.pod_status);
  }
  CHECK(bed.Phase("j") == c.phase);
  if (c.phase == "Running") {
    CHECK(bed.Pods() == Names{"j-a-0", "j-b-0", "j-b-1"});
  } else {
    // What had ended by itself stays.
    CHECK(bed.Pods() ==
          (absl::StrContains(c.pod_status, "Running") || c.is_deleted ? Names{} : Names{"j-a-0"}));
    CHECK(bed.Names(JobBed::kGroups).empty());
  }
}

TEST_CASE("job controller: task, pod and partition restarts leave the others alone",
          "[controllers][job]") {
  struct Case {
    std::string action;
    Names restarted;
  };
  const Case c = GENERATE(values<Case>({
      {"RestartPod", {"j-a-0"}},
      {"RestartPartition", {"j-a-0", "j-a-1"}},
      {"RestartTask", {"j-a-0", "j-a-1", "j-a-2", "j-a-3"}},
  }));
  CAPTURE(c.action);
  JobBed bed;
  bed.StartJobs();
  bed.RunJob(
      "j", 5,
      JobBed::TaskText("a", 4, R"("partitionPolicy":{"totalPartitions":2,"partitionSize":2})") +
          "," + JobBed::TaskText("b", 1),
      StrCat(R"("policies":[{"event":"PodFailed","action":")", c.action, R"("}])"));
  std::map<std::string, std::string> uids;
  for (const std::string& pod : bed.Pods()) {
    uids[pod] = bed.Get(JobBed::PodPath(pod)).At({"metadata", "uid"}).AsString();
  }
  REQUIRE(uids.size() == 5);
  const std::string group = bed.GroupOf("j");
  bed.SetPodPhase("j-a-0", "Failed");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Count("j", "version") == 0);
  CHECK(bed.Names(JobBed::kGroups) == Names{group});
  Names restarted;
  for (const std::string& pod : bed.Pods()) {
    if (bed.Get(JobBed::PodPath(pod)).At({"metadata", "uid"}).AsString() != uids[pod]) {
      restarted.push_back(pod);
    }
  }
  CHECK(restarted == c.restarted);
  CHECK(bed.Phase("j") == "Pending");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job controller: commands abort, resume, restart and complete", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 2, JobBed::TaskText("t", 2));
  bed.Command("c1", "j", "AbortJob");
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.Pods().empty());
  CHECK(bed.Names(JobBed::kGroups).empty());
  CHECK(bed.Names(JobBed::kCommands).empty());
  CHECK(Has(bed.Events("j"),
            "Normal CommandIssued Start to execute command AbortJob, and clean it up to make sure "
            "executed not more than once."));
  bed.Wait(absl::Minutes(10));
  CHECK(bed.Phase("j") == "Aborted");

  bed.Command("c2", "j", "ResumeJob");
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "retryCount") == 1);
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Conditions("j") == Names{"Aborting", "Aborted", "Restarting", "Pending", "Running"});

  bed.Command("c3", "j", "CompleteJob");
  CHECK(bed.Phase("j") == "Completed");
  bed.Command("c4", "j", "ResumeJob");
  CHECK(bed.Phase("j") == "Completed");
}

TEST_CASE("job controller: what had ended before a suspended job is resumed stays",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 4, JobBed::TaskText("t", 4),
             R"("maxRetry":9,"policies":[{"event":"PodEvicted","action":"RestartPod"}])");
  bed.SetPodPhase("j-t-0", "Succeeded");
  bed.SetPodPhase("j-t-1", "Failed");
  const auto uids = [&bed] { return Names{bed.PodUid("j-t-0"), bed.PodUid("j-t-1")}; };
  const Names ended = uids();
  bed.Command("c1", "j", "AbortJob");
  CHECK(bed.Pods() == Names{"j-t-0", "j-t-1"});
  bed.Command("c2", "j", "ResumeJob");
  CHECK(bed.Phase("j") == "Pending");
  bed.SetGroup("j", "Inqueue");
  REQUIRE(bed.Pods() == Names{"j-t-0", "j-t-1", "j-t-2", "j-t-3"});
  CHECK(uids() == ended);
  bed.SetPodPhase("j-t-2", "Running");
  bed.SetPodPhase("j-t-3", "Running");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Count("j", "retryCount") == 1);

  // They are not taken for what a restart has left, be it of others or after theirs was counted.
  const std::string other = bed.PodUid("j-t-3");
  bed.Call("DELETE", JobBed::PodPath("j-t-2"));
  bed.Settle();
  CHECK(bed.Count("j", "retryCount") == 2);
  CHECK(uids() == ended);
  CHECK(bed.PodUid("j-t-3") == other);
  bed.Restart();
  CHECK(uids() == ended);

  // A restart of all begins with all.
  bed.Command("c3", "j", "RestartJob");
  CHECK(bed.Pods().empty());
}

TEST_CASE("job controller: commands for others are left to them", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.Create(JobBed::kCommands,
             R"({"metadata":{"name":"q"},"action":"CloseQueue","target":{"apiVersion":)"
             R"("scheduling.volcano.sh/v1beta1","kind":"Queue","name":"default","uid":"u"}})");
  bed.Settle();
  CHECK(bed.Names(JobBed::kCommands) == Names{"q"});
}

TEST_CASE("job controller: a pod that stays pending triggers its policy in time",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 2, JobBed::TaskText("t", 2),
                R"("policies":[{"event":"PodPending","action":"AbortJob","timeout":"1h"}])");
  bed.SetGroup("j", "Inqueue");
  bed.SetPodPhase("j-t-0", "Running");
  CHECK(Has(bed.Events("j"),
            "Normal ExecuteAction Execute action AbortJob after 1h0m0s by "
            "spec.policies[0]: pod j-t-0 is pending"));
  bed.Wait(absl::Minutes(59));
  CHECK(bed.Phase("j") == "Pending");
  SECTION("it is aborted") {
    bed.Wait(absl::Minutes(2));
    CHECK(bed.Phase("j") == "Aborted");
  }
  SECTION("it is aborted although it was told to go on as it does") {
    bed.Command("c", "j", "ResumeJob");
    CHECK(bed.Phase("j") == "Pending");
    bed.Wait(absl::Minutes(2));
    CHECK(bed.Phase("j") == "Aborted");
  }
  SECTION("unless the pod runs by then") {
    bed.SetPodPhase("j-t-1", "Running");
    bed.Wait(absl::Hours(2));
    CHECK(bed.Phase("j") == "Running");
  }
  SECTION("unless the pod has ended by then") {
    bed.SetPodPhase("j-t-1", "Succeeded");
    bed.Wait(absl::Hours(2));
    CHECK(bed.Phase("j") == "Running");
  }
  SECTION("a restart of the controllers arms running pods no more") {
    bed.SetPodPhase("j-t-1", "Running");
    bed.Restart();
    bed.Wait(absl::Hours(2));
    CHECK(bed.Phase("j") == "Running");
  }
}

TEST_CASE("job controller: a pod made anew while its predecessor's time ran has a time of its own",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1),
                R"("policies":[{"event":"PodPending","action":"RestartPod","timeout":"1h"}])");
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Minutes(30));
  bed.Command("c", "j", "RestartJob");
  bed.FinishDeletions();
  bed.SetGroup("j", "Inqueue");
  const auto uid = [&bed] { return bed.PodUid("j-t-0"); };
  const std::string made_anew = uid();
  REQUIRE_FALSE(made_anew.empty());
  bed.Wait(absl::Minutes(59));
  CHECK(uid() == made_anew);
  bed.Wait(absl::Minutes(2));
  bed.FinishDeletions();
  CHECK(uid() != made_anew);
}

TEST_CASE("job controller: a pod that ends before anybody saw it run has its action in time",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1),
                R"("policies":[{"event":"*","action":"RestartPod","timeout":"70s"}])");
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Seconds(30));
  const auto uid = [&bed] { return bed.PodUid("j-a-0"); };
  const std::string first = uid();
  REQUIRE_FALSE(first.empty());
  bed.SetPods("Succeeded");
  bed.Wait(absl::Seconds(69));
  CHECK(uid() == first);
  bed.Wait(absl::Seconds(2));
  bed.FinishDeletions();
  bed.WaitForCounts();
  CHECK(uid() != first);
  CHECK(bed.Count("j", "pending") == 1);
}

TEST_CASE("job controller: a delayed restart is dropped when the pod is back",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 2),
             R"("policies":[{"event":"PodEvicted","action":"RestartJob","timeout":"30s"}])");
  bed.Call("DELETE", JobBed::PodPath("j-t-0"));
  bed.Settle();
  SECTION("back in time") {
    bed.SetGroup("j", "Running");
    REQUIRE(bed.Pods() == Names{"j-t-0", "j-t-1"});
    bed.SetPodPhase("j-t-0", "Running");
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Count("j", "retryCount") == 0);
  }
  SECTION("not back in time") {
    const bool is_resumed = GENERATE(false, true);
    if (is_resumed) bed.Command("c", "j", "ResumeJob");
    CHECK(bed.Phase("j") == "Running");
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Count("j", "retryCount") == 1);
    CHECK(bed.Phase("j") == "Pending");
  }
}

TEST_CASE("job controller: a group whose job has no pods is not unknown", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1),
                R"("policies":[{"event":"Unknown","action":"RestartJob"}])");
  bed.SetGroup("j", "Unknown");
  CHECK(bed.Count("j", "retryCount") == 0);
  CHECK(bed.Phase("j") == "Pending");
}

TEST_CASE("job controller: an unknown group triggers its policy, in later incarnations as well",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1),
             R"("maxRetry":9,"policies":[{"event":"Unknown","action":"RestartJob"}])");
  for (int retry = 1; retry <= 2; ++retry) {
    bed.SetGroup("j", "Unknown");
    CHECK(bed.Count("j", "retryCount") == retry);
    bed.SetGroup("j", "Inqueue");
    bed.SetPods("Running");
    CHECK(bed.Phase("j") == "Running");
  }
}

TEST_CASE("job controller: scaling creates and deletes pods and triggers no policy",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  const std::string policy = R"("policies":[{"event":"PodEvicted","action":"RestartJob"}])";
  bed.RunJob("j", 1, JobBed::TaskText("t", 2), policy);
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"minAvailable":3,"tasks":[)", JobBed::TaskText("t", 4), "]}}"));
  bed.Settle();
  CHECK(bed.Pods() == Names{"j-t-0", "j-t-1", "j-t-2", "j-t-3"});
  CHECK(bed.Get(StrCat(JobBed::kGroups, "/", bed.GroupOf("j"))).At({"spec", "minMember"}).AsInt() ==
        3);
  bed.SetPods("Running");
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"minAvailable":1,"tasks":[)", JobBed::TaskText("t", 1), "]}}"));
  bed.Settle();
  CHECK(bed.Pods() == Names{"j-t-0"});
  CHECK(bed.Phase("j") == "Running");
  bed.WaitForCounts();
  CHECK(bed.Count("j", "running") == 1);
  CHECK(bed.Count("j", "terminating") == 0);
  CHECK(bed.Count("j", "retryCount") == 0);
}

TEST_CASE("job controller: a template with the mark of pods that are to go makes pods that stay",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1,
                R"({"name":"t","replicas":1,"template":{"metadata":{"annotations":)"
                R"({"volcano.sh/controller-out-of-sync":"true"}},"spec":{"containers":)"
                R"([{"name":"c","image":"i"}],"restartPolicy":"Never"}}})");
  bed.SetGroup("j", "Inqueue");
  const std::string uid = bed.PodUid("j-t-0");
  bed.SetPodPhase("j-t-0", "Running");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.PodUid("j-t-0") == uid);
}

TEST_CASE("job controller: minSuccess completes a job early", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 3, JobBed::TaskText("t", 3), R"("minSuccess":2)");
  bed.SetPodPhase("j-t-0", "Succeeded");
  CHECK(bed.Phase("j") == "Running");
  bed.SetPodPhase("j-t-2", "Succeeded");
  CHECK(bed.Phase("j") == "Completed");
  CHECK(bed.Pods() == Names{"j-t-0", "j-t-2"});
}

TEST_CASE("job controller: tasks start when those they depend on are ready", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1,
                JobBed::TaskText("work", 2, R"("dependsOn":{"name":["ps"]})") + "," +
                    JobBed::TaskText("ps", 1, R"("minAvailable":1)"));
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Pods() == Names{"j-ps-0"});
  bed.SetPodPhase("j-ps-0", "Running");
  CHECK(bed.Pods() == Names{"j-ps-0", "j-work-0", "j-work-1"});
}

TEST_CASE("job controller: pods that take their time to end are counted as terminating",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 2, JobBed::TaskText("t", 2));
  bed.SetGroup("j", "Inqueue");
  bed.Create("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  for (const std::string& pod : bed.Pods()) {
    bed.Create(
        JobBed::PodPath(pod) + "/binding",
        StrCat(R"({"metadata":{"name":")", pod, R"("},"target":{"kind":"Node","name":"n1"}})"));
  }
  bed.SetPods("Running");
  bed.Command("c", "j", "AbortJob");
  CHECK(bed.Phase("j") == "Aborting");
  CHECK(bed.Count("j", "terminating") == 2);
  CHECK(bed.Count("j", "running") == 0);
  CHECK(Annotation(bed, "j-t-0", "volcano.sh/controller-out-of-sync") == "true");
  bed.FinishDeletions();
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.Count("j", "terminating") == 0);
}

TEST_CASE("job controller: no pod starts anew while one of the last incarnation is ending",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 2, JobBed::TaskText("t", 2),
             R"("maxRetry":3,"policies":[{"event":"PodFailed","action":"RestartJob"}])");
  // This one has a kubelet, which ends it in its own time.
  bed.Create("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  bed.Create(JobBed::PodPath("j-t-0") + "/binding",
             R"({"metadata":{"name":"j-t-0"},"target":{"kind":"Node","name":"n1"}})");
  bed.SetPodPhase("j-t-1", "Failed");
  CHECK(bed.Phase("j") == "Restarting");
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Pods() == Names{"j-t-0"});
  CHECK(bed.Count("j", "version") == 1);
  bed.FinishDeletions();
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Pods() == Names{"j-t-0", "j-t-1"});
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Count("j", "version") == 1);
}

// Deleted in the background, its group goes after its pods.
TEST_CASE("job controller: the group of an earlier job of the name triggers nothing",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  const std::string policy = R"("policies":[{"event":"Unknown","action":"AbortJob"}])";
  bed.RunJob("j", 1, JobBed::TaskText("t", 1), policy);
  const std::string old = bed.GroupOf("j");
  bed.Patch(StrCat(JobBed::kGroups, "/", old), R"({"metadata":{"finalizers":["x.io/held"]}})");
  bed.Call("DELETE", StrCat(JobBed::kJobs, "/j"));
  bed.Settle();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1), policy);
  REQUIRE(bed.Phase("j") == "Running");
  bed.Patch(StrCat(JobBed::kGroups, "/", old), R"({"status":{"phase":"Unknown"}})");
  bed.Settle();
  CHECK(bed.Phase("j") == "Running");
  bed.SetGroup("j", "Unknown");
  CHECK(bed.Phase("j") != "Running");
}

}  // namespace
}  // namespace bth::test
