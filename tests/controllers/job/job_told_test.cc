// Jobs that go wrong say so: in their state and by an event, once, until it is mended.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("told: a queue that is deleted, until it is back", "[controllers][job]") {
  ToldBed bed;
  bed.MakeQueue("q");
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), R"("queue":"q")");
  bed.CreateJob("other", 1, JobBed::TaskText("a", 1));
  const std::string queue = StrCat(JobBed::kQueues, "/q");
  bed.Call("DELETE", queue);
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Reason("j") == "QueueNotFound");
  CHECK(bed.Message("j") ==
        "queue q does not exist: create it, or delete the job and create it in another one");
  CHECK(bed.Told("j", "Warning QueueNotFound queue q does not exist") == 1);
  CHECK(bed.Reason("other").empty());
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  SECTION("it stays gone over a restart") {
    bed.Restart();
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Told("j", "Warning QueueNotFound") == 1);
  }
  bed.MakeQueue("q");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Message("j").empty());
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  SECTION("and goes once more while the job runs") {
    bed.Call("DELETE", queue);
    bed.Wait(absl::Seconds(2));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Reason("j") == "QueueNotFound");
    bed.SetPods("Succeeded");
    CHECK(bed.Phase("j") == "Completed");
    CHECK(bed.Reason("j").empty());
  }
  SECTION("and goes and comes at once") {
    bed.Call("DELETE", queue);
    bed.MakeQueue("q");
    bed.Wait(absl::Seconds(2));
    CHECK(bed.Reason("j").empty());
    CHECK(bed.Told("j", "Warning QueueNotFound") == 1);
  }
}

TEST_CASE("told: pods that are evicted, once per burst", "[controllers][job]") {
  constexpr const char* kPreempted =
      R"({"conditions":[{"type":"DisruptionTarget","status":"True",)"
      R"("reason":"PreemptionByScheduler","message":"preempt, for PodGroup default/urgent"}]})";
  ToldBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 4));
  bed.RunJob("other", 1, JobBed::TaskText("a", 1));
  bed.SetPod("j-a-0", kPreempted);
  bed.SetPod("j-a-1", kPreempted);
  // The server marks what it evicts as well: the same eviction.
  bed.SetPod("j-a-1", R"({"conditions":[{"type":"DisruptionTarget","status":"True",)"
                      R"("reason":"EvictionByEvictionAPI","message":"Eviction API: evicting"}]})");
  bed.SetPod("j-a-2", R"({"conditions":[{"type":"DisruptionTarget","status":"True",)"
                      R"("reason":"DeletionByTaintManager","message":"t"}]})");
  bed.SetPod("j-a-3", R"({"conditions":[{"type":"DisruptionTarget","status":"False",)"
                      R"("reason":"EvictionRefused","message":"the pod may not be evicted"}]})");
  CHECK(bed.Told("j", "Warning Evict") == 0);
  bed.Wait(absl::Seconds(3));
  const std::string text =
      "Warning Evict 1 pod evicted: DeletionByTaintManager: t; 2 pods evicted: "
      "PreemptionByScheduler: preempt, for PodGroup default/urgent";
  CHECK(bed.Told("j", text) == 1);
  CHECK(bed.Told("j", "Warning Evict") == 1);
  CHECK(bed.Told("other", "Warning Evict") == 0);
  SECTION("not again after a restart") {
    bed.Restart();
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Told("j", "Warning Evict") == 1);
  }
  SECTION("and of the next burst") {
    bed.SetPod("j-a-3", kPreempted);
    bed.Wait(absl::Seconds(3));
    CHECK(bed.Told("j", "Warning Evict 1 pod evicted: PreemptionByScheduler") == 1);
  }
  SECTION("but not of a pod that a budget protects") {
    bed.SetPod("j-a-3", kPreempted);
    bed.SetPod("j-a-3", R"({"conditions":[{"type":"DisruptionTarget","status":"False"}]})");
    bed.Wait(absl::Seconds(3));
    CHECK(bed.Told("j", "Warning Evict") == 1);
  }
  SECTION("but not of a job that goes") {
    bed.SetPod("j-a-3", kPreempted);
    bed.Call("DELETE", StrCat(JobBed::kJobs, "/j"));
    bed.Wait(absl::Seconds(3));
    CHECK(bed.Told("j", "Warning Evict") == 1);
  }
}

