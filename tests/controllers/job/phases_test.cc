#include "controllers/job/phases.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/job/policy.h"
#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::Decide;
using controllers::Decision;
using controllers::EvaluatePolicies;
using controllers::IsLastRetry;
using controllers::JobStep;
using controllers::StepFor;
using types::BatchJobStatus;
using types::BusAction;
using types::BusEvent;
using types::JobPhase;

// One row per phase and group of actions; "*": every action that no earlier row of the phase names.
constexpr const char* kTable = R"(
Pending      RestartJob                               kill-all enter Restarting retry
Pending      RestartTask,RestartPod,RestartPartition  kill-target enter Restarting retry
Pending      AbortJob                                 kill-unfinished enter Aborting
Pending      CompleteJob                              kill-unfinished enter Completing
Pending      TerminateJob                             kill-unfinished enter Terminating
Pending      *                                        sync start
Running      RestartJob                               kill-all enter Restarting retry
Running      RestartTask,RestartPod,RestartPartition  kill-target enter Restarting retry
Running      AbortJob                                 kill-unfinished enter Aborting
Running      CompleteJob                              kill-unfinished enter Completing
Running      TerminateJob                             kill-unfinished enter Terminating
Running      *                                        sync progress
Restarting   SyncJob                                  sync restart
Restarting   RestartTask,RestartPod,RestartPartition  kill-target restart
Restarting   *                                        kill-all restart
Completing   *                                        kill-unfinished stop Completed
Terminating  *                                        kill-unfinished stop Terminated
Aborting     ResumeJob                                kill-unfinished enter Restarting retry
Aborting     *                                        kill-unfinished stop Aborted
Aborted      ResumeJob                                kill-unfinished enter Restarting retry
Aborted      *                                        kill-unfinished
Completed    *                                        kill-unfinished
Terminated   *                                        kill-unfinished
Failed       *                                        kill-unfinished
)";

std::string StepText(const JobStep& step) {
  std::string text = step.operation == JobStep::Operation::kSync         ? "sync"
                     : step.operation == JobStep::Operation::kKillTarget ? "kill-target"
                     : step.spare_finished                               ? "kill-unfinished"
                                                                         : "kill-all";
  static const std::map<Decision, std::string> kNames = {{Decision::kNone, ""},
                                                         {Decision::kStart, " start"},
                                                         {Decision::kProgress, " progress"},
                                                         {Decision::kRestart, " restart"},
                                                         {Decision::kStop, " stop"},
                                                         {Decision::kEnter, " enter"}};
  text += kNames.at(step.decision);
  if (step.phase != JobPhase::kNone) text += " " + std::string(types::WordText(step.phase));
  return step.is_retry ? text + " retry" : text;
}

// The table's word for a phase and an action.
std::string Expected(const std::string& phase, const std::string& action) {
  std::istringstream table(kTable);
  for (std::string line; std::getline(table, line);) {
    std::istringstream row(line);
    std::string row_phase, actions;
    if (!(row >> row_phase >> actions) || row_phase != phase) continue;
    if (actions != "*" && ("," + actions + ",").find("," + action + ",") == std::string::npos) {
      continue;
    }
    std::string rest;
    std::getline(row >> std::ws, rest);
    return rest;
  }
  return "no row";
}

TEST_CASE("job phases: each event, phase and action does what the table says",
          "[controllers][job]") {
  size_t checked = 0;
  for (int p = 0; p <= static_cast<int>(JobPhase::kOther); ++p) {
    const auto phase = static_cast<JobPhase>(p);
    const bool is_new = phase == JobPhase::kNone || phase == JobPhase::kOther;
    const std::string row(is_new ? "Pending" : types::WordText(phase));
    for (int e = 0; e < static_cast<int>(BusEvent::kOther); ++e) {
      const auto event = static_cast<BusEvent>(e);
      for (int a = 1; a <= static_cast<int>(BusAction::kOther); ++a) {
        const auto action = static_cast<BusAction>(a);
        types::BatchJob job = ParseJob("{}");
        types::LifecyclePolicy policy;
        policy.action = action == BusAction::kOther ? types::Word<BusAction>("Dance")
                                                    : types::Word<BusAction>(action);
        policy.event = event;
        job.spec.policies.push_back(policy);
        controllers::JobRequest request;
        request.event = event;
        const auto answer = EvaluatePolicies(job, 0, request);
        // What never reaches a policy is a sync: no event, internal ones, pending without timeout.
        const bool reaches =
            event != BusEvent::kNone && !types::IsInternal(event) && event != BusEvent::kPodPending;
        CHECK(answer.action.text() == (reaches ? policy.action.text() : "SyncJob"));
        CAPTURE(row, e, policy.action.text());
        CHECK(StepText(StepFor(phase, answer.action.value())) ==
              Expected(row, std::string(answer.action.text())));
        ++checked;
      }
    }
  }
  CHECK(checked == size_t{12} * 12 * 14);
}

