// Bad jobs, name collisions, refusals and lost answers.
#include <map>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

using Names = std::vector<std::string>;

size_t CountOf(const Names& events, const std::string& part) {
  size_t count = 0;
  for (const std::string& event : events) count += absl::StrContains(event, part) ? 1 : 0;
  return count;
}

bool IsPodCreation(const net::Request& request) {
  return request.method == "POST" && absl::EndsWith(request.target, "/pods");
}

// Requests of the controllers other than watches and events, by "METHOD resource".
class Ledger {
 public:
  explicit Ledger(JobBed& bed) : bed_(bed) {
    bed_.line->on_request = [this](const net::Request& request) {
      if (request.method == "GET" || absl::StrContains(request.target, "/events")) return;
      ++writes_;
    };
  }
  ~Ledger() { bed_.line->on_request = nullptr; }
  int Take() { return std::exchange(writes_, 0); }

 private:
  JobBed& bed_;
  int writes_ = 0;
};

TEST_CASE("job controller: jobs that cannot run say why and harm nobody", "[controllers][job]") {
  struct Case {
    std::string tasks, spec, reason, message;
    int minimum = 1;
  };
  const Case c = GENERATE(values<Case>({
      {JobBed::TaskText("a", 1) + "," + JobBed::TaskText("a", 2), "", "InvalidJob",
       "two tasks have the name a: rename one"},
      {JobBed::TaskText("a", 2147483647), "", "InvalidJob",
       "the job has 2147483647 pods; at most 100000 are possible"},
      {JobBed::TaskText("a", 1), "", "InvalidJob",
       "minAvailable 5 is more than the 1 replicas of all tasks", 5},
      {JobBed::TaskText("a", 1, R"("dependsOn":{"name":["b"]})"), "", "InvalidJob",
       "task a depends on task b, which does not exist"},
      {JobBed::TaskText("a", 1, R"("dependsOn":{"name":["b"]})") + "," +
           JobBed::TaskText("b", 1, R"("dependsOn":{"name":["a"]})"),
       "", "InvalidJob", "task a depends, over other tasks, on itself"},
      {JobBed::TaskText("a", 1), R"("plugins":{"nope":[]})", "PluginError",
       "failed to get plugin nope"},
      {JobBed::TaskText("a", 1), R"("queue":"missing")", "QueueNotFound",
       "queue missing does not exist: create it, or name another one"},
  }));
  CAPTURE(c.message);
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("bad", c.minimum, c.tasks, c.spec);
  CHECK(bed.Phase("bad") == "Pending");
  CHECK(bed.Message("bad") == c.message);
  CHECK(bed.Job("bad").At({"status", "state", "reason"}).AsString() == c.reason);
  CHECK(CountOf(bed.Events("bad"), StrCat("Warning ", c.reason)) == 1);
  CHECK(bed.Pods().empty());
  CHECK(bed.Names(JobBed::kGroups).empty());
  Ledger ledger(bed);
  bed.Wait(absl::Hours(1));
  CHECK(ledger.Take() == 0);
  CHECK(bed.Phase("bad") == "Pending");
  bed.RunJob("good", 1, JobBed::TaskText("a", 1));
  CHECK(bed.Phase("good") == "Running");
}

TEST_CASE("job controller: a job runs once what it waits for is there", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  SECTION("the queue") {
    bed.CreateJob("j", 1, JobBed::TaskText("a", 1), R"("queue":"late")");
    bed.Create(JobBed::kQueues, R"({"metadata":{"name":"late"},"spec":{"weight":1}})");
  }
  SECTION("the claim") {
    bed.CreateJob("j", 1, JobBed::TaskText("a", 1),
                  R"("volumes":[{"mountPath":"/d","volumeClaimName":"pvc1"}])");
    CHECK(bed.Message("j") ==
          "pvc pvc1 is not found, the job will be in the Pending state until the PVC is created");
    CHECK(CountOf(bed.Events("j"), "Warning PVCError Failed to create PVC, err: pvc pvc1") == 1);
    bed.Wait(absl::Hours(1));
    CHECK(bed.Phase("j") == "Pending");
    bed.Create(JobBed::kClaims,
               R"({"metadata":{"name":"pvc1"},"spec":{"accessModes":["ReadWriteOnce"],)"
               R"("resources":{"requests":{"storage":"1Gi"}}}})");
  }
  SECTION("a valid spec") {
    bed.CreateJob("j", 9, JobBed::TaskText("a", 1));
    bed.Patch(StrCat(JobBed::kJobs, "/j"), R"({"spec":{"minAvailable":1}})");
  }
  bed.Settle();
  CHECK(bed.Message("j").empty());
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job controller: claims are made once, and mounted", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob(
      "j", 1, JobBed::TaskText("a", 1),
      R"("volumes":[{"mountPath":"/d","volumeClaim":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])");
  const Names claims = bed.Names(JobBed::kClaims);
  REQUIRE(claims.size() == 1);
  CHECK(absl::StartsWith(claims[0], "j-pvc-"));
  const types::Json job = bed.Job("j");
  CHECK(job.At({"spec", "volumes"})[size_t{0}]["volumeClaimName"].AsString() == claims[0]);
  CHECK(job.At({"status", "controlledResources", "volume-pvc-" + claims[0]}).AsString() ==
        claims[0]);
  bed.SetGroup("j", "Inqueue");
  const types::Json pod = bed.Get(JobBed::PodPath("j-a-0"));
  bool is_mounted = false;
  for (const types::Json& volume : pod.At({"spec", "volumes"}).items()) {
    if (volume.At({"persistentVolumeClaim", "claimName"}).AsString() == claims[0]) {
      is_mounted = true;
    }
  }
  CHECK(is_mounted);
  bed.Restart();
  CHECK(bed.Names(JobBed::kClaims) == claims);
}

