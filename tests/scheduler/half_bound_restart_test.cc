// Gangs of which a scheduler that is no more had bound a part.
#include "base/strings.h"
#include "tests/scheduler/gang_bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Fault;
using testing::GangBed;

struct RestartBed : GangBed {
  std::vector<std::string> evicted;

  RestartBed() {
    line->on_request = [this](const net::Request& request) {
      if (absl::EndsWith(request.target, "/eviction")) evicted.push_back(request.target);
    };
  }
  // The scheduler dies when "a" and "b" are bound and the binding of "c" has not left it; those
  // of its later life go as `fault` says, from try number 1 on.
  void DieHalfWay(std::function<std::optional<Fault>(size_t n)> fault) {
    Submit([fault](size_t n) -> std::optional<Fault> {
      if (n == 0) return Fault{.delay = absl::Seconds(5)};
      return fault(n);
    });
    executor.Advance(absl::Seconds(2));
    REQUIRE(NodeOf("a") == "n1");
    REQUIRE(NodeOf("b") == "n1");
    REQUIRE(tries.size() == 1);
    scheduler.reset();
    executor.Advance(absl::Seconds(10));
    REQUIRE(NodeOf("c").empty());
    REQUIRE(Told().empty());
  }
  // The scheduler dies when all three are bound and the group's phase does not say so yet.
  void DieBeforeThePhase() {
    Group("g", 3);
    Settle();
    REQUIRE(Phase() == "Inqueue");
    line->script = [](const net::Request& request) -> std::optional<Fault> {
      if (request.method != "PATCH" || !absl::EndsWith(request.target, "/podgroups/g")) {
        return std::nullopt;
      }
      return Fault{.delay = absl::Seconds(5)};
    };
    for (const char* pod : {"a", "b", "c"}) Pod(pod, "g", 1);
    executor.Advance(absl::Seconds(2));
    for (const char* pod : {"a", "b", "c"}) REQUIRE(NodeOf(pod) == "n1");
    scheduler.reset();
    line->script = nullptr;
    executor.Advance(absl::Seconds(10));
    REQUIRE(Phase() == "Inqueue");
    REQUIRE(Condition(GroupPath("g"), "Scheduled").empty());
  }
  // As DieHalfWay, while the group's status is written: one of its pods runs already.
  void DieHalfWayOnceTold() {
    Submit([](size_t) { return Fault{.code = 429, .retry_after = "10"}; });
    executor.Advance(absl::Seconds(1));
    SetPodPhase("a", "Running", executor.Now());
    executor.Advance(absl::Seconds(4));
    scheduler.reset();
    line->script = nullptr;
    executor.Advance(absl::Minutes(2));
    for (const char* pod : {"a", "b"}) REQUIRE(NodeOf(pod) == "n1");
    REQUIRE(NodeOf("c").empty());
    const Json status = Get(GroupPath("g"))["status"];
    REQUIRE(status["phase"].AsString() == "Inqueue");
    REQUIRE(status["running"].AsInt() == 1);
  }
  std::string Phase() {
    return std::string(Get(GroupPath("g")).At({"status", "phase"}).AsString());
  }
  // As a kubelet does that took the pod up at `started`.
  void SetPodPhase(const std::string& pod, const std::string& phase, absl::Time started) {
    const std::string at = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", started, absl::UTCTimeZone());
    REQUIRE(Call("PATCH", StrCat("/api/v1/namespaces/default/pods/", pod, "/status"),
                 StrCat(R"({"status":{"phase":")", phase, R"(","startTime":")", at, R"("}})"),
                 "application/merge-patch+json")
                .code == 200);
  }
  // A pod of a role of the group "g", on the node unless that is empty.
  void RolePod(const std::string& name, const std::string& role, const std::string& node) {
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","annotations":{"scheduling.k8s.io/group-name":"g",)",
                  R"("volcano.sh/task-spec":")", role, R"("}},"spec":{"nodeName":")", node,
                  R"(","schedulerName":"volcano","containers":[{"name":"c","image":"i",)",
                  R"("resources":{"requests":{"cpu":"1"}}}]}})"));
  }
  // Room goes to a pod that others placed.
  void TakeRoom(int cpu) {
    Pod("other", "", cpu, "somebody");
    Create("/api/v1/namespaces/default/pods/other/binding",
           R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"other"},)"
           R"("target":{"kind":"Node","name":"n1"}})");
  }
};

const std::vector<std::string> kBothEvicted = {"/api/v1/namespaces/default/pods/a/eviction",
                                               "/api/v1/namespaces/default/pods/b/eviction"};

TEST_CASE("half-bound gang: what a dead scheduler left is completed when there is room",
          "[scheduler]") {
  RestartBed bed;
  bed.DieHalfWay([](size_t) { return std::nullopt; });
  bed.Start();
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.tries.size() == 2);
  CHECK(bed.Told().empty());
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.evicted.empty());
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
}

