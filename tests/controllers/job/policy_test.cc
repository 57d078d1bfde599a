#include "controllers/job/policy.h"

#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::EvaluatePolicies;
using controllers::JobRequest;
using types::BusAction;
using types::BusEvent;

struct PolicyCase {
  std::string name, spec, event, action, uid;
  int exit_code = 0;
  int version = 0;  // Of the request.
  std::string expect;
  int delay_seconds = 0;
};

constexpr const char* kNone = R"({"tasks":[{"name":"t","replicas":1}]})";

TEST_CASE("job policies: the first match decides", "[controllers][job]") {
  const PolicyCase c = GENERATE(values<PolicyCase>({
      {"explicit action", kNone, "", "EnqueueJob", "", 0, 0, "EnqueueJob"},
      {"out of sync", kNone, "OutOfSync", "", "", 0, 0, "SyncJob"},
      {"pod runs", R"({"policies":[{"event":"*","action":"AbortJob"}]})", "PodRunning", "", "", 0,
       0, "SyncJob"},
      {"pod of another job of that name",
       R"({"policies":[{"event":"PodEvicted","action":"TerminateJob"}]})", "PodEvicted", "",
       "other", 0, 0, "SyncJob"},
      {"pod of this job", R"({"policies":[{"event":"PodEvicted","action":"TerminateJob"}]})",
       "PodEvicted", "", "uid-1", 0, 0, "TerminateJob"},
      {"no policies", kNone, "PodFailed", "", "", 0, 1, "SyncJob"},
      {"pod of an earlier incarnation",
       R"({"policies":[{"event":"PodFailed","action":"RestartJob"}]})", "PodFailed", "", "", 0, -1,
       "SyncJob"},
      {"exit code of the task's policy, no event",
       R"({"tasks":[{"name":"t","policies":[{"exitCode":0,"action":"SyncJob"}]}],"policies":[{"exitCode":0,"action":"AbortJob"}]})",
       "", "", "", 0, 0, "SyncJob"},
      {"exit code of the job's policy", R"({"policies":[{"exitCode":137,"action":"AbortJob"}]})",
       "PodFailed", "", "", 137, 0, "AbortJob"},
      {"another exit code", R"({"policies":[{"exitCode":137,"action":"AbortJob"}]})", "PodFailed",
       "", "", 1, 0, "SyncJob"},
      {"command issued", R"({"policies":[{"event":"*","action":"AbortJob"}]})", "CommandIssued", "",
       "", 0, 0, "SyncJob"},
      {"pending with timeout",
       R"({"policies":[{"event":"PodPending","action":"RestartPod","timeout":"10s"}]})",
       "PodPending", "", "", 0, 0, "RestartPod", 10},
      {"pending without timeout", R"({"policies":[{"event":"PodPending","action":"RestartPod"}]})",
       "PodPending", "", "", 0, 0, "SyncJob"},
      {"the next policy counts when pending has no timeout",
       R"({"policies":[{"events":["*"],"action":"AbortJob"},{"event":"PodPending","action":"RestartPod","timeout":"1h"}]})",
       "PodPending", "", "", 0, 0, "RestartPod", 3600},
      {"task before job",
       R"({"tasks":[{"name":"t","policies":[{"event":"PodFailed","action":"RestartTask"}]}],"policies":[{"event":"PodFailed","action":"AbortJob"}]})",
       "PodFailed", "", "", 1, 0, "RestartTask"},
      {"one of several events",
       R"({"policies":[{"events":["PodEvicted","PodFailed"],"action":"AbortJob"}]})", "PodFailed",
       "", "", 1, 0, "AbortJob"},
      {"everything matches the star", R"({"policies":[{"event":"*","action":"AbortJob"}]})",
       "TaskFailed", "", "", 0, 0, "AbortJob"},
      {"no event matches nothing", R"({"policies":[{"event":"*","action":"AbortJob"}]})", "", "",
       "", 1, 0, "SyncJob"},
  }));
  CAPTURE(c.name);
  const types::BatchJob job = ParseJob(c.spec);
  JobRequest request;
  request.event = types::ParseWord<BusEvent>(c.event);
  request.action = types::Word<BusAction>(c.action);
  request.job_uid = c.uid;
  request.task = "t";
  request.exit_code = c.exit_code;
  request.job_version = c.version;
  const controllers::PolicyAnswer answer = EvaluatePolicies(job, 0, request);
  CHECK(answer.action.text() == c.expect);
  CHECK(answer.delay == absl::Seconds(c.delay_seconds));
}

TEST_CASE("job policies: odd requests and specs break nothing", "[controllers][job]") {
  JobRequest request;
  request.event = BusEvent::kOther;
  request.task = "missing";
  CHECK(EvaluatePolicies(types::BatchJob(), 0, request).action == BusAction::kSyncJob);
  types::BatchJob job = ParseJob(R"({"policies":[{},{"event":"","action":""}]})");
  CHECK(EvaluatePolicies(job, 0, request).action == BusAction::kSyncJob);
}

TEST_CASE("job policies: a name that is no action of jobs is told with the nearest one",
          "[controllers][job]") {
  using Action = types::Word<BusAction>;
  const std::string known =
      "; there are AbortJob, RestartJob, RestartTask, RestartPod, RestartPartition, TerminateJob, "
      "CompleteJob, ResumeJob";
  CHECK(controllers::WhyNoAction(Action("RestratJob")) ==
        "jobs have no action \"RestratJob\" (did you mean \"RestartJob\"?)" + known);
  CHECK(controllers::WhyNoAction(Action("CloseQueue")) ==
        "jobs have no action \"CloseQueue\"" + known);
  for (const char* name : {"AbortJob", "ResumeJob", "SyncJob", "EnqueueJob"}) {
    CHECK(controllers::WhyNoAction(Action(name)).empty());
  }
}

}  // namespace
}  // namespace bth::test
