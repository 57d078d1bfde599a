#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/cron_job/cron_job_controller.h"
#include "controllers/cron_job/cron_pass.h"
#include "tests/controllers/controller_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::CronJob;
using types::Json;

using List = std::vector<std::string>;

absl::Time ClockTime(const std::string& clock, int day = 11) {
  absl::Time time;
  std::string error;
  const std::string text = StrCat("2025-03-", day, "T", clock, ":00Z");
  REQUIRE(absl::ParseTime(absl::RFC3339_full, text, &time, &error));
  return time;
}
const std::string kJobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
const std::string kCrons = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/cronjobs";
const std::string kTask =
    R"({"minAvailable":1,"tasks":[{"name":"t","replicas":1,"template":{"spec":{"containers":)"
    R"([{"name":"c","image":"i","tty":true}]}}}]})";

std::string RunName(absl::Time time) {
  return StrCat("c-", absl::ToUnixSeconds(time) / 60);
}

class CronJobBed : public test::ControllerBed {
 public:
  explicit CronJobBed(absl::Time start = ClockTime("10:00")) : test::ControllerBed(start) {}
  void StartCrons() {
    Start({[](const ControllerContext& context) {
      return std::make_unique<CronJobController>(context);
    }});
  }
  void MakeCron(const std::string& fields) {
    Create(kCrons, StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"CronJob",)",
                          R"("metadata":{"name":"c"},"spec":{)", fields,
                          R"(,"jobTemplate":{"metadata":{"labels":{"l":"1"},"annotations":)",
                          R"({"a":"2"}},"spec":)", kTask, "}}}"));
    Settle();
  }
  void GoTo(absl::Time time) {
    executor.Advance(time - executor.Now());
    Settle();
  }
  List Jobs() { return Names(kJobs); }
  Json Status() { return Get(kCrons + "/c")["status"]; }
  List Active() {
    List names;
    const Json status = Status();
    for (const Json& one : status["active"].items()) names.emplace_back(one["name"].AsString());
    return names;
  }
  void SetJob(const std::string& name, const std::string& phase) {
    const std::string now =
        absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", executor.Now(), absl::UTCTimeZone());
    Patch(kJobs + "/" + name + "/status", StrCat(R"({"status":{"state":{"phase":")", phase,
                                                 R"(","lastTransitionTime":")", now, "\"}}}"));
    Settle();
  }
  void DeleteJob(const std::string& name) {
    Call("DELETE", kJobs + "/" + name);
    Settle();
  }
  // Reasons, in order.
  List Reasons() {
    List reasons;
    for (const std::string& event : Events("c")) {
      const size_t begin = event.find(' ') + 1;
      reasons.push_back(event.substr(begin, event.find(' ', begin) - begin));
    }
    return reasons;
  }
};

TEST_CASE("cron jobs: a job for each run", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *","timeZone":"Europe/Rome")");
  bed.GoTo(ClockTime("10:04"));
  CHECK(bed.Jobs().empty());
  bed.GoTo(ClockTime("10:06"));
  REQUIRE(bed.Jobs() == List{RunName(ClockTime("10:05"))});
  CHECK(bed.Active() == bed.Jobs());
  CHECK(bed.Status()["lastScheduleTime"].AsString() == "2025-03-11T10:05:00Z");
  const Json job = bed.Get(kJobs + "/" + bed.Jobs()[0]);
  CHECK(job.At({"metadata", "labels", "l"}).AsString() == "1");
  CHECK(job.At({"metadata", "annotations", "a"}).AsString() == "2");
  CHECK(job.At({"metadata", "annotations", "volcano.sh/cronjob-scheduled-timestamp"}).AsString() ==
        "2025-03-11T11:05:00+01:00");
  CHECK(job["metadata"]["ownerReferences"][size_t{0}]["kind"].AsString() == "CronJob");
  const Json& container =
      job["spec"]["tasks"][size_t{0}]["template"]["spec"]["containers"][size_t{0}];
  CHECK(container["tty"].AsBool());
  bed.GoTo(ClockTime("10:11"));
  CHECK(bed.Jobs().size() == 2);
  CHECK(bed.Active().size() == 2);
  CHECK(bed.Reasons() == List{"SuccessfulCreate", "SuccessfulCreate"});
}