TEST_CASE("half-bound gang: what a dead scheduler left is released when there is no room",
          "[scheduler]") {
  RestartBed bed;
  bed.DieHalfWay([](size_t) { return std::nullopt; });
  bed.TakeRoom(2);
  bed.Start();
  CHECK(bed.Told() ==
        "True BindingInterrupted: 2 of the 3 pods that the gang needs are bound: the scheduler was "
        "started again before it had bound the others; it is completed when there is room");
  CHECK(bed.Events("PartiallyBound") == 1);
  CHECK(bed.Metric("batholith_half_bound_gangs") == 1);
  bed.executor.Advance(absl::Minutes(9));
  CHECK(bed.evicted.empty());
  bed.executor.Advance(absl::Seconds(65));
  CHECK(bed.evicted == kBothEvicted);
  CHECK(bed.Events("Releasing") == 1);
  for (const char* pod : {"a", "b"}) bed.LetGo(pod);
  bed.Settle();
  CHECK(bed.Told() == "False Released: none of its pods is bound any more");
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
  CHECK(bed.tries.size() == 1);
}

TEST_CASE("half-bound gang: that all bindings were asked for does not say that they came about",
          "[scheduler]") {
  RestartBed bed;
  bed.DieHalfWayOnceTold();
  CHECK(bed.Condition(RestartBed::GroupPath("g"), "Scheduled").empty());
  bed.TakeRoom(2);
  bed.Start();
  CHECK(absl::StartsWith(bed.Told(), "True BindingInterrupted: 2 of the 3 pods"));
  bed.executor.Advance(absl::Minutes(11));
  CHECK(bed.evicted == kBothEvicted);
}

TEST_CASE("half-bound gang: room that comes in time completes what a dead scheduler left",
          "[scheduler]") {
  RestartBed bed;
  bed.DieHalfWay([](size_t) { return std::nullopt; });
  bed.TakeRoom(2);
  bed.Start();
  bed.executor.Advance(absl::Minutes(5));
  bed.LetGo("other");
  bed.Settle();
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.Told() == "False Completed: all pods that the gang needs are bound");
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.evicted.empty());
}

TEST_CASE("half-bound gang: what a dead scheduler left and nobody lets complete is released",
          "[scheduler]") {
  RestartBed bed;
  bed.DieHalfWay([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  bed.Start();
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: 2 of the 3 pods"));
  bed.executor.Advance(absl::Minutes(11));
  CHECK(bed.evicted == kBothEvicted);
}

TEST_CASE("half-bound gang: one that was whole under a former scheduler is left alone",
          "[scheduler]") {
  RestartBed bed;
  bed.Submit([](size_t) { return std::nullopt; });
  bed.executor.Advance(absl::Seconds(2));
  REQUIRE(bed.NodeOf("c") == "n1");
  SECTION("it loses a member while nobody is there") {
    bed.scheduler.reset();
    bed.LetGo("c");
  }
  SECTION("it loses a member before its scheduler goes") {
    bed.LetGo("c");
    bed.Settle();
    bed.scheduler.reset();
  }
  bed.TakeRoom(2);
  bed.Pod("c2", "g", 1);
  bed.Start();
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.NodeOf("c2").empty());
  CHECK(bed.Told().empty());
  CHECK(bed.evicted.empty());
}

TEST_CASE("half-bound gang: that it stood says nothing of pods that were made later",
          "[scheduler]") {
  RestartBed bed;
  bed.Submit([](size_t) { return std::nullopt; });
  bed.executor.Advance(absl::Seconds(5));
  const std::string told = bed.Condition(RestartBed::GroupPath("g"), "Scheduled");
  REQUIRE(absl::StrContains(told, ": the gang stands with pods made by 20"));
  bed.scheduler.reset();
  const bool all_go = GENERATE(false, true);
  CAPTURE(all_go);
  for (const char* pod : {"b", "c"}) bed.LetGo(pod);
  if (all_go) bed.LetGo("a");
  bed.executor.Advance(absl::Seconds(5));
  // A life of the scheduler that placed some of the new ones, and wrote nothing else.
  for (const char* pod : {"d", "e", "f"}) bed.Pod(pod, "g", 1);
  for (const char* pod : {"d", "e"}) {
    if (std::string(pod) == "d" && !all_go) continue;
    bed.Create(StrCat("/api/v1/namespaces/default/pods/", pod, "/binding"),
               StrCat(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")", pod,
                      R"("},"target":{"kind":"Node","name":"n1"}})"));
  }
  bed.TakeRoom(2);
  bed.Start();
  CHECK(bed.Told().empty() != all_go);
  CHECK(bed.Condition(RestartBed::GroupPath("g"), "Scheduled") == told);
  bed.executor.Advance(absl::Minutes(11));
  CHECK(bed.evicted.size() == (all_go ? 2 : 0));
}

