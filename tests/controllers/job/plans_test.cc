#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/job/depends_on.h"
#include "controllers/job/job_check.h"
#include "controllers/job/kill_plan.h"
#include "controllers/job/names.h"
#include "controllers/job/sync_plan.h"
#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::CheckJob;
using controllers::DependencyIsMet;
using controllers::KillPlan;
using controllers::KillTarget;
using controllers::PlanKill;
using controllers::PlanSync;
using controllers::SyncPlan;
using controllers::TaskIsReady;
using types::Pod;
using Names = std::vector<std::string>;

Names PodNamesOf(const std::vector<controllers::PodPointer>& pods) {
  Names names;
  for (const auto& pod : pods) names.push_back(pod->meta.name);
  return names;
}

Names Creates(const types::BatchJob& job, const SyncPlan& plan) {
  Names names;
  for (const auto& create : plan.creates) {
    names.push_back(
        controllers::PodName(job.meta.name, job.spec.tasks[create.task].name, create.index));
  }
  return names;
}

Pod Terminating(Pod pod) {
  pod.meta.deletion_time = absl::UnixEpoch();
  return pod;
}

TEST_CASE("sync plan: what is missing is created, what is too much deleted", "[controllers][job]") {
  const types::BatchJob job = ParseJob(R"({"tasks":[{"name":"task1","replicas":6}]})");
  Pod marked = MakePod("job1-task1-2", "task1", "Failed");
  marked.meta.annotations.Set(controllers::kOutOfSyncKey, "true");
  const SyncPlan plan = PlanSync(ViewOf(
      job,
      {MakePod("job1-task1-0", "task1", "Running"), MakePod("job1-task1-1", "task1", "Running"),
       marked, Terminating(MakePod("job1-task1-3", "task1", "Running")),
       MakePod("job1-task1-6", "task1", "Running"), MakePod("stranger", "task1", "Odd"),
       MakePod("old", "task0", "Running")}));
  CHECK(Creates(job, plan) == Names{"job1-task1-4", "job1-task1-5"});
  CHECK(PodNamesOf(plan.deletes) == Names{"job1-task1-2", "job1-task1-6", "stranger"});
  CHECK(plan.counts.running == 2);
  CHECK(plan.counts.failed == 1);
  CHECK(plan.counts.terminating == 1);
  CHECK(plan.counts.unknown == 0);
  CHECK(*plan.counts.tasks.Find("task1")->phase.Find("Running") == 2);
}

TEST_CASE("sync plan: a pass makes a part of many pods, and looks no further",
          "[controllers][job]") {
  // Two thousand million pods, which nobody checked.
  const types::BatchJob job =
      ParseJob(R"({"tasks":[{"name":"a","replicas":2147483647,"minAvailable":2147483647},)"
               R"({"name":"b","replicas":2147483647,"dependsOn":{"name":["a"]}}]})");
  const auto view = ViewOf(job, {MakePod("job1-a-1", "a", "Running")});
  const SyncPlan plan = PlanSync(view);
  CHECK(plan.is_partial);
  REQUIRE(plan.creates.size() == controllers::kCreatesMax);
  CHECK(plan.creates[0].index == 0);
  CHECK(plan.creates[1].index == 2);
  CHECK_FALSE(TaskIsReady(view, "a"));
  CHECK(controllers::CountAllPods(view).running == 1);
}

TEST_CASE("sync plan: a task waits for those it depends on", "[controllers][job]") {
  const types::BatchJob job =
      ParseJob(R"({"tasks":[{"name":"master","replicas":1,"minAvailable":1},)"
               R"({"name":"work","replicas":2,"dependsOn":{"name":["master"]}}]})");
  CHECK(Creates(job, PlanSync(ViewOf(job, {}))) == Names{"job1-master-0"});
  CHECK(Creates(job, PlanSync(ViewOf(job, {MakePod("job1-master-0", "master", "Running")}))) ==
        Names{"job1-work-0", "job1-work-1"});
  CHECK(
      Creates(job, PlanSync(ViewOf(job, {MakePod("job1-master-0", "master", "Failed")}))).empty());
}