TEST_CASE("told: a job that nobody can read", "[controllers][job]") {
  ToldBed bed;
  bed.AcceptAnyTemplate();
  bed.StartJobs();
  bed.CreateJob("j", 1, ToldBed::BadTask("10mm"));
  bed.CreateJob("good", 1, JobBed::TaskText("a", 1));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Reason("j") == "InvalidJob");
  CHECK(absl::StrContains(bed.Message("j"),
                          "spec.tasks[0].template.spec.containers[0].resources.requests.cpu: "
                          "quantity \"10mm\""));
  CHECK(absl::EndsWith(bed.Message("j"), ": mend that field"));
  CHECK(bed.Told("j", "Warning InvalidJob the Job cannot be read") == 1);
  CHECK(bed.Phase("good") == "Pending");
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  SECTION("is told once, restart or not") {
    bed.Restart();
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    CHECK(bed.Reason("j") == "InvalidJob");
    CHECK(bed.Told("j", "Warning InvalidJob") == 1);
  }
  SECTION("is told of its next fault") {
    bed.PatchJob("j", StrCat(R"({"tasks":[)", ToldBed::BadTask("7 apples"), "]}"));
    CHECK(absl::StrContains(bed.Message("j"), "7 apples"));
    CHECK(bed.Told("j", "Warning InvalidJob") == 2);
  }
  bed.PatchJob("j", StrCat(R"({"tasks":[)", ToldBed::BadTask("10m"), "]}"));
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Message("j").empty());
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  SECTION("and becomes unreadable once more") {
    bed.PatchJob("j", StrCat(R"({"tasks":[)", ToldBed::BadTask("1Q"), "]}"));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Reason("j") == "InvalidJob");
    CHECK(bed.Pods() == Names{"j-a-0"});
    bed.PatchJob("j", StrCat(R"({"tasks":[)", ToldBed::BadTask("10m"), "]}"));
    bed.Wait(absl::Minutes(1));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Reason("j").empty());
  }
}

TEST_CASE("told: a template with a negative amount, until it is mended", "[controllers][job]") {
  struct Case {
    std::string spec;
    std::string place;
  };
  const Case cases[] = {
      {R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"-1"}}}])",
       "containers[0].resources.requests.cpu: quantity \"-1\""},
      {R"("containers":[{"name":"c","image":"i"},{"name":"d","image":"i","resources":)"
       R"({"limits":{"memory":"-1Gi"}}}])",
       "containers[1].resources.limits.memory: quantity \"-1Gi\""},
      {R"("containers":[{"name":"c","image":"i"}],"initContainers":[{"name":"d","image":"i",)"
       R"("resources":{"requests":{"nvidia.com/gpu":"-2"}}}])",
       "initContainers[0].resources.requests.nvidia.com/gpu: quantity \"-2\""},
      {R"("containers":[{"name":"c","image":"i"}],"overhead":{"cpu":"-1m"})",
       "overhead.cpu: quantity \"-1m\""},
  };
  for (const Case& c : cases) {
    INFO(c.place);
    ToldBed bed;
    bed.AcceptAnyTemplate();
    bed.StartJobs();
    bed.CreateJob("j", 1,
                  StrCat(R"({"name":"a","replicas":1,"template":{"spec":{)", c.spec, "}}}"));
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Reason("j") == "InvalidJob");
    CHECK(bed.Message("j") ==
          StrCat("spec.tasks[0].template.spec.", c.place, " is negative: mend that field"));
    CHECK(bed.Told("j", "Warning InvalidJob spec.tasks[0]") == 1);
    CHECK(bed.Names(JobBed::kGroups).empty());
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    bed.PatchJob("j", StrCat(R"({"tasks":[)", JobBed::TaskText("a", 1), "]}"));
    CHECK(bed.Reason("j").empty());
    CHECK(bed.Names(JobBed::kGroups).size() == 1);
  }
}