TEST_CASE("half-bound gang: one whose phase was never written is whole by its pods",
          "[scheduler]") {
  RestartBed bed;
  bed.DieBeforeThePhase();
  bed.Start();
  CHECK(bed.Phase() == "Running");
  CHECK(absl::StartsWith(bed.Condition(RestartBed::GroupPath("g"), "Scheduled"), "True"));
  CHECK(bed.Told().empty());
  // A member that fails later and is made anew is placed alone.
  bed.SetPodPhase("c", "Failed", bed.executor.Now());
  bed.Pod("c2", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("c2") == "n1");
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.Told().empty());
  CHECK(bed.evicted.empty());
}

TEST_CASE("half-bound gang: a member that ended while nobody was there had made the gang whole",
          "[scheduler]") {
  RestartBed bed;
  bed.DieBeforeThePhase();
  bed.SetPodPhase("c", GENERATE(as<std::string>(), "Failed", "Unknown"), bed.executor.Now());
  bed.TakeRoom(2);
  bed.Pod("c2", "g", 1);
  bed.Start();
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.NodeOf("c2").empty());
  CHECK(bed.Told().empty());
  CHECK(bed.evicted.empty());
}

TEST_CASE("half-bound gang: a PodGroup that comes after the scheduler is told of what was bound",
          "[scheduler]") {
  RestartBed bed;
  const bool stood = GENERATE(false, true);
  CAPTURE(stood);
  if (stood) {
    bed.DieBeforeThePhase();
    bed.SetPodPhase("c", "Failed", bed.executor.Now());
  } else {
    bed.DieHalfWay([](size_t) { return std::nullopt; });
  }
  bed.TakeRoom(2);
  bed.Call("DELETE", RestartBed::GroupPath("g"));
  bed.Start();
  bed.executor.Advance(absl::Minutes(15));
  CHECK(bed.evicted.empty());
  bed.Group("g", 3);
  bed.executor.Advance(absl::Minutes(9));
  CHECK(absl::StartsWith(bed.Told(), stood ? "" : "True BindingInterrupted: 2 of the 3 pods"));
  CHECK(bed.Told().empty() == stood);
  CHECK(bed.evicted.empty());
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.evicted == (stood ? std::vector<std::string>() : kBothEvicted));
}

TEST_CASE("half-bound gang: pods that ended before the others were made do not count",
          "[scheduler]") {
  RestartBed bed;
  bed.Pod("old", "g", 1);
  bed.SetPodPhase("old", "Unknown", bed.executor.Now());
  bed.executor.Advance(absl::Minutes(5));
  bed.DieHalfWay([](size_t) { return std::nullopt; });
  bed.TakeRoom(2);
  bed.Start();
  CHECK(absl::StartsWith(bed.Told(), "True BindingInterrupted: 2 of the 3 pods"));
  bed.executor.Advance(absl::Minutes(11));
  CHECK(bed.evicted == kBothEvicted);
}

TEST_CASE("half-bound gang: one that lacks the pods of a role is not whole, however many are bound",
          "[scheduler]") {
  RestartBed bed;
  bed.scheduler.reset();
  const std::string phase = GENERATE("Inqueue", "Running");
  CAPTURE(phase);
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
             StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                    R"("metadata":{"name":"g"},"spec":{"minMember":3,"queue":"default",)",
                    R"("minTaskMember":{"master":1,"worker":2}}})"));
  REQUIRE(bed.Call("PATCH", RestartBed::GroupPath("g"),
                   StrCat(R"({"status":{"phase":")", phase, R"("}})"),
                   "application/merge-patch+json")
              .code == 200);
  for (const char* pod : {"w1", "w2", "w3"}) bed.RolePod(pod, "worker", "n1");
  bed.TakeRoom(1);
  bed.RolePod("m", "master", "");
  bed.Start();
  const bool stood = phase == "Running";
  CHECK(bed.Told() ==
        (stood ? ""
               : "True BindingInterrupted: 3 pods of the gang are bound, and of some role or group "
                 "too few: the scheduler was started again before it had bound the others; it is "
                 "completed when there is room"));
  bed.executor.Advance(absl::Minutes(11));
  CHECK(bed.evicted.size() == (stood ? 0 : 3));
}

TEST_CASE("half-bound gang: where no plugin keeps gangs whole, there are none", "[scheduler]") {
  RestartBed bed;
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path =
      folder.Write("scheduler.conf",
                   "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: predicates\n");
  SECTION("after a restart") {
    bed.DieHalfWay([](size_t) { return std::nullopt; });
    bed.TakeRoom(2);
    bed.Start(options);
  }
  SECTION("after a failed binding") {
    bed.scheduler.reset();
    bed.Start(options);
    bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  }
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.NodeOf("a") == "n1");
  CHECK(bed.NodeOf("c").empty());
  CHECK(bed.Told().empty());
  CHECK(bed.evicted.empty());
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
  bed.scheduler.reset();
}

}  // namespace
}  // namespace bth::scheduler