TEST_CASE("dependencies: running pods with ready containers and succeeded pods count",
          "[controllers][job]") {
  const types::BatchJob job = ParseJob(
      R"({"tasks":[{"name":"task1","replicas":2,"minAvailable":2},{"name":"one","replicas":2,"minAvailable":1},)"
      R"({"name":"free","replicas":2}]})");
  const auto succeeded = ViewOf(job, {MakePod("job1-task1-0", "task1", "Succeeded"),
                                      MakePod("job1-task1-1", "task1", "Succeeded")});
  CHECK(TaskIsReady(succeeded, "task1"));
  Pod pod = MakePod("job1-one-0", "one", "Running");
  pod.status.container_statuses.resize(1);
  CHECK_FALSE(TaskIsReady(ViewOf(job, {pod}), "one"));
  pod.status.container_statuses[0].ready = true;
  CHECK(TaskIsReady(ViewOf(job, {pod}), "one"));
  pod.status.phase = "Pending";
  CHECK_FALSE(TaskIsReady(ViewOf(job, {pod}), "one"));
  CHECK(TaskIsReady(ViewOf(job, {}), "free"));
  CHECK_FALSE(TaskIsReady(ViewOf(job, {}), "missing"));

  const auto ready = [&](const std::string& name) { return TaskIsReady(succeeded, name); };
  types::BatchTask task;
  CHECK(DependencyIsMet(task, ready));
  task.depends_on.emplace();
  CHECK(DependencyIsMet(task, ready));
  task.depends_on->names = {"task1", "one"};
  CHECK_FALSE(DependencyIsMet(task, ready));
  task.depends_on->iteration = "any";
  CHECK(DependencyIsMet(task, ready));
  task.depends_on->names = {"one"};
  CHECK_FALSE(DependencyIsMet(task, ready));
}

struct KillCase {
  std::string name;
  KillTarget target;
  bool spare;
  Names victims;
  bool is_void = false;
};

TEST_CASE("kill plan: only what the action aims at is deleted", "[controllers][job]") {
  using Kind = KillTarget::Kind;
  const KillCase c = GENERATE(values<KillCase>({
      {"job", {Kind::kJob, "", "", ""}, false, {"pod1", "pod2", "pod4", "pod3"}},
      {"job, spared", {Kind::kJob, "", "", ""}, true, {"pod1", "pod4", "pod3"}},
      {"task", {Kind::kTask, "task1", "", ""}, false, {"pod1", "pod2", "pod4"}},
      {"unknown task", {Kind::kTask, "task9", "", ""}, false, {}},
      {"pod", {Kind::kPod, "task1", "pod1", ""}, false, {"pod1"}},
      {"unknown pod", {Kind::kPod, "task1", "pod9", ""}, false, {}},
      {"partition", {Kind::kPartition, "task1", "", "1"}, false, {"pod2", "pod4"}},
      {"unknown partition", {Kind::kPartition, "task1", "", "7"}, false, {}, true},
      {"task without partitions", {Kind::kPartition, "task2", "", "1"}, false, {}, true},
      {"no partition", {Kind::kPartition, "task1", "", ""}, false, {}, true},
  }));
  CAPTURE(c.name);
  const types::BatchJob job = ParseJob(
      R"({"tasks":[{"name":"task1","replicas":3,"partitionPolicy":{"totalPartitions":2,"partitionSize":2}},)"
      R"({"name":"task2","replicas":1}]})");
  const auto in = [](Pod pod, const std::string& partition) {
    pod.meta.labels.Set(controllers::kPartitionIdKey, partition);
    return pod;
  };
  const auto view = ViewOf(
      job,
      {in(MakePod("pod1", "task1", "Running"), "0"), in(MakePod("pod2", "task1", "Succeeded"), "1"),
       in(MakePod("pod3", "task2", "Running"), "1"), in(MakePod("pod4", "task1", "Pending"), "1"),
       Terminating(MakePod("pod5", "task1", "Running"))});
  const KillPlan plan = PlanKill(view, c.target, c.spare);
  CHECK(PodNamesOf(plan.victims) == c.victims);
  CHECK(plan.is_void == c.is_void);
  CHECK(plan.counts.terminating == 1);
  const int32_t kept = plan.counts.running + plan.counts.succeeded + plan.counts.pending;
  if (!plan.is_void) CHECK(kept == 4 - static_cast<int32_t>(c.victims.size()));
}

