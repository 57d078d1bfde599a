// What is noticed of flows and cron jobs, and what nobody could know better.
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/world/promise_bed.h"

namespace bth::sim {
namespace {

constexpr char kJobs[] = "jobs.batch.volcano.sh";
constexpr char kJobsPath[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/ns/jobs";

std::string MetaOf(std::string_view name, std::string_view uid, std::string_view owner = "") {
  return StrCat(R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":")", uid, "\"", owner,
                "},");
}

std::string Owner(std::string_view kind, std::string_view name) {
  return StrCat(R"(,"ownerReferences":[{"apiVersion":"v1","kind":")", kind, R"(","name":")", name,
                R"(","uid":"u-)", name, R"(","controller":true}])");
}

// A flow f of two jobs in a row, or of two at once.
struct FlowBed : PromiseBed {
  using PromiseBed::PromiseBed;
  void Flow(std::string_view phase, std::string_view completed = "", bool chain = true) {
    Put("jobflows.flow.volcano.sh",
        StrCat(MetaOf("f", "u-f"), R"("spec":{"flows":[{"name":"a"},{"name":"b")",
               chain ? R"(,"dependsOn":{"targets":["a"]})" : "",
               R"(}]},"status":{"state":{"phase":")", phase, R"("},"completedJobs":[)", completed,
               "]}}"));
  }
  static std::string Job(std::string_view name, std::string_view phase) {
    return StrCat(MetaOf(name, StrCat("u-", name), Owner("JobFlow", "f")),
                  R"("status":{"state":{"phase":")", phase, R"("}}})");
  }
  void Make(std::string_view name, std::string_view from = "controllers-0_1") {
    Send(std::string(from), "POST", kJobsPath, Job(name, ""));
    Put(kJobs, Job(name, ""));
  }
  void Turn(std::string_view name, std::string_view phase) { Put(kJobs, Job(name, phase)); }
  void Lose(std::string_view name) { Remove(kJobs, Job(name, "Completed")); }
  void Template(std::string_view name) {
    Put("jobtemplates.flow.volcano.sh", StrCat(MetaOf(name, name), R"("spec":{}})"));
  }
};

TEST_CASE("flows-in-order: a job waits for its targets", "[world][promises]") {
  FlowBed bed(MakeFlowsInOrder);
  bed.Flow("");
  bed.Make("f-a");
  SECTION("to be Completed") {
    bed.Turn("f-a", "Running");
    bed.Make("f-b");
    CHECK(
        absl::StrContains(bed.breach(), "job ns/f-b was made for flow f, which does not have it"));
  }
  SECTION("once they are, though they be gone") {
    bed.Turn("f-a", "Completed");
    bed.Lose("f-a");
    bed.Make("f-b");
    CHECK(bed.breach().empty());
  }
  SECTION("by the flow as it was a moment ago") {
    bed.Flow("", "", false);
    bed.Pass(absl::Minutes(1));
    bed.Flow("");
    bed.Make("f-b");
    CHECK(bed.breach().empty());
  }
  SECTION("not as it was before that") {
    bed.Flow("", "", false);
    bed.Flow("");
    bed.Pass(absl::Minutes(1));
    bed.Make("f-b");
    CHECK_FALSE(bed.breach().empty());
  }
  SECTION("which in bad weather may be all that one has heard") {
    bed.Flow("", "", false);
    bed.Flow("");
    bed.Pass(absl::Minutes(1));
    bed.fair_since = bed.now;
    bed.Make("f-b");
    CHECK(bed.breach().empty());
  }
  SECTION("of another flow nothing counts") {
    bed.Put(kJobs, StrCat(MetaOf("f-a", "other"), R"("status":{"state":{"phase":"Completed"}}})"));
    bed.Make("f-b");
    CHECK_FALSE(bed.breach().empty());
  }
}

