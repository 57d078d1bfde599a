#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "controllers/job_flow/flow_plan.h"
#include "tests/controllers/job_flow/flow_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::FlowPhase;
using types::JobFlow;
using types::JobPhase;
using types::Json;

const absl::Time kFlowNow = absl::FromUnixSeconds(10'000);

// A flow of those entries, each "name" or "name:target,target".
JobFlow MakeFlow(const std::vector<std::string>& entries, FlowPhase phase) {
  JobFlow flow;
  flow.meta.ns = "ns";
  flow.meta.name = "f";
  flow.status.phase = phase;
  for (const std::string& text : entries) {
    types::Flow& entry = flow.spec.flows.emplace_back();
    const size_t colon = text.find(':');
    entry.name = text.substr(0, colon);
    if (colon == std::string::npos) continue;
    entry.depends_on.emplace().targets.emplace();
    std::string target;
    for (const char c : text.substr(colon + 1) + ",") {
      if (c != ',') {
        target.push_back(c);
        continue;
      }
      if (!target.empty()) entry.depends_on->targets->push_back(target);
      target.clear();
    }
  }
  return flow;
}

std::shared_ptr<BatchJob> MakeFlowJob(const std::string& name, JobPhase phase) {
  auto job = std::make_shared<BatchJob>();
  job->meta.ns = "ns";
  job->meta.name = "f-" + name;
  job->meta.creation_time = kFlowNow - absl::Seconds(100);
  job->status.state.phase = phase;
  return job;
}

TEST_CASE("job flow: which jobs may start", "[controllers][job_flow]") {
  struct Case {
    std::vector<std::string> entries;
    std::vector<std::pair<std::string, JobPhase>> jobs;
    std::string ready;
  };
  const Case c = GENERATE(values<Case>({
      {{"a", "b"}, {}, "a b"},
      {{"a", "b:a"}, {}, "a"},
      {{"a", "b:a"}, {{"a", JobPhase::kRunning}}, ""},
      {{"a", "b:a"}, {{"a", JobPhase::kCompleted}}, "b"},
      {{"a", "b", "c:a,b"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kFailed}}, ""},
      {{"a", "b", "c:a,b"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kCompleted}}, "c"},
      {{"a:"}, {}, "a"},
      {{"b:nobody", "c"}, {}, "c"},
  }));
  CAPTURE(c.entries);
  JobList jobs;
  for (const auto& [name, phase] : c.jobs) jobs.push_back(MakeFlowJob(name, phase));
  CHECK(absl::StrJoin(ReadyToStart(MakeFlow(c.entries, FlowPhase::kRunning), jobs), " ") ==
        c.ready);
}

TEST_CASE("job flow: a probe of tasks shortens the wait", "[controllers][job_flow]") {
  JobFlow flow = MakeFlow({"a", "b:a"}, FlowPhase::kRunning);
  flow.spec.flows[1].depends_on->probe.emplace().task_statuses = {{"server", "Running"}};
  const auto job = MakeFlowJob("a", JobPhase::kRunning);
  types::BatchTask& task = job->spec.tasks.emplace_back();
  task.name = "server";
  task.replicas = 2;
  CHECK(ReadyToStart(flow, {job}).empty());
  job->status.task_status_count["server"].phase.Set("Running", 1);
  CHECK(ReadyToStart(flow, {job}).empty());
  job->status.task_status_count["server"].phase.Set("Running", 2);
  CHECK(ReadyToStart(flow, {job}).size() == 1);
  CHECK(IgnoredParts(flow).empty());
  // What would have to be asked over the network is told, and not taken as fulfilled.
  flow.spec.flows[1].depends_on->probe->tcp_socket = {{"server", 80}};
  CHECK(ReadyToStart(flow, {job}).empty());
  CHECK(IgnoredParts(flow).size() == 1);
}

