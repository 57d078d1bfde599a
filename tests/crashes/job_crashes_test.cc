// Batch jobs whose controllers die at each of their writes.
#include <string>

#include "base/strings.h"
#include "tests/crashes/crash_bed.h"

namespace bth::test {
namespace {

std::string Task(const std::string& name, int replicas, int seconds, const std::string& more = "") {
  return StrCat(R"({"name":")", name, R"(","replicas":)", replicas,
                R"(,"template":{"metadata":{"annotations":{")", kRunsFor, R"(":")", seconds,
                R"("}},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":)",
                R"({"cpu":"100m"}}}],"restartPolicy":"Never"}})", more, "}");
}
std::string JobText(const std::string& name, int min_available, const std::string& tasks,
                    const std::string& more = "") {
  return StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"schedulerName":"volcano",)",
                R"("queue":"default","minAvailable":)", min_available, R"(,"tasks":[)", tasks, "]",
                more, "}}");
}

StoryStep Submit(const std::string& job) {
  return {"the start", [](CrashBed& /*bed*/) { return true; },
          [job](CrashBed& bed) { bed.Create(CrashBed::kJobs, job); }};
}
StoryStep EndsAs(const std::string& phase) {
  return {phase, [phase](CrashBed& bed) { return bed.JobIs("j", phase); }, [](CrashBed&) {}};
}
// Once the job and so many pods run.
StoryStep OnceRunning(
    size_t pods, std::function<void(CrashBed&)> then = [](CrashBed&) {}) {
  const auto running = [pods](CrashBed& bed) {
    return bed.JobIs("j", "Running") && bed.PodsAre(pods, "Running");
  };
  return {StrCat(pods, " pods run"), running, std::move(then)};
}
std::function<void(CrashBed&)> Command(const std::string& action) {
  return [action](CrashBed& bed) { bed.CommandTo(CrashBed::kJobs, "Job", "j", action); };
}

TEST_CASE("crashes: a gang runs and completes", "[crashes][job]") {
  CheckAllDeaths({{Submit(JobText("j", 3, Task("a", 3, 5))), EndsAs("Completed")}});
}

TEST_CASE("crashes: a failed pod restarts its job", "[crashes][job]") {
  const std::string policy = R"(,"policies":[{"event":"PodFailed","action":"RestartJob"}])";
  const auto fail = [](CrashBed& bed) {
    bed.Patch(CrashBed::PodPath("j-a-0") + "/status", R"({"status":{"phase":"Failed"}})");
  };
  const auto restarted = [](CrashBed& bed) {
    return bed.Job("j").At({"status", "retryCount"}).AsInt() == 1;
  };
  CheckAllDeaths({{Submit(JobText("j", 2, Task("a", 2, 60), policy)),
                   OnceRunning(2, fail),
                   {"the restart", restarted, [](CrashBed&) {}},
                   EndsAs("Completed")}});
}

TEST_CASE("crashes: a task that completes ends its job", "[crashes][job]") {
  const std::string policy = R"(,"policies":[{"event":"TaskCompleted","action":"CompleteJob"}])";
  CheckAllDeaths({{Submit(JobText("j", 3, Task("a", 2, 5, policy) + "," + Task("b", 1, 3600))),
                   EndsAs("Completed")}});
}

TEST_CASE("crashes: plugins and volumes", "[crashes][job]") {
  const std::string more =
      R"(,"plugins":{"ssh":[],"svc":[],"env":[]},"volumes":[{"mountPath":"/d","volumeClaim":)"
      R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])";
  CheckAllDeaths({{Submit(JobText("j", 3, Task("a", 2, 5) + "," + Task("b", 1, 5), more)),
                   EndsAs("Completed")}});
}

TEST_CASE("crashes: a job grows and shrinks", "[crashes][job]") {
  const auto scale = [](int replicas) {
    return [replicas](CrashBed& bed) {
      bed.Patch(StrCat(CrashBed::kJobs, "/j"),
                StrCat(R"({"spec":{"minAvailable":1,"tasks":[)", Task("a", replicas, 60), ",",
                       Task("b", 1, 60), "]}}"));
    };
  };
  CheckAllDeaths(
      {{Submit(JobText("j", 2, Task("a", 2, 60) + "," + Task("b", 1, 60))),
        OnceRunning(3, scale(4)), OnceRunning(5, scale(1)), OnceRunning(2), EndsAs("Completed")}});
}

TEST_CASE("crashes: a job is suspended and resumed", "[crashes][job]") {
  const auto suspended = [](CrashBed& bed) {
    return bed.JobIs("j", "Aborted") && bed.Commands().empty();
  };
  CheckAllDeaths({{Submit(JobText("j", 2, Task("a", 2, 60))),
                   OnceRunning(2, Command("AbortJob")),
                   {"Aborted", suspended, Command("ResumeJob")},
                   OnceRunning(2),
                   EndsAs("Completed")}});
}

TEST_CASE("crashes: a task waits for another, and the job is cleaned up", "[crashes][job]") {
  const auto is_gone = [](CrashBed& bed) { return bed.Names(CrashBed::kJobs).empty(); };
  CheckAllDeaths(
      {{Submit(JobText("j", 1,
                       Task("a", 1, 10) + "," + Task("b", 2, 5, R"(,"dependsOn":{"name":["a"]})"),
                       R"(,"ttlSecondsAfterFinished":3)")),
        {"the job is gone", is_gone, [](CrashBed&) {}}}});
}

}  // namespace
}  // namespace bth::test