TEST_CASE("flows-in-order: what was Completed is not made again", "[world][promises]") {
  FlowBed bed(MakeFlowsInOrder);
  bed.Flow("");
  bed.Make("f-a");
  bed.Turn("f-a", "Completed");
  SECTION("nobody knows of one that was gone before the flow told") {
    bed.Lose("f-a");
    bed.Pass(absl::Minutes(1));
    bed.Make("f-a");
    CHECK(bed.breach().empty());
    return;
  }
  bed.Send("controllers-0_1", "PATCH", "/apis/flow.volcano.sh/v1alpha1/namespaces/ns/jobflows/f");
  bed.Flow("Running", R"("f-a")");
  bed.Lose("f-a");
  SECTION("once the flow has told so") {
    bed.Pass(absl::Minutes(1));
    bed.Make("f-a");
    CHECK(absl::StrContains(bed.breach(), "job ns/f-a was made by controllers-0_1, and flow f"));
  }
  SECTION("in bad weather not by the one that told so") {
    bed.fair_since = bed.now;
    bed.Make("f-a");
    CHECK_FALSE(bed.breach().empty());
  }
  SECTION("others may not have heard") {
    bed.fair_since = bed.now;
    bed.Make("f-a", "controllers-1_1");
    CHECK(bed.breach().empty());
  }
  SECTION("one that began later knows") {
    bed.Pass(absl::Minutes(1));
    bed.fair_since = bed.now;
    bed.sight.old_lists = GENERATE(false, true);
    bed.Make("f-a", "controllers-1_1");
    CHECK(bed.breach().empty() == bed.sight.old_lists);
  }
}

TEST_CASE("flows-end: at rest a flow has ended, or waits for somebody", "[world][promises]") {
  FlowBed bed(MakeFlowsEnd);
  bed.Flow("Running");
  bool is_noticed = false;
  SECTION("its first template is not there") {
    bed.Template("b");
  }
  SECTION("its first job could be made") {
    bed.Template("a");
    is_noticed = true;
  }
  SECTION("that was refused too often") {
    bed.Template("a");
    bed.Send("controllers-0_1", "POST", "/api/v1/namespaces/ns/events",
             R"({"message":"SyncJobFlow JobFlow failed for it","involvedObject":{"uid":"u-f"}})");
  }
  SECTION("a job of somebody else is in its way") {
    bed.Template("a");
    bed.Put(kJobs, StrCat(MetaOf("f-a", "other"), R"("status":{"state":{"phase":"Completed"}}})"));
  }
  SECTION("its first job is aborted") {
    bed.Template("b");
    bed.Turn("f-a", "Aborted");
  }
  SECTION("its first job has failed") {
    bed.Turn("f-a", "Failed");
    is_noticed = true;
  }
  SECTION("the second one could be made") {
    bed.Template("b");
    bed.Turn("f-a", "Completed");
    is_noticed = true;
  }
  SECTION("all are Completed") {
    bed.Turn("f-a", "Completed");
    bed.Turn("f-b", "Completed");
    is_noticed = true;
  }
  bed.promise->AtRest();
  CHECK(bed.breach().empty() != is_noticed);
}

TEST_CASE("flows-end: what a flow is called it has come to", "[world][promises]") {
  FlowBed bed(MakeFlowsEnd);
  bed.Flow("Running");
  bed.Turn("f-a", "Completed");
  SECTION("not each job was Completed") {
    bed.Turn("f-b", "Running");
    bed.Flow("Succeed");
    CHECK(bed.breach() == "flow ns/f is called Succeed, and not each job of it was Completed");
  }
  SECTION("each was, and is gone") {
    bed.Turn("f-b", "Completed");
    bed.Lose("f-b");
    bed.Flow("Succeed");
    CHECK(bed.breach().empty());
  }
  SECTION("none has failed") {
    bed.Flow("Failed");
    CHECK(bed.breach() == "flow ns/f is called Failed, and no job of it has failed");
  }
  SECTION("one has") {
    bed.Turn("f-b", "Failed");
    bed.Flow("Failed");
    CHECK(bed.breach().empty());
  }
}