TEST_CASE("told: a scheduler that nobody knows, and arguments of plugins", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1),
                R"("schedulerName":"nobody","plugins":{"fake":["-x"]})");
  CHECK(bed.Reason("j") == "PluginArgument");
  bed.Wait(absl::Seconds(31));
  CHECK(bed.Reason("j") == "UnknownScheduler");
  CHECK(bed.Told("j", "Warning UnknownScheduler spec.schedulerName is nobody") == 1);
  CHECK(absl::StrContains(bed.Message("j"), "plugin fake: flag provided but not defined: -x"));
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j") == "PluginArgument");
  CHECK(bed.Told("j", "Warning PluginArgument") == 1);
  bed.PatchJob("j", R"({"plugins":{"fake":[]}})");
  CHECK(bed.Reason("j").empty());
}

TEST_CASE("told: a scheduler that does not answer, in time or at all", "[controllers][job]") {
  constexpr const char* kRefused =
      R"({"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
      R"("message":"no room"}]})";
  constexpr const char* kGated =
      R"({"conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated",)"
      R"("message":"gated"}]})";
  constexpr const char* kNote = "Warning UnknownScheduler spec.schedulerName is other";
  ToldBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), R"("schedulerName":"other")");
  SECTION("it admits the group, and has no room") {
    bed.Patch(StrCat(JobBed::kGroups, "/", bed.GroupOf("j")),
              R"({"status":{"phase":"Pending","conditions":[{"type":"Unschedulable",)"
              R"("status":"True","reason":"NotEnqueued","message":"no room"}]}})");
    bed.Wait(absl::Minutes(10));
    CHECK(bed.Reason("j").empty());
    bed.SetGroup("j", "Inqueue");
    bed.Wait(absl::Seconds(28));
    bed.SetPod("j-a-0", kRefused);
    bed.Wait(absl::Minutes(10));
    CHECK(bed.Reason("j").empty());
    CHECK(bed.Told("j", "Warning UnknownScheduler") == 0);
  }
  SECTION("somebody else admits the group, and nobody takes the pods") {
    bed.SetGroup("j", "Inqueue");
    bed.SetPod("j-a-0", kGated);
    bed.Wait(absl::Seconds(28));
    CHECK(bed.Reason("j").empty());
    bed.Wait(absl::Seconds(3));
    CHECK(bed.Reason("j") == "UnknownScheduler");
    CHECK(bed.Told("j", kNote) == 1);
    // Pods that are made anew have had no answer either.
    bed.Call("DELETE", StrCat(JobBed::PodPath("j-a-0"), "?gracePeriodSeconds=0"));
    bed.Wait(absl::Seconds(1));
    CHECK(bed.Pods() == Names{"j-a-0"});
    CHECK(bed.Reason("j") == "UnknownScheduler");
    bed.Restart();
    CHECK(bed.Reason("j") == "UnknownScheduler");
    CHECK(bed.Told("j", "Warning UnknownScheduler") == 1);
    // It comes in the end.
    bed.SetPod("j-a-0", kRefused);
    CHECK(bed.Reason("j").empty());
    bed.Wait(absl::Minutes(10));
    CHECK(bed.Told("j", "Warning UnknownScheduler") == 1);
  }
  SECTION("a job that runs without those pods") {
    bed.CreateJob("k", 1,
                  StrCat(JobBed::TaskText("a", 1), ",",
                         R"({"name":"b","replicas":1,"template":{"spec":{"schedulerName":"other",)"
                         R"("containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}})"));
    bed.SetGroup("k", "Inqueue");
    bed.SetPodPhase("k-a-0", "Running");
    CHECK(bed.Phase("k") == "Running");
    bed.Wait(absl::Seconds(31));
    CHECK(bed.Reason("k") == "UnknownScheduler");
    CHECK(bed.Told("k", "Warning UnknownScheduler the template of task b: schedulerName") == 1);
    bed.SetPodPhase("k-b-0", "Running");
    CHECK(bed.Reason("k").empty());
  }
}

