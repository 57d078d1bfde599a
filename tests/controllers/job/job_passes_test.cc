// How often the Job controller looks at a job, and how often it writes its counts.
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

// Counts passes over jobs, each of which makes the plugins of its job, and writes of statuses.
// Time passes only where a test says so.
class CountingBed : public JobBed {
 public:
  CountingBed() {
    make_plugins = [this](const types::BatchJobSpec& spec,
                          const controllers::JobPluginTools& tools) {
      ++passes_;
      return MakeFakePlugins(spec, tools);
    };
    line->on_request = [this](const net::Request& request) {
      if (request.method == "PATCH" && absl::StrContains(request.target, "/jobs/")) ++writes_;
    };
  }
  ~CountingBed() { line->on_request = nullptr; }

  int TakePasses() { return std::exchange(passes_, 0); }
  int TakeWrites() { return std::exchange(writes_, 0); }

  // As SetPod and SetGroup, but at this very moment.
  void PodIs(const std::string& pod, const std::string& status) {
    Patch(PodPath(pod) + "/status", StrCat(R"({"status":)", status, "}"));
    REQUIRE(executor.RunUntilIdle());
  }
  void PodRuns(const std::string& pod) { PodIs(pod, R"({"phase":"Running"})"); }
  void Admit(const std::string& job) {
    Patch(StrCat(kGroups, "/", GroupOf(job)), R"({"status":{"phase":"Inqueue"}})");
    REQUIRE(executor.RunUntilIdle());
  }
  void After(int64_t ms) {
    executor.Advance(absl::Milliseconds(ms));
    REQUIRE(executor.RunUntilIdle());
  }

 private:
  int passes_ = 0;
  int writes_ = 0;
};

// --- counts ----------------------------------------------------------------------------------

TEST_CASE("job counts: a pod that runs within a second is never told as pending",
          "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  CHECK(bed.TakeWrites() == 1);  // Phase Pending.
  bed.Admit("j");
  bed.After(990);
  CHECK(bed.TakeWrites() == 0);
  bed.PodRuns("j-a-0");
  CHECK(bed.TakeWrites() == 1);
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Count("j", "running") == 1);
  CHECK(bed.Count("j", "pending") == 0);
  bed.After(60'000);
  CHECK(bed.TakeWrites() == 0);
}

TEST_CASE("job counts: what stays is told a second after it came", "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 3, JobBed::TaskText("a", 3));
  bed.After(60'000);  // However long ago the last write was.
  bed.TakeWrites();
  bed.Admit("j");
  bed.After(600);
  bed.PodRuns("j-a-0");  // More news of the kind starts no new second.
  bed.After(399);
  CHECK(bed.TakeWrites() == 0);
  bed.After(1);
  CHECK(bed.TakeWrites() == 1);
  CHECK(bed.Count("j", "pending") == 2);
  CHECK(bed.Count("j", "running") == 1);
  // The next difference has a second of its own.
  bed.PodRuns("j-a-1");
  bed.After(999);
  CHECK(bed.TakeWrites() == 0);
  bed.After(1);
  CHECK(bed.TakeWrites() == 1);
  CHECK(bed.Count("j", "running") == 2);
  CHECK(bed.Phase("j") == "Pending");
}

TEST_CASE("job counts: a change of phase is told at once and with the counts",
          "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 3));
  bed.WaitForCounts();
  bed.TakeWrites();
  bed.PodIs("j-a-0", R"({"phase":"Succeeded"})");
  bed.PodIs("j-a-1", R"({"phase":"Failed"})");
  CHECK(bed.TakeWrites() == 0);
  bed.PodIs("j-a-2", R"({"phase":"Succeeded"})");
  CHECK(bed.TakeWrites() == 1);
  CHECK(bed.Phase("j") == "Completed");
  CHECK(bed.Count("j", "succeeded") == 2);
  CHECK(bed.Count("j", "failed") == 1);
  CHECK(bed.Count("j", "running") == 0);
}

TEST_CASE("job counts: a difference that is gone again is forgotten", "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 2));
  bed.WaitForCounts();
  bed.TakeWrites();
  bed.PodIs("j-a-1", R"({"phase":"Unknown"})");
  bed.After(500);
  bed.PodRuns("j-a-1");
  bed.After(2000);
  CHECK(bed.TakeWrites() == 0);
  // Had it been remembered, this would be told at once.
  bed.PodIs("j-a-1", R"({"phase":"Unknown"})");
  bed.After(900);
  CHECK(bed.TakeWrites() == 0);
  bed.After(100);
  CHECK(bed.TakeWrites() == 1);
  CHECK(bed.Count("j", "unknown") == 1);
}

TEST_CASE("job counts: a pass that fails tells them at once", "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("a", 1));
  bed.WaitForCounts();
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "POST" || !absl::EndsWith(request.target, "/pods")) return std::nullopt;
    if (absl::StrContains(request.body, "j-a-1")) return std::nullopt;
    Fault fault;
    fault.code = 503;
    return fault;
  };
  bed.Patch(StrCat(JobBed::kJobs, "/j"),
            StrCat(R"({"spec":{"tasks":[)", JobBed::TaskText("a", 3), "]}}"));
  REQUIRE(bed.executor.RunUntilIdle());
  CHECK(bed.Count("j", "pending") == 1);
  bed.line->script = nullptr;
  bed.Wait(absl::Seconds(40));
  CHECK(bed.Count("j", "pending") == 2);
}