TEST_CASE("job controller: pods of somebody else are not adopted", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.Create("/api/v1/namespaces/default/pods",
             R"({"metadata":{"name":"j-a-1"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  bed.CreateJob("j", 2, JobBed::TaskText("a", 2));
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Message("j") ==
        "pod j-a-1 exists and does not belong to the job: delete it to let the job run");
  CHECK(bed.Count("j", "pending") == 1);
  CHECK(CountOf(bed.Events("j"), "Warning FailedCreate") == 1);
  Ledger ledger(bed);
  bed.Wait(absl::Hours(1));
  CHECK(ledger.Take() == 0);
  CHECK(bed.Get(JobBed::PodPath("j-a-1")).At({"metadata", "ownerReferences"}).is_null());
  bed.Call("DELETE", JobBed::PodPath("j-a-1"));
  bed.Settle();
  CHECK(bed.Pods() == Names{"j-a-0", "j-a-1"});
  CHECK(bed.Count("j", "pending") == 2);
  CHECK(bed.Message("j").empty());
}

TEST_CASE("job controller: a group of somebody else is not adopted", "[controllers][job]") {
  JobBed bed;
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  const std::string group = bed.GroupOf("j");
  bed.Create(JobBed::kGroups, StrCat(R"({"metadata":{"name":")", group,
                                     R"("},"spec":{"minMember":7},"status":{"phase":"Inqueue"}})"));
  bed.StartJobs();
  CHECK(absl::StrContains(bed.Message("j"), "exists and does not belong to the job"));
  CHECK(CountOf(bed.Events("j"), "Warning PodGroupError Failed to create PodGroup") == 1);
  CHECK(bed.Pods().empty());
  CHECK(bed.Get(StrCat(JobBed::kGroups, "/", group)).At({"spec", "minMember"}).AsInt() == 7);
  bed.Call("DELETE", StrCat(JobBed::kGroups, "/", group));
  bed.Settle();
  CHECK(bed.Message("j").empty());
  CHECK(bed.Get(StrCat(JobBed::kGroups, "/", group)).At({"spec", "minMember"}).AsInt() == 1);
}

TEST_CASE("job controller: the group of an old release is used and deleted", "[controllers][job]") {
  JobBed bed;
  bed.Create("/apis/scheduling.k8s.io/v1/priorityclasses",
             R"({"metadata":{"name":"new"},"value":5})");
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), R"("priorityClassName":"new")");
  const std::string uid(bed.Job("j").At({"metadata", "uid"}).AsString());
  bed.Create(JobBed::kGroups,
             StrCat(R"({"metadata":{"name":"j","ownerReferences":[{"apiVersion":)",
                    R"("batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":")", uid,
                    R"(","controller":true}]},"spec":{"minMember":9},"status":{"phase":)",
                    R"("Inqueue"}})"));
  bed.StartJobs();
  CHECK(bed.Names(JobBed::kGroups) == Names{"j"});
  const types::Json group = bed.Get(StrCat(JobBed::kGroups, "/j"));
  CHECK(group.At({"spec", "minMember"}).AsInt() == 1);
  CHECK(group.At({"spec", "priorityClassName"}).AsString() == "new");
  CHECK(group.At({"spec", "minTaskMember", "a"}).AsInt() == 1);
  CHECK(bed.Pods() == Names{"j-a-0"});
  bed.Command("c", "j", "AbortJob");
  CHECK(bed.Names(JobBed::kGroups).empty());
}