TEST_CASE("told: pods beyond the minimum that have no place", "[controllers][job]") {
  const auto refused = [](const std::string& why) {
    return StrCat(R"({"conditions":[{"type":"PodScheduled","status":"False",)",
                  R"("reason":"Unschedulable","message":")", why, R"("}]})");
  };
  ToldBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 3));
  bed.SetGroup("j", "Inqueue");
  bed.SetPod("j-a-1", refused("0/2 nodes are unavailable: 2 Insufficient cpu."));
  bed.SetPod("j-a-2", refused("0/2 nodes are unavailable: 2 Insufficient cpu."));
  bed.WaitForCounts();
  CHECK(bed.Reason("j").empty());  // It waits for its minimum: the group tells why.
  bed.SetPodPhase("j-a-0", "Running");
  bed.WaitForCounts();
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j") == "PodsWaiting");
  const std::string text =
      "2 of 3 pods wait for a node: pod j-a-1: 0/2 nodes are unavailable: 2 Insufficient cpu.";
  CHECK(bed.Message("j") == text);
  CHECK(bed.Told("j", StrCat("Warning PodsWaiting ", text)) == 1);
  SECTION("with the same words in other numbers, which are not written") {
    bed.SetPod("j-a-1", refused("0/3 nodes are unavailable: 3 Insufficient cpu."));
    bed.WaitForCounts();
    CHECK(bed.Message("j") == text);
  }
  SECTION("for another reason, which is no further event") {
    bed.SetPod("j-a-1", refused("queue q has no quota left"));
    bed.WaitForCounts();
    CHECK(bed.Message("j") == "2 of 3 pods wait for a node: pod j-a-1: queue q has no quota left");
  }
  SECTION("over a restart") {
    bed.Restart();
    CHECK(bed.IsQuiet(absl::Minutes(20)));
  }
  bed.SetPod("j-a-1", R"({"phase":"Running","conditions":[]})");
  bed.WaitForCounts();
  CHECK(bed.Message("j") ==
        "1 of 3 pods wait for a node: pod j-a-2: 0/2 nodes are unavailable: 2 Insufficient cpu.");
  bed.SetPod("j-a-2", R"({"phase":"Running","conditions":[]})");
  bed.WaitForCounts();
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Message("j").empty());
  CHECK(bed.Told("j", "Warning PodsWaiting") == 1);
}

TEST_CASE("told: a task without a name is called default0", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.Create(JobBed::kJobs,
             R"({"metadata":{"name":"j"},"spec":{"tasks":[{"replicas":2,"template":{"spec":)"
             R"({"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}]}})");
  bed.Settle();
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Reason("j").empty());
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Pods() == Names{"j-default0-0", "j-default0-1"});
  const types::Json pod = bed.Get(JobBed::PodPath("j-default0-0"));
  CHECK(pod.At({"spec", "schedulerName"}).AsString() == "volcano");
  const types::Json group = bed.Get(StrCat(JobBed::kGroups, "/", bed.GroupOf("j")));
  CHECK(group.At({"spec", "minMember"}).AsInt() == 2);
  CHECK(group.At({"spec", "minTaskMember", "default0"}).AsInt() == 2);
  CHECK(group.At({"spec", "queue"}).AsString() == "default");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  // Nothing is written into the spec, and one answer is as good as another.
  CHECK(bed.Job("j").At({"spec", "tasks"})[size_t{0}]["name"].AsString().empty());
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  bed.Restart();
  CHECK(bed.IsQuiet(absl::Minutes(20)));
}

TEST_CASE("told: a job that an edit makes invalid", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  const std::string twice =
      StrCat(R"({"tasks":[)", JobBed::TaskText("a", 1), ",", JobBed::TaskText("a", 1), "]}");
  SECTION("before it runs") {
    bed.CreateJob("j", 0, JobBed::TaskText("a", 1));
    bed.PatchJob("j", twice);
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Reason("j") == "InvalidJob");
  }
  SECTION("while it runs") {
    bed.RunJob("j", 1, JobBed::TaskText("a", 1));
    bed.PatchJob("j", twice);
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Reason("j") == "InvalidJob");
    bed.SetPods("Failed");
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Reason("j") == "InvalidJob");
  }
  SECTION("from its creation on") {
    bed.CreateJob("j", 0, JobBed::TaskText("a", 0) + "," + JobBed::TaskText("a", 0));
    CHECK(bed.Phase("j") == "Pending");
    CHECK(bed.Message("j") == "two tasks have the name a: rename one");
  }
  CHECK(bed.Told("j", "Warning InvalidJob two tasks have the name a") == 1);
  CHECK(bed.IsQuiet(absl::Minutes(20)));
}