// Its jobs are collected at once, and each deletion calls for another look.
TEST_CASE("cron jobs: the job of one that is gone and not told of yet is made anew with pauses",
          "[controllers][cron_job]") {
  CronJobBed bed;
  bed.TellLate("cronjobs", absl::Seconds(10));
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  bed.GoTo(ClockTime("10:04"));
  int made = 0;
  bed.line->on_answer = [&made](const std::string& what, int code) {
    made += absl::StartsWith(what, "POST") && absl::EndsWith(what, "/jobs") && code == 201;
  };
  bed.GoTo(ClockTime("10:05") - absl::Seconds(5));
  bed.Call("DELETE", kCrons + "/c");
  REQUIRE(bed.executor.Advance(absl::Seconds(9), 50'000));
  CHECK(made > 0);
  CHECK(made < 20);
  bed.Wait(absl::Minutes(10));
  CHECK(made < 20);
  CHECK(bed.Jobs().empty());
  bed.line->on_answer = nullptr;
}

TEST_CASE("cron jobs: the clock of UTC is written with a Z", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *","timeZone":"Europe/London")");  // UTC, in March.
  bed.GoTo(ClockTime("10:06"));
  REQUIRE(bed.Jobs().size() == 1);
  const Json job = bed.Get(kJobs + "/" + bed.Jobs()[0]);
  CHECK(job.At({"metadata", "annotations", "volcano.sh/cronjob-scheduled-timestamp"}).AsString() ==
        "2025-03-11T10:05:00Z");
}

TEST_CASE("cron jobs: what is finished is written down", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  bed.GoTo(ClockTime("10:06"));
  const std::string first = RunName(ClockTime("10:05"));
  bed.SetJob(first, "Running");
  bed.SetJob(first, "Completed");
  CHECK(bed.Active().empty());
  CHECK(bed.Status()["lastSuccessfulTime"].AsString() == "2025-03-11T10:06:00Z");
  bed.GoTo(ClockTime("10:11"));
  const std::string second = RunName(ClockTime("10:10"));
  bed.SetJob(second, "Failed");
  CHECK(bed.Active().empty());
  CHECK(bed.Status()["lastSuccessfulTime"].AsString() == "2025-03-11T10:06:00Z");
  CHECK(bed.Jobs() == List{first, second});
}

TEST_CASE("cron jobs: what runs at the same time", "[controllers][cron_job]") {
  struct Case {
    std::string policy;
    List jobs;
    size_t active;
    std::string reason;
  };
  const std::string first = RunName(ClockTime("10:05"));
  const std::string second = RunName(ClockTime("10:10"));
  const Case c = GENERATE_COPY(values<Case>({
      {"Allow", {first, second}, 2, "SuccessfulCreate"},
      {"Forbid", {first}, 1, "ForbidConcurrent"},
      {"Replace", {second}, 1, "ReplaceConcurrent"},
  }));
  CAPTURE(c.policy);
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(StrCat(R"("schedule":"*/5 * * * *","concurrencyPolicy":")", c.policy, "\""));
  bed.GoTo(ClockTime("10:06"));
  bed.SetJob(first, "Running");
  bed.GoTo(ClockTime("10:11"));
  CHECK(bed.Jobs() == c.jobs);
  CHECK(bed.Active().size() == c.active);
  const List reasons = bed.Reasons();
  CHECK(std::count(reasons.begin(), reasons.end(), c.reason) == (c.policy == "Allow" ? 2 : 1));
}

TEST_CASE("cron jobs: a forbidden run is made up for when there is room",
          "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *","concurrencyPolicy":"Forbid")");
  bed.GoTo(ClockTime("10:12"));
  bed.SetJob(RunName(ClockTime("10:05")), "Completed");
  CHECK(bed.Jobs() == List{RunName(ClockTime("10:05")), RunName(ClockTime("10:10"))});
}

TEST_CASE("cron jobs: suspended ones rest", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *","suspend":true)");
  bed.GoTo(ClockTime("10:12"));
  CHECK(bed.Jobs().empty());
  bed.Patch(kCrons + "/c", R"({"spec":{"suspend":false}})");
  bed.Settle();
  CHECK(bed.Jobs() == List{RunName(ClockTime("10:10"))});
}