TEST_CASE("kill plan: a restart that has left pods of the last incarnation is gone on with",
          "[controllers][job]") {
  struct Case {
    std::string phase;
    int version;
    bool goes_on;
  };
  const Case c = GENERATE(values<Case>({{"Running", 5, false},
                                        {"Running", 4, true},
                                        {"Running", 3, true},
                                        {"Failed", 4, true},
                                        // It was spared when the job was stopped.
                                        {"Failed", 3, false},
                                        {"Succeeded", 3, false}}));
  CAPTURE(c.phase, c.version);
  types::BatchJob job = ParseJob(R"({"maxRetry":9,"tasks":[{"name":"t","replicas":1}]})");
  job.status.state.phase = types::JobPhase::kRestarting;
  Pod pod = MakePod("job1-t-0", "t", c.phase);
  pod.meta.annotations.Set(controllers::kJobVersionKey, std::to_string(c.version));
  auto view = ViewOf(job, {pod});
  view.version = 5;
  const auto expected = c.goes_on ? types::BusAction::kRestartJob : types::BusAction::kSyncJob;
  CHECK(controllers::StepOf(view, types::BusAction::kSyncJob) ==
        controllers::StepFor(types::JobPhase::kRestarting, expected));
}

TEST_CASE("job check: jobs that cannot run are named", "[controllers][job]") {
  struct Case {
    std::string spec, message;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"tasks":[{"name":"a","replicas":1}],"minAvailable":1})", ""},
      {"{}", "the job has no tasks"},
      {R"({"tasks":[{"replicas":1}]})", "a task has no name"},
      {R"({"tasks":[{"name":"a"},{"name":"b"},{"name":"a"}]})",
       "two tasks have the name a: rename one"},
      {R"({"tasks":[{"name":"a","replicas":-2}]})", "task a: replicas must not be negative, is -2"},
      {R"({"tasks":[{"name":"a","replicas":1,"minAvailable":-1}]})",
       "task a: minAvailable must not be negative, is -1"},
      {R"({"tasks":[{"name":"a","replicas":1,"minAvailable":2}]})",
       "task a: minAvailable 2 is more than its 1 replicas"},
      {R"({"tasks":[{"name":"a","replicas":1}],"minAvailable":-1})",
       "job 'minAvailable' must be >= 0, is -1"},
      {R"({"tasks":[{"name":"a","replicas":1}],"minAvailable":2})",
       "minAvailable 2 is more than the 1 replicas of all tasks"},
      {R"({"tasks":[{"name":"a","replicas":6,"partitionPolicy":{"totalPartitions":3,"partitionSize":2}}]})",
       ""},
      {R"({"tasks":[{"name":"a","replicas":4,"partitionPolicy":{"totalPartitions":3,"partitionSize":2}}]})",
       "task a: partitionPolicy: 3 partitions of 2 pods are not its 4 replicas"},
      {R"({"tasks":[{"name":"a","replicas":0,"partitionPolicy":{"totalPartitions":0,"partitionSize":2}}]})",
       "task a: partitionPolicy: totalPartitions and partitionSize must be positive, are 0 and 2"},
      {R"({"tasks":[{"name":"a","dependsOn":{"name":["b"]}}]})",
       "task a depends on task b, which does not exist"},
      {R"({"tasks":[{"name":"a","dependsOn":{"name":["b"]}},{"name":"b","dependsOn":{"name":["a"]}},{"name":"c"}]})",
       "task a depends, over other tasks, on itself"},
      {R"({"tasks":[{"name":"a","dependsOn":{"name":["a"]}}]})",
       "task a depends, over other tasks, on itself"},
      {R"({"tasks":[{"name":"a","dependsOn":{"name":["b","c"],"iteration":"any"}},{"name":"b","dependsOn":{"name":["a"]}},{"name":"c"}]})",
       ""},
      {R"({"tasks":[{"name":"a","replicas":2147483647},{"name":"b","replicas":2147483647}]})",
       "the job has 4294967294 pods; at most 100000 are possible"},
  }));
  CAPTURE(c.spec);
  CHECK(std::string(CheckJob(ParseJob(c.spec).spec).message()) == c.message);
}