TEST_CASE("told: edits that change nothing", "[controllers][job]") {
  ToldBed bed;
  bed.MakeQueue("q");
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1));
  const std::string edit = "Warning EditWithoutEffect ";
  SECTION("an image") {
    bed.PatchJob("j", StrCat(R"({"tasks":[)", ToldBed::BadTask("100m"), "]}"));
    CHECK(bed.Told("j", edit + "job updates may not change fields other than") == 1);
    bed.Restart();
    CHECK(bed.Told("j", edit) == 1);
    CHECK(bed.Reason("j").empty());
  }
  SECTION("the queue") {
    bed.PatchJob("j", R"({"queue":"q"})");
    CHECK(bed.Reason("j") == "QueueNotChanged");
    CHECK(bed.Told("j", "Warning QueueNotChanged spec.queue was changed to q") == 1);
    CHECK(bed.Told("j", edit) == 0);
    bed.Restart();
    CHECK(bed.IsQuiet(absl::Minutes(20)));
    CHECK(bed.Told("j", "Warning QueueNotChanged") == 1);
    SECTION("until it is changed back") {
      bed.PatchJob("j", R"({"queue":"default"})");
      CHECK(bed.Reason("j").empty());
    }
    SECTION("until the job is restarted") {
      bed.Command("c", "j", "RestartJob");
      bed.FinishDeletions();
      bed.Wait(absl::Seconds(5));
      CHECK(bed.Reason("j").empty());
      const types::Json group = bed.Get(StrCat(JobBed::kGroups, "/", bed.GroupOf("j")));
      CHECK(group.At({"spec", "queue"}).AsString() == "q");
    }
  }
  SECTION("a queue that does not exist holds nobody up") {
    bed.PatchJob("j", StrCat(R"({"queue":"none","tasks":[)", JobBed::TaskText("a", 2), "]}"));
    CHECK(bed.Reason("j") == "QueueNotChanged");
    CHECK(bed.Pods() == Names{"j-a-0", "j-a-1"});
  }
  SECTION("an image, before there are pods") {
    bed.CreateJob("k", 1, JobBed::TaskText("a", 1));
    bed.PatchJob("k", StrCat(R"({"tasks":[)", ToldBed::BadTask("100m"), "]}"));
    CHECK(bed.Told("k", edit) == 0);
  }
  SECTION("what takes effect is not told") {
    bed.PatchJob(
        "j", StrCat(R"({"minAvailable":2,"maxRetry":5,"tasks":[)", JobBed::TaskText("a", 2), "]}"));
    CHECK(bed.Told("j", edit) == 0);
    CHECK(bed.Pods() == Names{"j-a-0", "j-a-1"});
  }
}

TEST_CASE("told: nothing of a queue that was chosen for the job", "[controllers][job]") {
  ToldBed bed;
  bed.MakeQueue("research");
  bed.MakeQueue("other");
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  // As webhooks do where the namespace has a queue.
  const std::string group = StrCat(JobBed::kGroups, "/", bed.GroupOf("j"));
  bed.Patch(group, R"({"spec":{"queue":"research"}})");
  const bool is_marked = GENERATE(true, false);
  CAPTURE(is_marked);
  if (!is_marked) bed.Patch(group, R"({"metadata":{"annotations":{"volcano.sh/job-queue":null}}})");
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Reason("j").empty());
  bed.Restart();
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  CHECK(bed.Reason("j").empty());
  CHECK(bed.Told("j", "Warning QueueNotChanged") == 0);
  SECTION("until it chooses one itself") {
    bed.PatchJob("j", R"({"queue":"other"})");
    CHECK(bed.Reason("j") == "QueueNotChanged");
    CHECK(bed.Message("j") ==
          "spec.queue was changed to other, and the job stays in queue research until it is "
          "restarted: change it back, or restart the job");
    bed.PatchJob("j", R"({"queue":"default"})");
    CHECK(bed.Reason("j").empty());
  }
  SECTION("other than of one that has left its own") {
    bed.RunJob("k", 1, JobBed::TaskText("a", 1), R"("queue":"research")");
    CHECK(bed.Reason("k").empty());
    bed.PatchJob("k", R"({"queue":"default"})");
    CHECK(bed.Reason("k") == "QueueNotChanged");
    bed.Restart();
    CHECK(bed.Reason("k") == "QueueNotChanged");
    CHECK(bed.Told("k", "Warning QueueNotChanged spec.queue was changed to default") == 1);
  }
}

}  // namespace
}  // namespace bth::test