struct DecisionCase {
  std::string name, phase, action, spec, status, expect;
  int retries = 0;
};

TEST_CASE("job phases: the counters decide", "[controllers][job]") {
  const std::string two = R"({"minAvailable":2,"tasks":[{"name":"t","replicas":2}]})";
  const std::string three =
      R"({"minAvailable":3,"maxRetry":3,"tasks":[{"name":"t","replicas":3}]})";
  const std::string five = R"({"minAvailable":3,"tasks":[{"name":"t","replicas":5}]})";
  const std::string pair =
      R"({"minAvailable":1,"maxRetry":3,"tasks":[{"name":"a","replicas":1},{"name":"b","replicas":1}]})";
  const std::string own_minimum =
      R"({"minAvailable":3,"tasks":[{"name":"a","replicas":2,"minAvailable":1},{"name":"b","replicas":2,"minAvailable":2}]})";
  const std::string success =
      R"({"minAvailable":3,"minSuccess":2,"tasks":[{"name":"t","replicas":3}]})";
  const DecisionCase c = GENERATE_COPY(values<DecisionCase>({
      {"aborted, resume", "Aborted", "ResumeJob", two, "{}", "Restarting", 1},
      {"aborted, restart", "Aborted", "RestartJob", two, "{}", "Aborted"},
      {"aborting, resume", "Aborting", "ResumeJob", two, "{}", "Restarting", 1},
      {"aborting, no pods", "Aborting", "RestartJob", two, "{}", "Aborted"},
      {"aborting, a pod is going", "Aborting", "RestartJob", two, R"({"terminating":1})",
       "Aborting"},
      {"completing, two run", "Completing", "ResumeJob", two, R"({"running":2})", "Completing"},
      {"completing, no pods", "Completing", "ResumeJob", two, "{}", "Completed"},
      {"unknown pods do not block", "Completing", "SyncJob", two, R"({"unknown":1})", "Completed"},
      {"completed", "Completed", "ResumeJob", two, "{}", "Completed"},
      {"pending, restart", "Pending", "RestartJob", two, R"({"terminating":2})", "Restarting", 1},
      {"pending, abort", "Pending", "AbortJob", two, R"({"terminating":2})", "Aborting"},
      {"pending, terminate", "Pending", "TerminateJob", two, "{}", "Terminating"},
      {"pending, complete", "Pending", "CompleteJob", two, "{}", "Completing"},
      {"pending, enough", "Pending", "EnqueueJob", three, R"({"running":3})", "Running"},
      {"pending, ended pods count", "Pending", "SyncJob", three,
       R"({"running":1,"succeeded":1,"failed":1})", "Running"},
      {"pending, one short", "Pending", "EnqueueJob", three, R"({"running":2})", "Pending"},
      {"pending, two of three", "Pending", "SyncJob", three, R"({"running":2})", "Pending"},
      {"restarting, retries used up", "Restarting", "RestartJob", three, R"({"retryCount":3})",
       "Failed"},
      {"restarting, one retry left", "Restarting", "SyncJob", three,
       R"({"retryCount":2,"minAvailable":3})", "Pending"},
      {"restarting, enough are gone", "Restarting", "RestartJob", pair,
       R"({"retryCount":1,"minAvailable":1,"terminating":1})", "Pending"},
      {"restarting, too many still there", "Restarting", "SyncJob", pair,
       R"({"retryCount":1,"minAvailable":1,"terminating":2})", "Restarting"},
      {"running, restart", "Running", "RestartJob", two, "{}", "Restarting", 1},
      {"running, abort", "Running", "AbortJob", two, "{}", "Aborting"},
      {"running, terminate", "Running", "TerminateJob", two, "{}", "Terminating"},
      {"running, complete", "Running", "CompleteJob", two, "{}", "Completing"},
      {"running, all succeeded", "Running", "SyncJob", two, R"({"succeeded":2})", "Completed"},
      {"running, half succeeded", "Running", "SyncJob", two, R"({"succeeded":1,"running":1})",
       "Running"},
      {"running, gang fell apart", "Running", "SyncJob", five, R"({"pending":5})", "Pending"},
      {"running, three wait", "Running", "SyncJob", five, R"({"pending":3,"running":2})",
       "Pending"},
      {"running, enough left", "Running", "SyncJob", five,
       R"({"pending":2,"running":1,"succeeded":1,"failed":1})", "Running"},
      {"running, too few succeeded", "Running", "SyncJob", five, R"({"succeeded":2,"failed":3})",
       "Failed"},
      {"running, enough succeeded", "Running", "SyncJob", five, R"({"succeeded":3,"failed":2})",
       "Completed"},
      {"task fell short of its minimum", "Running", "SyncJob", own_minimum,
       R"({"succeeded":3,"failed":1,"taskStatusCount":{"a":{"phase":{"Succeeded":2}},"b":{"phase":{"Succeeded":1,"Failed":1}}}})",
       "Failed"},
      {"each task has its minimum", "Running", "SyncJob", own_minimum,
       R"({"succeeded":3,"failed":1,"taskStatusCount":{"a":{"phase":{"Succeeded":1,"Failed":1}},"b":{"phase":{"Succeeded":2}}}})",
       "Completed"},
      {"minSuccess reached", "Running", "SyncJob", success, R"({"succeeded":2,"running":1})",
       "Completed"},
      {"minSuccess missed", "Running", "SyncJob", success, R"({"succeeded":1,"failed":2})",
       "Failed"},
      {"no replicas", "Running", "SyncJob", R"({"tasks":[{"name":"t"}]})", "{}", "Running"},
      {"terminating, two run", "Terminating", "TerminateJob", two, R"({"running":2})",
       "Terminating"},
      {"terminating, no pods", "Terminating", "TerminateJob", two, "{}", "Terminated"},
  }));
  CAPTURE(c.name);
  const types::BatchJob job = ParseJob(c.spec, c.status);
  BatchJobStatus status = job.status;
  status.state.phase = types::Word<JobPhase>(c.phase);
  const BatchJobStatus before = status;
  const auto action = types::ParseWord<BusAction>(c.action);
  const bool changed = Decide(StepFor(before.state.phase.value(), action), job.spec, &status);
  CHECK(status.state.phase.text() == c.expect);
  CHECK(status.retry_count == before.retry_count + c.retries);
  CHECK((changed || status == before));
}

