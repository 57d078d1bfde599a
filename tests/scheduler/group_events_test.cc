// What is told on PodGroups in the course of an ordinary life.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler::testing {
namespace {

struct Life : Bed {
  std::string Phase() {
    return std::string(Get(GroupPath("g")).At({"status", "phase"}).AsString());
  }
  // "type reason count" of each event on the PodGroup.
  std::vector<std::string> Told() {
    std::vector<std::string> texts;
    const Json list = Get("/api/v1/namespaces/default/events");
    for (const Json& event : list["items"].items()) {
      if (event.At({"involvedObject", "name"}).AsString() != "g") continue;
      texts.push_back(StrCat(std::string(event["type"].AsString()), " ",
                             std::string(event["reason"].AsString()), " ", event["count"].AsInt()));
    }
    return texts;
  }
  void SetPodPhase(const std::string& pod, const std::string& phase) {
    const Answer answer =
        Call("PATCH", StrCat("/api/v1/namespaces/default/pods/", pod, "/status"),
             StrCat(R"({"status":{"phase":")", phase, R"("}})"), "application/merge-patch+json");
    REQUIRE(answer.code == 200);
  }
  int64_t Version() {
    return std::stoll(
        std::string(Get(GroupPath("g")).At({"metadata", "resourceVersion"}).AsString()));
  }
  int64_t Running() { return Get(GroupPath("g")).At({"status", "running"}).AsInt(); }
};

const char* const kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";

// A group of one pod that wants two cores.
std::string WithMinimum(const std::string& name) {
  return StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                R"("metadata":{"name":")", name, R"("},"spec":{"minMember":1,)",
                R"("queue":"default","minResources":{"cpu":"2"}}})");
}

TEST_CASE("group events: nothing before there are pods, and readiness once", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Group("g", 2);
  bed.Settle();
  CHECK(bed.Phase() == "Inqueue");
  CHECK(bed.Told().empty());
  bed.Pod("p", "g", 1);
  bed.Pod("q", "g", 1);
  bed.Settle();
  CHECK(bed.Phase() == "Running");
  const std::vector<std::string> once = {"Normal Scheduled 1"};
  CHECK(bed.Told() == once);
  for (const char* phase : {"Running", "Succeeded"}) {
    for (const char* pod : {"p", "q"}) bed.SetPodPhase(pod, phase);
    bed.Settle();
  }
  CHECK(bed.Phase() == "Completed");
  CHECK(bed.Told() == once);
}

TEST_CASE("group events: a pod by itself tells by its own event that it is placed", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Group("g", 1);
  bed.Settle();
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.Phase() == "Running");
  CHECK(bed.Told() == std::vector<std::string>());
}

TEST_CASE("group status: that a gang is placed and that it runs is one write", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Group("g", 2);
  bed.Settle();
  const int64_t admitted = bed.Version();
  bed.Pod("p", "g", 1);
  bed.Pod("q", "g", 1);
  bed.executor.Advance(absl::Milliseconds(400));
  CHECK(bed.NodeOf("q") == "n1");
  CHECK(bed.Version() == admitted);
  bed.SetPodPhase("p", "Running");
  bed.SetPodPhase("q", "Running");
  bed.executor.Advance(absl::Milliseconds(400));
  CHECK(bed.Version() == admitted);
  bed.executor.Advance(absl::Milliseconds(400));
  CHECK(bed.Phase() == "Running");
  CHECK(bed.Running() == 2);
  const int64_t told = bed.Version();
  const std::vector<std::string> once = {"Normal Scheduled 1"};
  bed.Settle();
  CHECK(bed.Told() == once);
  CHECK(bed.Version() == told);
}