TEST_CASE("job flow: its phase follows its jobs", "[controllers][job_flow]") {
  struct Case {
    FlowPhase before;
    std::vector<JobPhase> jobs;  // Of two entries.
    FlowPhase after;
  };
  const Case c = GENERATE(values<Case>({
      {FlowPhase::kNone, {}, FlowPhase::kPending},
      {FlowPhase::kPending, {JobPhase::kPending}, FlowPhase::kPending},
      {FlowPhase::kPending, {JobPhase::kRunning}, FlowPhase::kRunning},
      {FlowPhase::kPending, {JobPhase::kCompleted}, FlowPhase::kRunning},
      {FlowPhase::kPending, {JobPhase::kRunning, JobPhase::kFailed}, FlowPhase::kFailed},
      {FlowPhase::kPending, {JobPhase::kTerminated}, FlowPhase::kFailed},
      {FlowPhase::kRunning, {JobPhase::kCompleted}, FlowPhase::kRunning},
      {FlowPhase::kRunning, {JobPhase::kCompleted, JobPhase::kCompleted}, FlowPhase::kSucceed},
      {FlowPhase::kRunning, {JobPhase::kCompleted, JobPhase::kFailed}, FlowPhase::kFailed},
      {FlowPhase::kRunning, {JobPhase::kTerminated}, FlowPhase::kFailed},
      {FlowPhase::kRunning, {JobPhase::kCompleting, JobPhase::kTerminating}, FlowPhase::kRunning},
      {FlowPhase::kPending, {JobPhase::kRunning, JobPhase::kTerminated}, FlowPhase::kFailed},
      {FlowPhase::kSucceed, {JobPhase::kFailed}, FlowPhase::kSucceed},
  }));
  CAPTURE(static_cast<int>(c.before), c.jobs.size(), static_cast<int>(c.after));
  JobList jobs;
  for (size_t i = 0; i < c.jobs.size(); ++i)
    jobs.push_back(MakeFlowJob(i == 0 ? "a" : "b", c.jobs[i]));
  const auto status = NextFlowStatus(MakeFlow({"a", "b"}, c.before), jobs, kFlowNow);
  CHECK(static_cast<int>(status.phase.value()) == static_cast<int>(c.after));
}

TEST_CASE("job flow: jobs of its entries decide, each once", "[controllers][job_flow]") {
  struct Case {
    std::vector<std::string> entries;
    std::vector<std::pair<std::string, JobPhase>> jobs;
    FlowPhase after;
  };
  const Case c = GENERATE(values<Case>({
      // b was removed after it had completed, and c was added.
      {{"a", "c"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kCompleted}}, FlowPhase::kRunning},
      {{"a", "c"},
       {{"a", JobPhase::kCompleted}, {"b", JobPhase::kCompleted}, {"c", JobPhase::kRunning}},
       FlowPhase::kRunning},
      {{"a"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kCompleted}}, FlowPhase::kSucceed},
      {{"a"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kRunning}}, FlowPhase::kSucceed},
      {{"a"}, {{"a", JobPhase::kRunning}, {"b", JobPhase::kFailed}}, FlowPhase::kRunning},
      {{"a"}, {{"a", JobPhase::kRunning}, {"b", JobPhase::kTerminated}}, FlowPhase::kRunning},
      {{"a"}, {{"a", JobPhase::kCompleted}, {"b", JobPhase::kFailed}}, FlowPhase::kSucceed},
      {{"a", "a"}, {{"a", JobPhase::kCompleted}}, FlowPhase::kSucceed},
      {{"a", "b", "a"}, {{"a", JobPhase::kCompleted}}, FlowPhase::kRunning},
      {{}, {}, FlowPhase::kRunning},
      {{}, {{"a", JobPhase::kCompleted}}, FlowPhase::kRunning},
  }));
  CAPTURE(c.entries, c.jobs.size());
  JobList jobs;
  for (const auto& [name, phase] : c.jobs) jobs.push_back(MakeFlowJob(name, phase));
  const auto status = NextFlowStatus(MakeFlow(c.entries, FlowPhase::kRunning), jobs, kFlowNow);
  CHECK(static_cast<int>(status.phase.value()) == static_cast<int>(c.after));
}

