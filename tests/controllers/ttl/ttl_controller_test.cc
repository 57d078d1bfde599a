#include "controllers/ttl/ttl_controller.h"

#include <string>

#include "base/strings.h"
#include "tests/controllers/controller_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::JobPhase;

BatchJob Finished(JobPhase phase, std::optional<int32_t> ttl, std::optional<absl::Time> at) {
  BatchJob job;
  job.meta.ns = "test";
  job.meta.name = "job1";
  job.spec.ttl_seconds_after_finished = ttl;
  job.status.state.phase = phase;
  job.status.state.last_transition_time = at;
  return job;
}

TEST_CASE("ttl: time left until a job goes", "[controllers][ttl]") {
  const absl::Time now = absl::FromUnixSeconds(1000);
  const auto left = [now](const BatchJob& job) { return TimeLeft(job, now).value(); };
  CHECK(left(Finished(JobPhase::kCompleted, 3, now)) == absl::Seconds(3));
  CHECK(left(Finished(JobPhase::kCompleted, 0, now)) == absl::ZeroDuration());
  CHECK(left(Finished(JobPhase::kFailed, 2, now - absl::Seconds(5))) == -absl::Seconds(3));
  CHECK(left(Finished(JobPhase::kTerminated, 2, now + absl::Seconds(5))) == absl::Seconds(7));
  CHECK_FALSE(left(Finished(JobPhase::kRunning, 3, now)).has_value());
  CHECK_FALSE(left(Finished(JobPhase::kAborted, 3, now)).has_value());
  CHECK_FALSE(left(Finished(JobPhase::kCompleted, std::nullopt, now)).has_value());
  BatchJob going = Finished(JobPhase::kCompleted, 0, now);
  going.meta.deletion_time = now;
  CHECK_FALSE(left(going).has_value());
}

TEST_CASE("ttl: a job that does not say when it finished", "[controllers][ttl]") {
  const auto left = TimeLeft(Finished(JobPhase::kCompleted, 3, std::nullopt), absl::UnixEpoch());
  CHECK(left.status().message() == "unable to find the time when the Job test/job1 finished");
}

class TtlBed : public test::ControllerBed {
 public:
  static constexpr const char* kCronJobs =
      "/apis/batch.volcano.sh/v1alpha1/namespaces/default/cronjobs";

  void StartTtl() {
    Start({[](const ControllerContext& context) {
      return std::make_unique<TtlController>(context);
    }});
  }
  static std::string Path(const std::string& name) {
    return "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs" +
           (name.empty() ? "" : "/" + name);
  }
  void MakeJob(const std::string& name, int ttl) {
    Create(Path(""), StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":)",
                            R"({"name":")", name,
                            R"("},"spec":{"minAvailable":1,"tasks":[{"name":"t","replicas":1,)",
                            R"("template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}],)",
                            R"("ttlSecondsAfterFinished":)", ttl, "}}"));
  }
  // The CronJob c, and its job c-29376000 of 2025-11-08, midnight, which is to go at once.
  void MakeRun() {
    Create(kCronJobs,
           R"({"metadata":{"name":"c"},"spec":{"schedule":"0 0 * * *","jobTemplate":{"spec":)"
           R"({"tasks":[{"name":"t","replicas":1,"template":{"spec":{"containers":)"
           R"([{"name":"c","image":"i"}]}}}]}}}})");
    MakeJob("c-29376000", 0);
    Own("c-29376000", StrCat(kCronJobs, "/c"));
  }
  // The job is controlled by that object.
  void Own(const std::string& name, const std::string& owner_path) {
    const Json object = Get(owner_path);
    Json owner = Json::MakeObject({{"controller", true}});
    for (const char* member : {"apiVersion", "kind"}) owner.Set(member, object[member]);
    for (const char* member : {"name", "uid"}) owner.Set(member, object["metadata"][member]);
    Patch(Path(name), StrCat(R"({"metadata":{"ownerReferences":[)", owner.Dump(), "]}}"));
  }
  void Finish(const std::string& name, const std::string& phase) {
    Patch(Path(name) + "/status",
          StrCat(R"({"status":{"state":{"phase":")", phase, R"(","lastTransitionTime":")",
                 absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", executor.Now(), absl::UTCTimeZone()),
                 "\"}}}"));
    Settle();
  }
};