TEST_CASE("group status: a gang that is placed as it comes is told once, and left alone meanwhile",
          "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Pod("p", "g", 1);
  bed.Pod("q", "g", 1);
  bed.Group("g", 2);
  const int64_t created = bed.Version();
  bed.executor.Advance(absl::Milliseconds(400));
  CHECK(bed.NodeOf("q") == "n1");
  CHECK(bed.Version() == created);
  // A pod of another gang starts a cycle.
  bed.Pod("r", "h", 1);
  bed.Group("h", 1);
  bed.executor.Advance(absl::Milliseconds(200));
  CHECK(bed.NodeOf("r") == "n1");
  CHECK(bed.Metric(R"(batholith_pending_jobs{queue="active"})") <= 1);
  bed.Settle();
  CHECK(bed.Phase() == "Running");
}

TEST_CASE("group status: room of a placed gang is not kept twice while its phase is untold",
          "[scheduler]") {
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf", R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - {name: gang}
  - {name: overcommit, arguments: {overcommit-factor: 1.0}}
  - {name: predicates}
)");
  Life bed;
  bed.Node("n1", 4);
  bed.Start(std::move(options));
  bed.Create(kGroups, WithMinimum("g"));
  bed.Settle();
  bed.Pod("p", "g", 2);
  bed.executor.Advance(absl::Milliseconds(50));
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.Phase() == "Inqueue");
  bed.Create(kGroups, WithMinimum("h"));
  bed.executor.Advance(absl::Milliseconds(50));
  CHECK(bed.Phase() == "Inqueue");
  CHECK(bed.Get(bed.GroupPath("h")).At({"status", "phase"}).AsString() == "Inqueue");
}

TEST_CASE("group events: a PodGroup without pods that is not admitted is told why, once",
          "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Create(kGroups, WithMinimum("old"));
  bed.Pod("o", "old", 2);
  bed.Settle();
  bed.Create(kGroups, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
                      R"("metadata":{"name":"g"},"spec":{"minMember":1,"queue":"default",)"
                      R"("minResources":{"cpu":"3"}}})");
  bed.Settle();
  CHECK(bed.Phase() == "Pending");
  CHECK(bed.Told() == std::vector<std::string>{"Normal Unschedulable 1"});
  const std::string words =
      "resource in cluster is overused: overused cpu: asks for 3 cpu; the cluster, counted 1.2 "
      "times (overcommit-factor), has too little left (as of this writing: 2 of 4800m cpu used or "
      "promised)";
  CHECK(bed.Condition(bed.GroupPath("g"), "Unschedulable") == "True NotEnqueued: " + words);

  // What others use is no news.
  const int64_t version = bed.Version();
  bed.Create(kGroups, WithMinimum("more"));
  bed.Pod("m", "more", 2);
  bed.Settle();
  CHECK(bed.NodeOf("m") == "n1");
  // A new queue makes every job be looked at again.
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/queues",
             R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)"
             R"("metadata":{"name":"other"},"spec":{"weight":1}})");
  bed.Settle();
  CHECK(bed.Version() == version);
  CHECK(bed.Told() == std::vector<std::string>{"Normal Unschedulable 1"});

  bed.Node("n2", 8);
  bed.Settle();
  CHECK(bed.Phase() == "Inqueue");
  CHECK(bed.Condition(bed.GroupPath("g"), "Unschedulable") ==
        "False Enqueued: pod group is admitted to its queue");
  CHECK(bed.Told() == std::vector<std::string>{"Normal Unschedulable 1"});
}

TEST_CASE("group events: the reason is told of a PodGroup without pods too", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Create(kGroups, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
                      R"("metadata":{"name":"g"},"spec":{"minMember":1,"queue":"none"}})");
  bed.Settle();
  REQUIRE(bed.Told() == std::vector<std::string>{"Warning Unschedulable 1"});
  const Json list = bed.Get("/api/v1/namespaces/default/events");
  CHECK(
      list["items"][0]["message"].AsString() ==
      "0/0 tasks in gang unschedulable: pod group is not ready, 1 minAvailable. Origin reason is: "
      "PodGroup default/g names the queue none, which does not exist");
}