TEST_CASE("job flow: what its status tells of jobs", "[controllers][job_flow]") {
  JobFlow flow = MakeFlow({"a", "b"}, FlowPhase::kRunning);
  const auto a = MakeFlowJob("a", JobPhase::kCompleted);
  a->status.running_duration = absl::Seconds(1);
  a->status.retry_count = 1;
  const auto b = MakeFlowJob("b", JobPhase::kRunning);
  flow.status = NextFlowStatus(flow, {a, b}, kFlowNow);
  CHECK(flow.status.completed_jobs == std::vector<std::string>{"f-a"});
  CHECK(flow.status.running_jobs == std::vector<std::string>{"f-b"});
  REQUIRE(flow.status.job_status_list.size() == 2);
  CHECK(flow.status.job_status_list[0].end_time == a->meta.creation_time + absl::Seconds(1));
  CHECK(flow.status.job_status_list[0].restart_count == 1);
  CHECK(flow.status.conditions.Find("f-a")->running_duration == absl::Seconds(1));

  // The same once more changes nothing; another phase closes the last history.
  CHECK(NextFlowStatus(flow, {a, b}, kFlowNow + absl::Minutes(1)) == flow.status);
  b->status.state.phase = JobPhase::kRestarting;
  flow.status = NextFlowStatus(flow, {a, b}, kFlowNow + absl::Minutes(2));
  CHECK(flow.status.unknown_jobs == std::vector<std::string>{"f-b"});
  const auto& histories = flow.status.job_status_list[1].running_histories;
  REQUIRE(histories.size() == 2);
  CHECK(histories[0].end_time == kFlowNow + absl::Minutes(2));
  CHECK_FALSE(histories[1].end_time.has_value());
}

using test::FlowBed;
using Names = std::vector<std::string>;

TEST_CASE("job flows: one job after the other", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeTemplate("b");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}}]})");
  CHECK(bed.Jobs() == Names{"f-a"});
  const Json job = bed.Get(FlowBed::JobPath("f-a"));
  CHECK(job.At({"metadata", "labels", "volcano.sh/createdByJobFlow"}).AsString() == "default.f");
  CHECK(job.At({"metadata", "annotations", "volcano.sh/createdByJobTemplate"}).AsString() ==
        "default.a");
  CHECK(job["metadata"]["ownerReferences"][size_t{0}]["kind"].AsString() == "JobFlow");
  // Nothing of the template is lost.
  const Json& container =
      job["spec"]["tasks"][size_t{0}]["template"]["spec"]["containers"][size_t{0}];
  CHECK(container["tty"].AsBool());

  bed.SetJob("f-a", "Running");
  CHECK(bed.Phase() == "Running");
  CHECK(bed.Jobs() == Names{"f-a"});
  bed.SetJob("f-a", "Completed");
  CHECK(bed.Jobs() == Names{"f-a", "f-b"});
  bed.SetJob("f-b", "Completed");
  CHECK(bed.Phase() == "Succeed");
  CHECK(bed.Jobs().size() == 2);
  CHECK(bed.Events("f") ==
        Names{"Normal Created create a job named f-a!", "Normal Created create a job named f-b!"});
  const Json status = bed.Get(FlowBed::FlowPath("jobtemplates", "a"))["status"];
  CHECK(status["jobDependsOnList"].Dump() == R"(["f-a"])");
}

TEST_CASE("job flows: jobs of one that is gone and not told of yet are made anew with pauses",
          "[controllers][job_flow]") {
  FlowBed bed;
  bed.TellLate("jobflows", absl::Seconds(10));
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeTemplate("b");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b"}]})");
  bed.Call("DELETE", FlowBed::FlowPath("jobflows", "f"));
  int made = 0;
  bed.line->on_answer = [&made](const std::string& what, int code) {
    made += absl::StartsWith(what, "POST") && absl::EndsWith(what, "/jobs") && code == 201;
  };
  REQUIRE(bed.executor.Advance(absl::Seconds(15), 50'000));
  CHECK(made > 0);
  CHECK(made < 40);
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Jobs().empty());
  bed.line->on_answer = nullptr;
}