TEST_CASE("ttl: a finished job goes when its time is over", "[controllers][ttl]") {
  TtlBed bed;
  bed.StartTtl();
  bed.MakeJob("a", 100);
  bed.Wait(absl::Hours(1));
  bed.Finish("a", "Completed");
  bed.Wait(absl::Seconds(90));
  CHECK(bed.Call("GET", TtlBed::Path("a")).code == 200);
  bed.Wait(absl::Seconds(15));
  const bool gone = bed.Call("GET", TtlBed::Path("a")).code == 404 ||
                    !bed.Get(TtlBed::Path("a")).At({"metadata", "deletionTimestamp"}).is_null();
  CHECK(gone);
}

TEST_CASE("ttl: one that finished before the process began goes too", "[controllers][ttl]") {
  TtlBed bed;
  bed.MakeJob("a", 100);
  bed.Finish("a", "Failed");
  bed.Wait(absl::Seconds(200));
  bed.StartTtl();
  CHECK((bed.Call("GET", TtlBed::Path("a")).code == 404 ||
         !bed.Get(TtlBed::Path("a")).At({"metadata", "deletionTimestamp"}).is_null()));
}

TEST_CASE("ttl: a limit raised in time is honoured", "[controllers][ttl]") {
  TtlBed bed;
  bed.StartTtl();
  bed.MakeJob("a", 100);
  bed.Finish("a", "Completed");
  bed.Wait(absl::Seconds(50));
  bed.Patch(TtlBed::Path("a"), R"({"spec":{"ttlSecondsAfterFinished":1000}})");
  bed.Wait(absl::Seconds(500));
  CHECK(bed.Get(TtlBed::Path("a")).At({"metadata", "deletionTimestamp"}).is_null());
}

TEST_CASE("ttl: a job stays until its flow tells how it ended", "[controllers][ttl]") {
  const auto [phase, list] = GENERATE(table<std::string, std::string>({
      {"Completed", "completedJobs"},
      {"Failed", "failedJobs"},
      {"Terminated", "terminatedJobs"},
  }));
  CAPTURE(phase);
  const std::string flows = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobflows";
  TtlBed bed;
  bed.Create(flows, R"({"metadata":{"name":"f"},"spec":{"flows":[{"name":"a"}]}})");
  bed.MakeJob("f-a", 0);
  bed.Own("f-a", flows + "/f");
  bed.StartTtl();
  bed.Finish("f-a", phase);
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Call("GET", TtlBed::Path("f-a")).code == 200);
  bed.Patch(flows + "/f/status",
            StrCat(R"({"status":{"state":{"phase":"Running"},")", list, R"(":["f-a"]}})"));
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Call("GET", TtlBed::Path("f-a")).code == 404);
}

TEST_CASE("ttl: a job stays until its CronJob tells that it ran", "[controllers][ttl]") {
  const bool suspends = GENERATE(false, true);
  CAPTURE(suspends);
  TtlBed bed;
  bed.MakeRun();
  bed.StartTtl();
  bed.Finish("c-29376000", "Completed");
  const std::string cron = StrCat(TtlBed::kCronJobs, "/c");
  bed.Patch(cron + "/status", R"({"status":{"lastScheduleTime":"2025-11-07T00:00:00Z"}})");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Call("GET", TtlBed::Path("c-29376000")).code == 200);
  if (suspends) {
    bed.Patch(cron, R"({"spec":{"suspend":true}})");
  } else {
    bed.Patch(cron + "/status", R"({"status":{"lastScheduleTime":"2025-11-08T00:00:00Z"}})");
  }
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Call("GET", TtlBed::Path("c-29376000")).code == 404);
}

TEST_CASE("ttl: nobody is waited for where no controller works on CronJobs", "[controllers][ttl]") {
  const bool by_gate = GENERATE(false, true);
  CAPTURE(by_gate);
  TtlBed bed;
  if (by_gate) {
    bed.options.gates.cron_volcano_job_support = false;
  } else {
    bed.options.controllers = {"*", "-cronjob-controller"};
  }
  bed.MakeRun();
  bed.StartTtl();
  bed.Finish("c-29376000", "Completed");
  bed.Wait(absl::Seconds(2));
  CHECK(bed.Call("GET", TtlBed::Path("c-29376000")).code == 404);
}

}  // namespace
}  // namespace bth::controllers