TEST_CASE("job counts: a write that fails is made up for", "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 2, JobBed::TaskText("a", 2));
  int faults = 3;
  bed.line->script = [&faults](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "PATCH" || !absl::EndsWith(request.target, "/j/status")) {
      return std::nullopt;
    }
    if (faults-- <= 0) return std::nullopt;
    Fault fault;
    fault.code = 503;
    return fault;
  };
  bed.Admit("j");
  bed.After(1000);
  CHECK(faults < 3);
  bed.After(1000);
  CHECK(bed.Count("j", "pending") == 2);
}

// --- passes ----------------------------------------------------------------------------------

TEST_CASE("job passes: the pods of a large job are looked at together", "[controllers][job]") {
  constexpr int kPods = 400;
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", kPods, JobBed::TaskText("a", kPods));
  bed.Admit("j");
  REQUIRE(bed.Pods().size() == size_t{kPods});
  bed.After(1000);
  bed.TakePasses();
  for (int i = 0; i < kPods; ++i) {
    bed.PodRuns(StrCat("j-a-", i));
    bed.After(1);
  }
  // One in 20 ms, and those that tell the counts.
  CHECK(bed.TakePasses() <= kPods / 20 + 3);
  bed.After(20);
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job passes: a small job is looked at at once", "[controllers][job]") {
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 100, JobBed::TaskText("a", 100));
  bed.Admit("j");
  for (int i = 0; i < 100; ++i) bed.PodRuns(StrCat("j-a-", i));
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job passes: what calls for an action is not kept waiting", "[controllers][job]") {
  constexpr int kPods = 400;
  struct Case {
    std::string name;
    std::function<void(CountingBed&)> happen;
    std::string phase;
  };
  const Case c = GENERATE(values<Case>({
      {"a policy", [](CountingBed& bed) { bed.PodIs("j-a-7", R"({"phase":"Failed"})"); },
       "Aborted"},
      {"a change of the spec",
       [](CountingBed& bed) {
         bed.Patch(StrCat(JobBed::kJobs, "/j"), R"({"spec":{"minAvailable":1}})");
         REQUIRE(bed.executor.RunUntilIdle());
       },
       "Running"},
  }));
  CAPTURE(c.name);
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", kPods, JobBed::TaskText("a", kPods),
                R"("policies":[{"event":"PodFailed","action":"AbortJob"}])");
  bed.Admit("j");
  bed.PodRuns("j-a-0");
  bed.After(20);
  bed.TakePasses();
  bed.PodRuns("j-a-1");
  CHECK(bed.TakePasses() == 0);  // It waits, so that the next news would wait as well.
  c.happen(bed);
  CHECK(bed.Phase("j") == c.phase);
}

TEST_CASE("job passes: a delayed action is dropped although the news that ends it waits",
          "[controllers][job]") {
  constexpr int kPods = 400;
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", kPods),
                R"("policies":[{"event":"PodEvicted","action":"RestartJob","timeout":"10s"}])");
  bed.Admit("j");
  bed.PodRuns("j-a-0");
  bed.After(100);
  REQUIRE(bed.Phase("j") == "Running");
  bed.Call("DELETE", JobBed::PodPath("j-a-0"));
  REQUIRE(bed.executor.RunUntilIdle());
  bed.After(9'985);
  bed.PodIs("j-a-1", R"({"phase":"Running"})");
  bed.PodRuns("j-a-0");
  bed.After(5'000);
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Count("j", "retryCount") == 0);
}

TEST_CASE("job passes: pods made in several passes follow each other without a pause",
          "[controllers][job]") {
  constexpr int kPods = 1200;
  CountingBed bed;
  bed.StartJobs();
  bed.CreateJob("j", kPods, JobBed::TaskText("a", kPods));
  bed.Admit("j");
  CHECK(bed.Pods().size() == size_t{kPods});
}

}  // namespace
}  // namespace bth::test