TEST_CASE("cron jobs: runs that nobody could start in time", "[controllers][cron_job]") {
  struct Case {
    std::string deadline;
    absl::Time now;
    std::string scheduled;  // Empty: none.
    bool many;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"", ClockTime("10:07"), RunName(ClockTime("10:05")), false},
      {R"(,"startingDeadlineSeconds":180)", ClockTime("10:07"), RunName(ClockTime("10:05")), false},
      {R"(,"startingDeadlineSeconds":60)", ClockTime("10:07"), "", false},
      {"", ClockTime("20:00"), RunName(ClockTime("20:00")), true},
      {R"(,"startingDeadlineSeconds":3600)", ClockTime("20:00"), RunName(ClockTime("20:00")),
       false},
  }));
  CAPTURE(c.deadline, c.scheduled);
  CronJobBed bed;
  bed.MakeCron(StrCat(R"("schedule":"*/5 * * * *")", c.deadline));
  bed.GoTo(c.now);
  bed.StartCrons();
  CHECK(bed.Jobs() == (c.scheduled.empty() ? List{} : List{c.scheduled}));
  const List reasons = bed.Reasons();
  CHECK((std::find(reasons.begin(), reasons.end(), "TooManyMissedTimes") != reasons.end()) ==
        c.many);
}

TEST_CASE("cron jobs: histories are kept short", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(
      R"("schedule":"*/5 * * * *","successfulJobsHistoryLimit":1,"failedJobsHistoryLimit":0)");
  for (const char* end : {"Completed", "Completed", "Failed", "Completed"}) {
    bed.executor.Advance(absl::Minutes(5));
    bed.Settle();
    bed.SetJob(bed.Jobs().back(), end);
  }
  CHECK(bed.Jobs() == List{RunName(ClockTime("10:20"))});
  const List reasons = bed.Reasons();
  CHECK(std::count(reasons.begin(), reasons.end(), "SuccessfulDelete") == 3);
}

TEST_CASE("cron jobs: schedules and zones that cannot be read", "[controllers][cron_job]") {
  struct Case {
    std::string fields;
    List reasons;
  };
  const Case c = GENERATE(values<Case>({
      {R"("schedule":"error")", {"UnParseableCronJobSchedule"}},
      {R"("schedule":"*/5 * * * *","timeZone":"Error/TZ")", {"InvalidTimeZone"}},
      {R"("schedule":"0 0 31 2 *")", {"InvalidSchedule"}},
  }));
  CAPTURE(c.fields);
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(c.fields);
  bed.Wait(absl::Minutes(20));
  CHECK(bed.Jobs().empty());
  CHECK(bed.Reasons() == c.reasons);
}

TEST_CASE("cron jobs: what cannot be read in a schedule is told when it is made, and once",
          "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"61 * * * *")");
  bed.Wait(absl::Minutes(30));
  const List events = bed.Events("c");
  REQUIRE(events.size() == 1);
  CHECK_THAT(events[0], Catch::StartsWith("Warning UnParseableCronJobSchedule unparseable schedule "
                                          "for cronjob: 61 * * * *: ") &&
                            Catch::Contains("minute") &&
                            Catch::EndsWith("; no job is made until it is mended"));
  bed.Patch(kCrons + "/c", R"({"spec":{"schedule":"*/5 * * * *"}})");
  bed.Wait(absl::Minutes(6));
  CHECK(bed.Jobs().size() == 1);
}

TEST_CASE("cron jobs: a zone inside the schedule works and is warned of",
          "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"TZ=UTC 10 10 * * *","timeZone":"Pacific/Honolulu")");
  bed.GoTo(ClockTime("10:11"));
  CHECK(bed.Jobs() == List{RunName(ClockTime("10:10"))});
  CHECK(bed.Reasons() == List{"UnsupportedSchedule", "SuccessfulCreate"});
  CHECK(bed.Events("c")[0] ==
        "Warning UnsupportedSchedule CRON_TZ or TZ in the schedule \"TZ=UTC 10 10 * * *\" is not "
        "officially supported. If set, the TimeZone field will be ignored during execution.");
}

TEST_CASE("cron jobs: names that are taken", "[controllers][cron_job]") {
  const std::string name = RunName(ClockTime("10:05"));
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  bed.Create(kJobs, StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",)",
                           R"("metadata":{"name":")", name, R"("},"spec":)", kTask, "}"));
  bed.GoTo(ClockTime("10:06"));
  CHECK(bed.Active().empty());
  CHECK(bed.Reasons() == List{"ForeignJob"});
}