TEST_CASE("job flows: jobs of a finished flow go when it says so", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeFlow(R"({"jobRetainPolicy":"delete","flows":[{"name":"a"}]})");
  bed.SetJob("f-a", "Running");
  bed.SetJob("f-a", "Completed");
  CHECK(bed.Phase() == "Succeed");
  CHECK(bed.Jobs().empty());
}

TEST_CASE("job flows: one that failed starts nothing more", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeTemplate("b");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}}]})");
  bed.SetJob("f-a", "Failed");
  CHECK(bed.Phase() == "Failed");
  bed.SetJob("f-a", "Completed");
  CHECK(bed.Phase() == "Failed");
  CHECK(bed.Jobs() == Names{"f-a"});
}

TEST_CASE("job flows: a template that is missing is told, then found", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeFlow(R"({"flows":[{"name":"late"}]})");
  bed.MakeTemplate("late");
  bed.Wait(absl::Seconds(30));
  CHECK(bed.Jobs() == Names{"f-late"});

  FlowBed other;
  other.StartFlows();
  other.MakeFlow(R"({"flows":[{"name":"never"}]})");
  other.Wait(absl::Minutes(30));
  CHECK(other.Events("f") ==
        Names{"Warning SyncJobFlow SyncJobFlow JobFlow failed for jobtemplate default/never does "
              "not exist: create it, and the flow goes on"});
  CHECK(other.Phase() == "Pending");
  other.MakeTemplate("never");
  other.Wait(absl::Seconds(1));
  CHECK(other.Jobs() == Names{"f-never"});
}

TEST_CASE("job flows: an entry whose template is missing does not hold the others up",
          "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("b");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b"}]})");
  CHECK(bed.Jobs() == Names{"f-b"});
  bed.SetJob("f-b", "Running");
  bed.SetJob("f-b", "Completed");
  CHECK(bed.Phase() == "Running");
  const Names told = bed.Events("f");
  CHECK(std::count_if(told.begin(), told.end(), [](const std::string& event) {
          return absl::StrContains(event, "SyncJobFlow");
        }) == 1);
  bed.MakeTemplate("a");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Jobs() == Names{"f-a", "f-b"});
}

TEST_CASE("job flows: one that can never end says so, and starts nothing",
          "[controllers][job_flow]") {
  struct Case {
    std::string flows, message;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"name":"a"},{"name":"b","dependsOn":{"targets":["aa"]}})",
       "vertex is not defined: aa: flow b depends on it, and no flow has that name (did you mean "
       "\"a\"?)"},
      {R"({"name":"a","dependsOn":{"targets":["a"]}})", "these wait for each other: a"},
      {R"({"name":"c"},{"name":"a","dependsOn":{"targets":["b","c"]}},)"
       R"({"name":"b","dependsOn":{"targets":["a"]}})",
       "these wait for each other: a, b"},
  }));
  CAPTURE(c.flows);
  FlowBed bed;
  bed.StartFlows();
  for (const char* name : {"a", "b", "c"}) bed.MakeTemplate(name);
  bed.MakeFlow(StrCat(R"({"flows":[)", c.flows, "]}"));
  CHECK(bed.Jobs().empty());
  CHECK(bed.Phase() == "Pending");
  CHECK(bed.Events("f") ==
        Names{StrCat("Warning InvalidJobFlow jobflow Flow is not DAG: ", c.message,
                     "; nothing more is started until that is mended")});
  bed.Patch(FlowBed::FlowPath("jobflows", "f"), R"({"spec":{"flows":[{"name":"c"}]}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Jobs() == Names{"f-c"});
}