TEST_CASE("group status: a group whose queue is gone tells what its pods do", "[scheduler]") {
  Life bed;
  bed.Node("n1", 2);
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/queues",
             R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)"
             R"("metadata":{"name":"q"},"spec":{"weight":1}})");
  bed.Start();
  bed.Create(kGroups, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
                      R"("metadata":{"name":"g"},"spec":{"minMember":2,"queue":"q"}})");
  for (const char* pod : {"p", "q"}) bed.Pod(pod, "g", 1);
  bed.Settle();
  for (const char* pod : {"p", "q"}) bed.SetPodPhase(pod, "Running");
  bed.Settle();
  REQUIRE(bed.Running() == 2);
  REQUIRE(bed.Call("DELETE", "/apis/scheduling.volcano.sh/v1beta1/queues/q").code == 200);
  bed.Settle();
  CHECK(bed.Phase() == "Running");
  CHECK(bed.Condition(bed.GroupPath("g"), "Unschedulable").empty());
  const auto counts = [&bed] {
    const Json status = bed.Get(bed.GroupPath("g"))["status"];
    return StrCat(status["running"].AsInt(), " running, ", status["succeeded"].AsInt(),
                  " succeeded, ", status["failed"].AsInt(), " failed");
  };
  const std::vector<std::string> placed = {"Normal Scheduled 1"};
  SECTION("and that it is not whole any more") {
    constexpr char kPod[] = "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0";
    REQUIRE(bed.Call("DELETE", kPod).code == 200);
    bed.Settle();
    CHECK(counts() == "1 running, 0 succeeded, 0 failed");
    CHECK(bed.Phase() == "Pending");
    CHECK(absl::StartsWith(bed.Condition(bed.GroupPath("g"), "Unschedulable"),
                           "True QueueNotFound: "));
  }
  SECTION("until they have ended") {
    bed.SetPodPhase("p", "Succeeded");
    bed.Settle();
    CHECK(counts() == "1 running, 1 succeeded, 0 failed");
    bed.SetPodPhase("q", "Failed");
    bed.Settle();
    CHECK(counts() == "0 running, 1 succeeded, 1 failed");
    CHECK(bed.Phase() == "Completed");
    CHECK(bed.Told() == placed);
    CHECK(bed.Condition(bed.GroupPath("g"), "Unschedulable").empty());
  }
  SECTION("and why another waits") {
    bed.SetPodPhase("p", "Succeeded");
    bed.Pod("r", "g", 1);
    bed.Settle();
    CHECK(counts() == "1 running, 1 succeeded, 0 failed");
    CHECK(bed.Phase() == "Running");
    CHECK(absl::StartsWith(bed.Condition(bed.GroupPath("g"), "Unschedulable"),
                           "True QueueNotFound: "));
  }
  const int64_t told = bed.Version();
  bed.Settle();
  CHECK(bed.Version() == told);
}

TEST_CASE("group events: pods of a gang that still comes are not called unschedulable",
          "[scheduler]") {
  Life bed;
  bed.Node("n1", 16);
  bed.Start();
  bed.Group("g", 8);
  bed.Settle();
  for (int i = 0; i < 5; ++i) {
    bed.Pod(StrCat("p", i), "g", 1);
    bed.executor.Advance(absl::Milliseconds(1500));
    CHECK(bed.PodCondition("p0").empty());
  }
  // Nobody comes any more.
  bed.executor.Advance(absl::Milliseconds(1500));
  CHECK(absl::StartsWith(bed.PodCondition("p0"), "False Unschedulable: "));
  CHECK(absl::StartsWith(bed.PodCondition("p4"), "False Unschedulable: "));
  for (int i = 5; i < 8; ++i) bed.Pod(StrCat("p", i), "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p0") == "n1");
}

}  // namespace
}  // namespace bth::scheduler::testing