TEST_CASE("job check: policies that cannot be meant are named with their place",
          "[controllers][job]") {
  struct Case {
    std::string policies, message;  // {}: the list of policies.
  };
  const std::string events =
      "; there are *, PodPending, PodFailed, PodEvicted, Unknown, TaskCompleted, TaskFailed, "
      "JobUpdated";
  const std::string actions =
      "; there are AbortJob, RestartJob, RestartTask, RestartPod, RestartPartition, TerminateJob, "
      "CompleteJob, ResumeJob";
  const Case c = GENERATE_COPY(values<Case>({
      {R"({"event":"PodFailed","action":"AbortJob"},{"exitCode":3,"action":"RestartJob"})", ""},
      {R"({"events":["PodFailed","PodFailed"],"event":"PodFailed","action":"AbortJob"})", ""},
      {R"({"event":"*","action":"AbortJob"},{"exitCode":3,"action":"RestartJob"})", ""},
      {R"({"exitCode":3,"action":"Nonsense"})", ""},
      {R"({"exitCode":0,"action":"RestartJob"})",
       "[0].exitCode: 0 is not a valid error code: pods that end with it have succeeded (event "
       "TaskCompleted)"},
      {R"({"exitCode":3,"event":"PodFailed","action":"AbortJob"})",
       "[0]: must not specify event and exitCode simultaneously: make two policies of it"},
      {R"({"exitCode":3,"events":["PodFailed"],"action":"AbortJob"})",
       "[0]: must not specify event and exitCode simultaneously: make two policies of it"},
      {R"({"action":"AbortJob"})",
       "[0]: either event and exitCode should be specified: add one of them"},
      {R"({"event":"PodFailed","action":"AbortJob"},{"event":"PodFailed","action":"RestartJob"})",
       "[1]: duplicate event PodFailed  across different policy: the first one decides, remove the "
       "other"},
      {R"({"exitCode":1,"action":"AbortJob"},{"exitCode":1,"action":"RestartJob"})",
       "[1]: duplicate exitCode 1: the first one decides, remove the other"},
      {R"({"event":"*","action":"AbortJob"},{"event":"PodFailed","action":"RestartJob"})",
       ": if there's * here, no other policy should be here"},
      {R"({"event":"PodFaild","action":"AbortJob"})",
       "[0].event: Invalid value: \"PodFaild\": invalid policy event (did you mean "
       "\"PodFailed\"?)" +
           events},
      {R"({"event":"PodRunning","action":"AbortJob"})",
       "[0].event: Invalid value: \"PodRunning\": invalid policy event" + events},
      {R"({"event":"PodFailed","action":"SyncJob"})",
       "[0].action: Invalid value: \"SyncJob\": invalid policy action" + actions},
      {R"({"event":"PodFailed"})",
       "[0].action: Invalid value: \"\": invalid policy action" + actions},
  }));
  CAPTURE(c.policies);
  const auto message = [](const std::string& of_task, const std::string& of_job) {
    const std::string spec = StrCat(R"({"tasks":[{"name":"a"},{"name":"b","policies":[)", of_task,
                                    R"(]}],"policies":[)", of_job, "]}");
    return std::string(CheckJob(ParseJob(spec).spec).message());
  };
  CHECK(message("", c.policies) == (c.message.empty() ? "" : "spec.policies" + c.message));
  CHECK(message(c.policies, "") == (c.message.empty() ? "" : "spec.tasks[1].policies" + c.message));
  // Each list is for itself.
  const std::string one = R"({"event":"PodFailed","action":"AbortJob"})";
  CHECK(message(one, one).empty());
}

TEST_CASE("job check: so many tasks and volumes are no job", "[controllers][job]") {
  types::BatchJobSpec spec;
  for (int i = 0; i < 100'000; ++i) {
    types::BatchTask task;
    task.name = std::to_string(i);
    spec.tasks.push_back(std::move(task));
  }
  CHECK(CheckJob(spec).message() == "the job has 100000 tasks; at most 5000 are possible");
  spec.tasks.resize(5000);
  CHECK(CheckJob(spec).ok());
  spec.volumes.resize(1001);
  CHECK(CheckJob(spec).message() == "the job has 1001 volumes; at most 1000 are possible");
}

TEST_CASE("names: suffixes follow from the seed", "[controllers][job]") {
  const auto never = [](const std::string&) { return false; };
  const std::string name = controllers::NameWithSuffix("job-pvc-", "uid/0", never);
  CHECK(name.size() == std::string("job-pvc-").size() + 12);
  CHECK(name.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz", 8) == std::string::npos);
  CHECK(controllers::NameWithSuffix("job-pvc-", "uid/0", never) == name);
  CHECK(controllers::NameWithSuffix("job-pvc-", "uid/1", never) != name);
  const std::string other = controllers::NameWithSuffix(
      "job-pvc-", "uid/0", [&name](const std::string& taken) { return taken == name; });
  CHECK(other != name);
}

}  // namespace
}  // namespace bth::test