TEST_CASE("job controller: a refused pod is reported, tried again, and ends the job at last",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  int refused = 0;
  bool refusing = true;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!refusing || !IsPodCreation(request) || absl::StrContains(request.body, "good-")) {
      return std::nullopt;
    }
    ++refused;
    return JobBed::OverQuota();
  };
  bed.CreateJob("j", 200, JobBed::TaskText("a", 200));
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Job("j").At({"status", "state", "reason"}).AsString() == "FailedCreate");
  CHECK(absl::StrContains(bed.Message("j"), "exceeded quota: q"));
  CHECK(absl::StrContains(bed.Message("j"), "of 200"));
  CHECK(CountOf(bed.Events("j"), "Warning FailedCreate Error creating pods: [") == 1);
  // No more than what was in flight when the first refusal came, per attempt.
  CHECK(refused <= 64 * 8);
  bed.RunJob("good", 1, JobBed::TaskText("a", 1));
  CHECK(bed.Phase("good") == "Running");
  SECTION("until there is room") {
    bed.Wait(absl::Seconds(30));
    CHECK(bed.Phase("j") == "Pending");
    refusing = false;
    bed.Wait(absl::Minutes(2));
    CHECK(bed.Count("j", "pending") == 200);
    CHECK(bed.Message("j").empty());
  }
  SECTION("until the retries are used up") {
    bed.Wait(absl::Minutes(4));
    CHECK(bed.Phase("j") == "Terminated");
    CHECK(CountOf(bed.Events("j"),
                  "Normal ExecuteAction Job failed on action SyncJob for retry limit reached") ==
          1);
    const int so_far = refused;
    CHECK(so_far <= 64 * 16);
    bed.Wait(absl::Hours(1));
    CHECK(refused == so_far);
  }
}

TEST_CASE("job controller: an outage ends no job", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 2, JobBed::TaskText("a", 2));
  bool away = true;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!away || !IsPodCreation(request)) return std::nullopt;
    Fault fault;
    fault.code = 503;
    return fault;
  };
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Hours(1));
  CHECK(bed.Phase("j") == "Pending");
  away = false;
  bed.Wait(absl::Seconds(31));
  CHECK(bed.Pods() == Names{"j-a-0", "j-a-1"});
}

TEST_CASE("job controller: what was created although the answer was lost is not created twice",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  std::map<std::string, int> answered;  // Times the server said "created".
  bed.line->on_answer = [&](const std::string& asked, int code) {
    if (code == 201 && !absl::StrContains(asked, "/events")) ++answered[asked];
  };
  std::map<std::string, int> seen;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "POST" || absl::StrContains(request.target, "/events")) {
      return std::nullopt;
    }
    if (++seen[request.target + request.body] > 1) return std::nullopt;
    Fault fault;
    fault.answer_lost = true;
    return fault;
  };
  bed.CreateJob("j", 2, JobBed::TaskText("a", 3), R"("plugins":{"fake":[]})");
  bed.Wait(absl::Seconds(5));
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Seconds(5));
  CHECK(bed.Pods() == Names{"j-a-0", "j-a-1", "j-a-2"});
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
  CHECK(answered["POST /api/v1/namespaces/default/pods"] == 3);
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job controller: a status that others changed is decided anew", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1));
  int conflicts = 2;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "PATCH" || !absl::EndsWith(request.target, "/status")) {
      return std::nullopt;
    }
    if (conflicts-- <= 0) return std::nullopt;
    Fault fault;
    fault.code = 409;
    fault.reason = "Conflict";
    return fault;
  };
  bed.SetPodPhase("j-a-0", "Succeeded");
  bed.Wait(absl::Seconds(1));
  CHECK(conflicts <= 0);
  CHECK(bed.Phase("j") == "Completed");
}

TEST_CASE("job controller: a restart counts once, whichever of its requests fails",
          "[controllers][job]") {
  struct Case {
    std::string method, part;
    bool answer_lost = false;
  };
  const Case c = GENERATE(values<Case>({{"DELETE", "/pods/j-a-0", false},
                                        {"DELETE", "/pods/j-a-0", true},
                                        {"DELETE", "/podgroups/", false},
                                        {"DELETE", "/podgroups/", true},
                                        {"PATCH", "/jobs/j/status", false},
                                        {"PATCH", "/jobs/j/status", true}}));
  CAPTURE(c.method, c.part, c.answer_lost);
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1),
             R"("policies":[{"event":"PodFailed","action":"RestartJob"}])");
  REQUIRE(bed.Phase("j") == "Running");
  // The first request of its kind reaches the server, and its answer not; or the server is away.
  // Statuses: the first two of them, so that the end of the restart is one.
  int faults = c.method == "PATCH" ? 2 : 1;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (faults == 0 || request.method != c.method || !absl::StrContains(request.target, c.part)) {
      return std::nullopt;
    }
    --faults;
    Fault fault;
    if (c.answer_lost) {
      fault.answer_lost = true;
    } else {
      fault.code = 503;
    }
    return fault;
  };
  bed.SetPodPhase("j-a-0", "Failed");
  bed.Wait(absl::Minutes(1));
  bed.FinishDeletions();
  bed.Wait(absl::Minutes(1));
  CHECK(faults == 0);
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Count("j", "version") == 1);
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
  bed.SetGroup("j", "Inqueue");
  CHECK(bed.Pods() == Names{"j-a-0"});
}

