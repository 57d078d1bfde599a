// Flows, cron jobs, queues and pod groups whose controllers die at each of their writes.
#include <string>

#include "base/strings.h"
#include "tests/crashes/crash_bed.h"

namespace bth::test {
namespace {

using types::Json;

// One pod that runs so long.
std::string SmallJob(int seconds, const std::string& more = "") {
  return StrCat(R"({"schedulerName":"volcano","queue":"default","minAvailable":1,"tasks":)",
                R"([{"name":"t","replicas":1,"template":{"metadata":{"annotations":{")", kRunsFor,
                R"(":")", seconds, R"("}},"spec":{"containers":[{"name":"c","image":"i"}],)",
                R"("restartPolicy":"Never"}}}])", more, "}");
}

constexpr const char* kFlows = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobflows";
constexpr const char* kTemplates = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobtemplates";
constexpr const char* kCrons = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/cronjobs";
constexpr const char* kSets = "/apis/apps/v1/namespaces/default/replicasets";

Story FlowStory(const std::string& of_first) {
  const auto submit = [of_first](CrashBed& bed) {
    for (const char* name : {"a", "b", "c"}) {
      bed.Create(kTemplates, StrCat(R"({"metadata":{"name":")", name, R"("},"spec":)",
                                    SmallJob(3, *name == 'a' ? of_first : ""), "}"));
    }
    bed.Create(kFlows, R"({"metadata":{"name":"f"},"spec":{"jobRetainPolicy":"retain","flows":[)"
                       R"({"name":"a"},{"name":"b","dependsOn":{"targets":["a"]}},)"
                       R"({"name":"c","dependsOn":{"targets":["a","b"]}}]}})");
  };
  const auto succeeded = [](CrashBed& bed) {
    return bed.Get(StrCat(kFlows, "/f")).At({"status", "state", "phase"}).AsString() == "Succeed";
  };
  return {{AtOnce(submit), {"the flow succeeds", succeeded, &Nothing}}};
}

TEST_CASE("crashes: a flow of three steps", "[crashes][job_flow]") {
  CheckAllDeaths(FlowStory(""));
}

TEST_CASE("crashes: a flow whose first step is cleaned up at once", "[crashes][job_flow]") {
  CheckAllDeaths(FlowStory(R"(,"ttlSecondsAfterFinished":0)"));
}

TEST_CASE("crashes: a cron job fires twice, one run at a time", "[crashes][cron_job]") {
  const auto submit = [](CrashBed& bed) {
    bed.Create(kCrons, StrCat(R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *",)",
                              R"("concurrencyPolicy":"Forbid","successfulJobsHistoryLimit":1,)",
                              R"("jobTemplate":{"spec":)", SmallJob(70), "}}}"));
  };
  const auto second_runs = [](CrashBed& bed) {
    const Json status = bed.Get(StrCat(kCrons, "/c"))["status"];
    return !status["lastSuccessfulTime"].is_null() && status["active"].size() == 1;
  };
  const auto suspend = [](CrashBed& bed) {
    bed.Patch(StrCat(kCrons, "/c"), R"({"spec":{"suspend":true}})");
  };
  const auto both_done = [](CrashBed& bed) {
    return bed.Get(StrCat(kCrons, "/c")).At({"status", "active"}).empty();
  };
  CheckAllDeaths({{AtOnce(submit),
                   {"the second run", second_runs, suspend},
                   {"the end of the second run", both_done, &Nothing}},
                  {"CronJob c OrphanedJob"}});
}

TEST_CASE("crashes: a queue closes with its children, and opens again", "[crashes][queue]") {
  const auto queue_is = [](const std::string& name, const std::string& state) {
    return [name, state](CrashBed& bed) {
      return bed.Get(StrCat(CrashBed::kQueues, "/", name)).At({"status", "state"}).AsString() ==
             state;
    };
  };
  const auto submit = [](CrashBed& bed) {
    bed.Create(CrashBed::kQueues, R"({"metadata":{"name":"dept"},"spec":{"weight":1}})");
    bed.Create(CrashBed::kQueues,
               R"({"metadata":{"name":"team"},"spec":{"weight":1,"parent":"dept"}})");
    Json job = *Json::Parse(StrCat(R"({"metadata":{"name":"j"},"spec":)", SmallJob(5), "}"));
    job.MutableAt({"spec", "queue"}) = "team";
    bed.Create(CrashBed::kJobs, job.Dump());
  };
  const auto command = [](const std::string& action) {
    return [action](CrashBed& bed) { bed.CommandTo(CrashBed::kQueues, "Queue", "dept", action); };
  };
  const auto completed = [](CrashBed& bed) { return bed.JobIs("j", "Completed"); };
  const auto remove = [](CrashBed& bed) { bed.Call("DELETE", StrCat(CrashBed::kJobs, "/j")); };
  CheckAllDeaths({{AtOnce(submit),
                   {"the job runs", [](CrashBed& bed) { return bed.JobIs("j", "Running"); },
                    command("CloseQueue")},
                   {"team is closing", queue_is("team", "Closing"), &Nothing},
                   {"the job completes", completed, remove},
                   {"team is closed", queue_is("team", "Closed"), command("OpenQueue")},
                   {"team is open", queue_is("team", "Open"), command("CloseQueue")},
                   {"team is closed again", queue_is("team", "Closed"), &Nothing}}});
}

TEST_CASE("crashes: pod groups of plain pods and of a replica set", "[crashes][pod_group]") {
  const auto make_pod = [](CrashBed& bed, const std::string& name, const Json& owner) {
    Json pod = *Json::Parse(StrCat(R"({"metadata":{"name":")", name,
                                   R"("},"spec":{"schedulerName":"volcano","containers":)",
                                   R"([{"name":"c","image":"i"}]}})"));
    if (!owner.is_null()) pod.MutableAt({"metadata", "ownerReferences"}) = Json::MakeArray({owner});
    bed.Create("/api/v1/namespaces/default/pods", pod.Dump());
  };
  const auto submit = [make_pod](CrashBed& bed) {
    bed.Create(kSets, R"({"metadata":{"name":"rs","annotations":)"
                      R"({"scheduling.volcano.sh/group-min-member":"2"}},"spec":{"replicas":2,)"
                      R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":)"
                      R"({"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    Json owner = *Json::Parse(
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","controller":true})");
    owner.Set("uid", bed.Get(StrCat(kSets, "/rs")).At({"metadata", "uid"}));
    make_pod(bed, "rs-1", owner);
    make_pod(bed, "rs-2", owner);
    make_pod(bed, "plain-1", Json());
    make_pod(bed, "plain-2", Json());
  };
  const auto running = [](CrashBed& bed) { return bed.PodsAre(4, "Running"); };
  const auto shrink = [](CrashBed& bed) {
    bed.Call("DELETE", CrashBed::PodPath("plain-2"));
    bed.Patch(StrCat(kSets, "/rs"), R"({"spec":{"replicas":0}})");
    for (const char* pod : {"rs-1", "rs-2"}) bed.Call("DELETE", CrashBed::PodPath(pod));
  };
  const auto one_left = [](CrashBed& bed) { return bed.PodsAre(1, "Running"); };
  CheckAllDeaths(
      {{AtOnce(submit), {"four pods run", running, shrink}, {"one pod runs", one_left, &Nothing}}});
}

}  // namespace
}  // namespace bth::test