struct CronBed : PromiseBed {
  CronBed() : PromiseBed(MakeCronOnce) {}
  // `last`: in minutes since 1970, below 60; 0: none.
  void Cron(std::string_view policy, int last = 0) {
    Send("controllers-0_1", "PATCH", "/apis/batch.volcano.sh/v1alpha1/namespaces/ns/cronjobs/c");
    const std::string told =
        last == 0 ? "" : StrCat(R"("lastScheduleTime":"1970-01-01T00:)", last, R"(:00Z")");
    Put("cronjobs.batch.volcano.sh",
        StrCat(MetaOf("c", "u-c"), R"("spec":{"schedule":"* * * * *","concurrencyPolicy":")",
               policy, R"("},"status":{)", told, "}}"));
  }
  static std::string Job(int minute, std::string_view uid, std::string_view phase) {
    return StrCat(MetaOf(StrCat("c-", minute), uid, Owner("CronJob", "c")),
                  R"("status":{"state":{"phase":")", phase, R"("}}})");
  }
  void Make(int minute, std::string_view uid, std::string_view from = "controllers-0_1") {
    Send(std::string(from), "POST", kJobsPath, Job(minute, uid, ""));
    Put(kJobs, Job(minute, uid, ""));
  }
  void Turn(int minute, std::string_view uid, std::string_view phase) {
    Put(kJobs, Job(minute, uid, phase));
  }
  void Lose(int minute, std::string_view uid, std::string_view by) {
    Send(std::string(by), "DELETE", StrCat(kJobsPath, "/c-", minute));
    Remove(kJobs, Job(minute, uid, ""));
  }
};

TEST_CASE("cron-once: a run has one job", "[world][promises]") {
  CronBed bed;
  bed.Cron("Allow");
  bed.Make(20, "first");
  bool is_noticed = true;
  SECTION("when its CronJob has told of the run") {
    bed.Cron("Allow", 20);
    bed.Lose(20, "first", "controllers-0_1");
    bed.Pass(absl::Minutes(1));
  }
  SECTION("or of a later one") {
    bed.Cron("Allow", 21);
    bed.Lose(20, "first", "controllers-0_1");
    bed.Pass(absl::Minutes(1));
  }
  SECTION("when it was taken away before that") {
    bed.fair_since = bed.now;
    bed.Lose(20, "first", "controllers-0_1");
  }
  SECTION("but not when the namespace, or a user, took it") {
    bed.Remove(kJobs, CronBed::Job(20, "first", ""));
    is_noticed = false;
  }
  bed.Make(20, "second");
  bed.Make(30, "third");
  CHECK(bed.breach().empty() != is_noticed);
  CHECK(bed.promise->looks() == 3);
}

TEST_CASE("cron-once: where one forbids another, there is none beside it", "[world][promises]") {
  CronBed bed;
  bed.Cron("Forbid");
  bed.Pass(absl::Minutes(1));
  bed.Make(20, "first");
  bed.Turn(20, "first", "Running");
  std::string from = "controllers-0_1";
  bool is_noticed = false;
  SECTION("while it is active") {
    bed.Pass(absl::Minutes(1));
    is_noticed = true;
  }
  SECTION("in bad weather, of what one made oneself") {
    bed.fair_since = bed.now;
    is_noticed = true;
  }
  SECTION("news of others travel") {
    bed.now += absl::Seconds(3);
    from = "controllers-1_1";
  }
  SECTION("it has ended") {
    bed.Turn(20, "first", "Completed");
    bed.Pass(absl::Minutes(1));
  }
  SECTION("it is not forbidden any more") {
    bed.Pass(absl::Minutes(1));
    bed.Cron("Allow");
  }
  SECTION("that it is forbidden is news") {
    bed.Cron("Allow");
    bed.Pass(absl::Minutes(1));
    bed.Cron("Forbid");
  }
  bed.Make(30, "second", from);
  CHECK(bed.breach().empty() != is_noticed);
}

}  // namespace
}  // namespace bth::sim