TEST_CASE("job controller: few writes, and none while nothing changes", "[controllers][job]") {
  constexpr int kPods = 20;
  JobBed bed;
  bed.StartJobs();
  Ledger ledger(bed);
  bed.RunJob("j", kPods, JobBed::TaskText("a", kPods));
  REQUIRE(bed.Phase("j") == "Running");
  bed.SetPods("Succeeded");
  REQUIRE(bed.Phase("j") == "Completed");
  // A pod each, and a status for each second in which pods start or end.
  CHECK(ledger.Take() <= kPods + 20);
  bed.Wait(absl::Hours(1));
  CHECK(ledger.Take() == 0);
  bed.Restart();
  bed.Wait(absl::Hours(1));
  CHECK(ledger.Take() == 0);
}

TEST_CASE("job controller: objects of plugins come, follow the job, and go", "[controllers][job]") {
  const std::string map = "/api/v1/namespaces/default/configmaps/j-fake";
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1), R"("plugins":{"fake":[]})");
  CHECK(bed.Get(map).At({"data", "pods"}).AsString() == "1");
  CHECK(bed.Get(map).At({"metadata", "ownerReferences"})[size_t{0}]["name"].AsString() == "j");
  CHECK(bed.Job("j").At({"status", "controlledResources", "plugin-fake"}).AsString() == "fake");
  CHECK(bed.Get(JobBed::PodPath("j-a-0")).At({"metadata", "annotations", "fake/map"}).AsString() ==
        "j-fake");
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"tasks":[)", JobBed::TaskText("a", 3), "]}}"));
  bed.Settle();
  CHECK(bed.Get(map).At({"data", "pods"}).AsString() == "3");
  bed.Command("c", "j", "AbortJob");
  CHECK(bed.Call("GET", map).code == 404);
  CHECK(bed.Job("j").At({"status", "controlledResources", "plugin-fake"}).is_null());
}

TEST_CASE("job controller: plugin objects of somebody else are left alone", "[controllers][job]") {
  const std::string map = "/api/v1/namespaces/default/configmaps/j-fake";
  JobBed bed;
  bed.Create("/api/v1/namespaces/default/configmaps",
             R"({"metadata":{"name":"j-fake"},"data":{"mine":"yes"}})");
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1), R"("plugins":{"fake":[]})");
  CHECK(absl::StrContains(bed.Message("j"), "does not belong to the job"));
  CHECK(CountOf(bed.Events("j"), "Warning PluginError") == 1);
  bed.Command("c", "j", "AbortJob");
  CHECK(bed.Get(map)["data"].Dump() == R"({"mine":"yes"})");
}

TEST_CASE("job controller: a pod group that is held up is reported once", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  const std::string group = StrCat(JobBed::kGroups, "/", bed.GroupOf("j"));
  const auto conditions = [&](const std::string& phase, const std::string& list) {
    bed.Patch(group, StrCat(R"({"status":{"phase":")", phase, R"(","conditions":[)", list, "]}}"));
    bed.Settle();
  };
  conditions("Pending",
             R"({"type":"Scheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"})");
  CHECK(CountOf(bed.Events("j"), "PodGroupPending") == 0);
  conditions("Inqueue",
             R"({"type":"Scheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},)"
             R"({"type":"Unschedulable","status":"True","message":"test message",)"
             R"("lastTransitionTime":"2026-01-01T00:00:00Z"})");  // Of the same second.
  const std::string event =
      "Warning PodGroupPending PodGroup default:j unschedulable, reason: test message";
  CHECK(CountOf(bed.Events("j"), event) == 1);
  bed.WaitForCounts();
  Ledger ledger(bed);
  bed.Wait(absl::Hours(1));
  CHECK(ledger.Take() == 0);
}

TEST_CASE("job controller: a job that is being deleted is left to the garbage collector",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 2));
  bed.Patch(StrCat(JobBed::kJobs, "/j"), R"({"metadata":{"finalizers":["x/y"]}})");
  bed.Call("DELETE", StrCat(JobBed::kJobs, "/j"));
  bed.Settle();
  Ledger ledger(bed);
  bed.SetPodPhase("j-a-0", "Failed");
  bed.Call("DELETE", JobBed::PodPath("j-a-1"));
  bed.Settle();
  CHECK(ledger.Take() == 0);
  CHECK(bed.Pods() == Names{"j-a-0"});
}

}  // namespace
}  // namespace bth::test