TEST_CASE("cron jobs: an active job that vanished", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  bed.GoTo(ClockTime("10:06"));
  bed.DeleteJob(RunName(ClockTime("10:05")));
  CHECK(bed.Active().empty());
  CHECK(bed.Reasons() == List{"SuccessfulCreate", "StaleReference"});
  // It is not made once more.
  bed.GoTo(ClockTime("10:09"));
  CHECK(bed.Jobs().empty());
}

TEST_CASE("cron jobs: a job that was never written down", "[controllers][cron_job]") {
  struct Case {
    std::string policy;
    List jobs;  // After the next run is due.
  };
  const std::string next = RunName(ClockTime("10:05"));
  const Case c = GENERATE_COPY(
      values<Case>({{"Allow", {next, "lost"}}, {"Forbid", {"lost"}}, {"Replace", {next}}}));
  CAPTURE(c.policy);
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(StrCat(R"("schedule":"*/5 * * * *","concurrencyPolicy":")", c.policy, "\""));
  const std::string uid(bed.Get(kCrons + "/c").At({"metadata", "uid"}).AsString());
  bed.Create(kJobs, StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":)",
                           R"({"name":"lost","ownerReferences":[{"apiVersion":)",
                           R"("batch.volcano.sh/v1alpha1","kind":"CronJob","name":"c","uid":")",
                           uid, R"(","controller":true}]},"spec":)", kTask, "}"));
  bed.Settle();
  CHECK(bed.Reasons() == List{"OrphanedJob"});
  CHECK(bed.Active().empty());
  bed.GoTo(ClockTime("10:06"));
  CHECK(bed.Jobs() == c.jobs);
}

TEST_CASE("cron jobs: a changed schedule counts from then on", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"0 * * * *")");
  bed.GoTo(ClockTime("10:30"));
  bed.Patch(kCrons + "/c", R"({"spec":{"schedule":"*/10 * * * *"}})");
  bed.GoTo(ClockTime("10:39"));
  const size_t before = bed.Jobs().size();
  bed.GoTo(ClockTime("10:41"));
  CHECK(bed.Jobs().back() == RunName(ClockTime("10:40")));
  CHECK(before == 0);
  bed.Patch(kCrons + "/c", R"({"spec":{"schedule":"nonsense"}})");
  bed.Settle();
  CHECK(bed.Reasons().back() == "UnParseableCronJobSchedule");
}

TEST_CASE("cron jobs: a process that ended between creating and writing down",
          "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH") return std::nullopt;
    test::Fault fault;
    fault.unsent = true;
    return fault;
  };
  bed.GoTo(ClockTime("10:06"));
  REQUIRE(bed.Jobs().size() == 1);
  REQUIRE(bed.Active().empty());
  bed.Kill();
  bed.line->script = nullptr;
  bed.StartCrons();
  CHECK(bed.Jobs().size() == 1);
  CHECK(bed.Active() == bed.Jobs());
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartCrons();
  CHECK(bed.writes == writes);
}

TEST_CASE("cron jobs: a run that is over before it was written down is not run again",
          "[controllers][cron_job]") {
  const bool cleaned_up = GENERATE(false, true);  // By the history; else by somebody else.
  const std::string phase = GENERATE("Completed", "Failed", "Terminated");
  CAPTURE(cleaned_up, phase);
  CronJobBed bed;
  bed.StartCrons();
  const std::string limit = cleaned_up ? "0" : "5";
  bed.MakeCron(StrCat(R"("schedule":"*/5 * * * *","successfulJobsHistoryLimit":)", limit,
                      R"(,"failedJobsHistoryLimit":)", limit));
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH" || !absl::StrContains(request.target, "/cronjobs/")) {
      return std::nullopt;
    }
    test::Fault fault;
    fault.unsent = true;
    return fault;
  };
  bed.GoTo(ClockTime("10:06"));
  const std::string run = RunName(ClockTime("10:05"));
  REQUIRE(bed.Jobs() == List{run});
  bed.Kill();
  bed.SetJob(run, phase);
  // One more that dies before it has written anything down.
  bed.StartCrons();
  CHECK(bed.Jobs() == List{run});
  bed.Kill();
  bed.line->script = nullptr;
  bed.StartCrons();
  CHECK(bed.Status()["lastScheduleTime"].AsString() == "2025-03-11T10:05:00Z");
  CHECK(bed.Active().empty());
  if (!cleaned_up) bed.DeleteJob(run);
  int made = 0;
  bed.line->on_answer = [&made](const std::string& what, int code) {
    made += absl::StartsWith(what, "POST") && absl::EndsWith(what, "/jobs") && code == 201;
  };
  bed.GoTo(ClockTime("10:09"));
  CHECK(made == 0);
  bed.GoTo(ClockTime("10:11"));
  bed.line->on_answer = nullptr;
  CHECK(made == 1);
  const bool kept = cleaned_up && phase == "Terminated";  // It belongs to no history.
  CHECK(bed.Jobs() ==
        (kept ? List{run, RunName(ClockTime("10:10"))} : List{RunName(ClockTime("10:10"))}));
}