TEST_CASE("job phases: maxRetry 3 allows two restarts", "[controllers][job]") {
  const types::BatchJob job =
      ParseJob(R"({"minAvailable":1,"maxRetry":3,"tasks":[{"name":"t","replicas":1}]})");
  BatchJobStatus status;
  std::vector<std::string> ends;
  for (int i = 0; i < 3; ++i) {
    status.state.phase = JobPhase::kRunning;
    Decide(StepFor(JobPhase::kRunning, BusAction::kRestartJob), job.spec, &status);
    Decide(StepFor(JobPhase::kRestarting, BusAction::kSyncJob), job.spec, &status);
    ends.emplace_back(status.state.phase.text());
  }
  CHECK(ends == std::vector<std::string>{"Pending", "Pending", "Failed"});
}

TEST_CASE("job phases: the last retry spares pods that have ended", "[controllers][job]") {
  const types::BatchJob job = ParseJob(R"({"maxRetry":3})");
  BatchJobStatus status;
  CHECK_FALSE(IsLastRetry(job.spec, status));
  status.retry_count = 2;
  CHECK(IsLastRetry(job.spec, status));
  CHECK_FALSE(IsLastRetry(ParseJob("{}").spec, BatchJobStatus()));
}

}  // namespace
}  // namespace bth::test