TEST_CASE("job flow: what is no circle is none", "[controllers][job_flow]") {
  const auto fits = [](const std::vector<std::pair<std::string, std::vector<std::string>>>& flows) {
    JobFlow flow;
    for (const auto& [name, targets] : flows) {
      types::Flow& entry = flow.spec.flows.emplace_back();
      entry.name = name;
      entry.depends_on.emplace().targets = targets;
    }
    return CheckFlow(flow).ok();
  };
  CHECK(fits({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b"}}, {"d", {"b"}}, {"e", {"c", "d"}}}));
  CHECK_FALSE(fits({{"b", {"a"}}, {"c", {"a", "b"}}}));
  CHECK(fits({{"a", {}}, {"c", {"a"}}, {"c", {"a"}}, {"d", {"c", "c"}}}));
  CHECK_FALSE(fits({{"a", {"b"}}, {"b", {"a"}}}));
}

TEST_CASE("job flows: one that has succeeded starts nothing more, whatever becomes of its jobs",
          "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeFlow(R"({"flows":[{"name":"a"}]})");
  bed.SetJob("f-a", "Running");
  bed.SetJob("f-a", "Completed");
  REQUIRE(bed.Phase() == "Succeed");
  bed.Call("DELETE", FlowBed::JobPath("f-a"));
  bed.Wait(absl::Seconds(1));
  bed.Kill();
  bed.StartFlows();
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Jobs().empty());
  CHECK(bed.Phase() == "Succeed");
}

TEST_CASE("job flows: a job that completed and was cleaned up is not run again",
          "[controllers][job_flow]") {
  const bool gone_at_once = GENERATE(false, true);
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeTemplate("b");
  bed.MakeTemplate("c");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}},)"
               R"({"name":"c","dependsOn":{"targets":["a","b"]}}]})");
  bed.SetJob("f-a", "Running");
  if (gone_at_once) {
    // Both become known in one turn.
    const std::string completed = R"({"status":{"state":{"phase":"Completed"}}})";
    bed.TellLate("jobs", absl::Seconds(3));
    bed.Kill();
    bed.StartFlows();
    bed.Patch(FlowBed::JobPath("f-a") + "/status", completed);
  } else {
    bed.SetJob("f-a", "Completed");
    CHECK(bed.Jobs() == Names{"f-a", "f-b"});
  }
  bed.Call("DELETE", FlowBed::JobPath("f-a"));
  bed.Wait(absl::Seconds(10));
  CHECK(bed.Jobs() == Names{"f-b"});
  const auto completed = [&bed] {
    return bed.Get(FlowBed::FlowPath("jobflows", "f"))["status"]["completedJobs"].Dump();
  };
  CHECK(completed() == R"(["f-a"])");
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartFlows();
  bed.Wait(absl::Minutes(1));
  CHECK(bed.writes == writes);
  bed.SetJob("f-b", "Running");
  bed.SetJob("f-b", "Completed");
  bed.Wait(absl::Seconds(10));
  CHECK(bed.Jobs() == Names{"f-b", "f-c"});
  bed.Call("DELETE", FlowBed::JobPath("f-b"));
  bed.Wait(absl::Seconds(10));
  bed.SetJob("f-c", "Running");
  bed.SetJob("f-c", "Completed");
  bed.Wait(absl::Seconds(10));
  CHECK(bed.Phase() == "Succeed");
  CHECK(bed.Jobs() == Names{"f-c"});
}

TEST_CASE("job flows: a restart goes on where the last process was", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.MakeTemplate("a");
  bed.MakeTemplate("b");
  bed.MakeFlow(R"({"flows":[{"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}}]})");
  bed.SetJob("f-a", "Running");
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartFlows();
  CHECK(bed.writes == writes);
  bed.Kill();
  bed.SetJob("f-a", "Completed");
  bed.StartFlows();
  CHECK(bed.Jobs() == Names{"f-a", "f-b"});
}

TEST_CASE("job flows: what cannot be read says so", "[controllers][job_flow]") {
  FlowBed bed;
  bed.StartFlows();
  bed.Create(FlowBed::FlowPath("jobtemplates", ""),
             R"({"metadata":{"name":"a"},"spec":{"tasks":[{"name":"t","policies":[{"event":)"
             R"("PodFailed","action":"RestartJob","timeout":"soon"}]}]}})");
  bed.Wait(absl::Seconds(1));
  REQUIRE(bed.Events("a").size() == 1);
  CHECK_THAT(bed.Events("a")[0],
             Catch::StartsWith("Warning Unreadable the JobTemplate cannot be read, ") &&
                 Catch::Contains("spec.tasks[0].policies[0].timeout"));
}

}  // namespace
}  // namespace bth::controllers