// The answer to its creation is lost, and the watch has yet to tell of it.
TEST_CASE("cron jobs: a job that is found to be over counts as run", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.TellLate("jobs", absl::Minutes(2));
  bed.StartCrons();
  bed.MakeCron(R"("schedule":"*/5 * * * *")");
  const std::string uid(bed.Get(kCrons + "/c").At({"metadata", "uid"}).AsString());
  const std::string run = RunName(ClockTime("10:05"));
  bed.GoTo(ClockTime("10:04"));
  bed.Create(kJobs,
             StrCat(R"({"metadata":{"name":")", run, R"(","ownerReferences":[{"apiVersion":)",
                    R"("batch.volcano.sh/v1alpha1","kind":"CronJob","name":"c","uid":")", uid,
                    R"(","controller":true}]},"spec":)", kTask, "}"));
  bed.SetJob(run, "Completed");
  bed.GoTo(ClockTime("10:05") + absl::Seconds(10));
  CHECK(bed.Status()["lastScheduleTime"].AsString() == "2025-03-11T10:05:00Z");
  CHECK(bed.Active().empty());
  bed.Kill();
}

// It died before it had written anything down; a second look at 10:10 would make that run again.
TEST_CASE("cron jobs: a run made by a process whose clock is ahead is made once",
          "[controllers][cron_job]") {
  CronJobBed bed;
  const std::string policy = GENERATE("Allow", "Forbid", "Replace");
  CAPTURE(policy);
  bed.StartCrons();
  bed.MakeCron(StrCat(R"("schedule":"*/5 * * * *","concurrencyPolicy":")", policy, "\""));
  const std::string uid(bed.Get(kCrons + "/c").At({"metadata", "uid"}).AsString());
  const std::string run = RunName(ClockTime("10:10"));
  bed.GoTo(ClockTime("10:04"));
  for (const std::string& name : {run, RunName(ClockTime("11:10"))}) {  // That is no run.
    bed.Create(kJobs,
               StrCat(R"({"metadata":{"name":")", name, R"(","ownerReferences":[{"apiVersion":)",
                      R"("batch.volcano.sh/v1alpha1","kind":"CronJob","name":"c","uid":")", uid,
                      R"(","controller":true}]},"spec":)", kTask, "}"));
  }
  bed.GoTo(ClockTime("10:06"));
  CHECK(bed.Jobs() == List{run, RunName(ClockTime("11:10"))});
  CHECK(bed.Active() == List{run});
  CHECK(bed.Status()["lastScheduleTime"].AsString() == "2025-03-11T10:10:00Z");
  bed.DeleteJob(run);
  bed.GoTo(ClockTime("10:14"));
  CHECK(bed.Jobs() == List{RunName(ClockTime("11:10"))});
  bed.GoTo(ClockTime("10:16"));  // Less than an hour before that one.
  CHECK(bed.Status()["lastScheduleTime"].AsString() <= "2025-03-11T10:15:00Z");
}

TEST_CASE("cron jobs: one that cannot be read says so", "[controllers][cron_job]") {
  CronJobBed bed;
  bed.StartCrons();
  bed.Create(kCrons, R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":)"
                     R"({"spec":{"tasks":[{"name":"t","policies":[{"event":"PodFailed",)"
                     R"("action":"RestartJob","timeout":"soon"}]}]}}}})");
  bed.Settle();
  REQUIRE(bed.Events("c").size() == 1);
  CHECK_THAT(bed.Events("c")[0],
             Catch::StartsWith("Warning Unreadable the CronJob cannot be read, ") &&
                 Catch::Contains("spec.jobTemplate.spec.tasks[0].policies[0].timeout"));
}

}  // namespace
}  // namespace bth::controllers
