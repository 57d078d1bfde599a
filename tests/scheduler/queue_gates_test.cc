// Pods that wait at Volcano's own scheduling gate until their queue has room, and what queues are
// told about themselves.
#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;
using types::Json;

constexpr const char* kGate = "scheduling.volcano.sh/queue-allocation-gate";
constexpr const char* kGatesConf = R"(
actions: "enqueue, allocate"
tiers:
- plugins: [{name: gang}, {name: capacity, enableHierarchy: true}, {name: predicates}]
)";

struct GateBed : Bed {
  explicit GateBed(int gate_removals = 5) { removals = gate_removals; }

  void Begin(const char* conf = kGatesConf) {
    SchedulerOptions options;
    options.policy.path = folder.Write("scheduler.conf", conf);
    options.gate_removals = removals;
    Start(options);
  }
  void Queue(const std::string& name, const std::string& spec) {
    Create("/apis/scheduling.volcano.sh/v1beta1/queues",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)",
                  R"("metadata":{"name":")", name, R"("},"spec":)", spec, "}"));
  }
  void GroupIn(const std::string& name, const std::string& queue) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minMember":1,"queue":")", queue,
                  R"("}})"));
  }
  void Gated(const std::string& name, const std::string& group, int cpu,
             const std::string& opted_in = "true", const std::string& more_gates = "") {
    Create(
        "/api/v1/namespaces/default/pods",
        StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
               R"(","annotations":{"scheduling.k8s.io/group-name":")", group, R"(",")", kGate,
               R"(":")", opted_in, R"("}},"spec":{"schedulingGates":[{"name":")", kGate, R"("})",
               more_gates, R"(],"schedulerName":"volcano","containers":[{"name":"c","image":"i",)",
               R"("resources":{"requests":{"cpu":")", cpu, R"("}}}]}})"));
  }
  size_t GatesOf(const std::string& pod) {
    const Json gates =
        Get("/api/v1/namespaces/default/pods/" + pod).At({"spec", "schedulingGates"});
    return gates.is_array() ? gates.size() : 0;
  }
  // Events of that reason: "Kind/name message" and how often it was told.
  std::vector<std::string> Events(const std::string& reason) {
    std::vector<std::string> out;
    const Json events = Get("/api/v1/namespaces/default/events");
    for (const Json& event : events["items"].items()) {
      if (event["reason"].AsString() != reason) continue;
      out.push_back(StrCat(std::string(event.At({"involvedObject", "kind"}).AsString()), "/",
                           std::string(event.At({"involvedObject", "name"}).AsString()), " x",
                           event["count"].AsInt()));
    }
    return out;
  }

  test::TempFolder folder;
  int removals = 5;
};

TEST_CASE("queue gates: a pod's own gate goes when its queue has room, then it is bound",
          "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Queue("q", R"({"weight":1,"capability":{"cpu":"2"}})");
  bed.GroupIn("a", "q");
  bed.GroupIn("b", "q");
  bed.Begin();
  bed.Gated("a-0", "a", 2);
  bed.Settle();
  CHECK(bed.GatesOf("a-0") == 0);
  CHECK(bed.NodeOf("a-0") == "n1");
  // The queue is full: the next one keeps its gate, until there is room.
  bed.Gated("b-0", "b", 1);
  bed.Settle();
  CHECK(bed.GatesOf("b-0") == 1);
  CHECK(bed.NodeOf("b-0").empty());
  const size_t writes = bed.writes;
  bed.Settle();
  CHECK(bed.writes == writes);
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/a-0?gracePeriodSeconds=0");
  bed.Settle();
  CHECK(bed.GatesOf("b-0") == 0);
  CHECK(bed.NodeOf("b-0") == "n1");
}

TEST_CASE("queue gates: other gates, and pods that did not ask for it, are left alone",
          "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Group("g", 1);
  bed.Begin();
  bed.Gated("other", "g", 1, "true", R"(,{"name":"example.com/hold"})");
  bed.Gated("silent", "g", 1, "false");
  bed.Settle();
  CHECK(bed.GatesOf("other") == 2);
  CHECK(bed.GatesOf("silent") == 1);
}

TEST_CASE("queue gates: without the feature gates stay", "[scheduler]") {
  GateBed bed(0);
  bed.Node("n1", 8);
  bed.Group("g", 1);
  bed.Begin();
  bed.Gated("p", "g", 1);
  bed.Settle();
  CHECK(bed.GatesOf("p") == 1);
  CHECK(bed.NodeOf("p").empty());
}

TEST_CASE("queue gates: the room of a pod without its gate is kept for it", "[scheduler]") {
  GateBed bed;
  bed.Queue("q", R"({"weight":1,"capability":{"cpu":"2"}})");
  bed.GroupIn("a", "q");
  bed.GroupIn("b", "q");
  bed.Node("small", 1);  // Too small for the first.
  bed.Begin();
  bed.Gated("a-0", "a", 2);
  bed.Settle();
  CHECK(bed.GatesOf("a-0") == 0);
  CHECK(bed.NodeOf("a-0").empty());
  // Would fit the node, and the capability if nothing were kept.
  bed.Gated("b-0", "b", 1);
  bed.Settle();
  CHECK(bed.GatesOf("b-0") == 1);
  CHECK(bed.NodeOf("b-0").empty());
}

TEST_CASE("queue gates: a removal that fails is tried again", "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Group("g", 1);
  int failures = 2;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    const bool removal =
        request.method == "PATCH" && absl::StrContains(request.body, "schedulingGates");
    if (!removal || failures == 0) return std::nullopt;
    --failures;
    return Fault{.code = 500, .reason = "InternalError"};
  };
  bed.Begin();
  bed.Gated("p", "g", 1);
  bed.Settle();
  CHECK(failures == 0);
  CHECK(bed.GatesOf("p") == 0);
  CHECK(bed.NodeOf("p") == "n1");
}

TEST_CASE("queue notices: what is wrong with a queue is told on it, once", "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Queue("lost", R"({"weight":1,"parent":"nowhere"})");
  bed.Queue("a", R"({"weight":1,"parent":"b"})");
  bed.Queue("b", R"({"weight":1,"parent":"a"})");
  bed.Queue("good",
            R"({"weight":1,"capability":{"cpu":"1"},"guarantee":{"resource":{"cpu":"2"}}})");
  bed.GroupIn("g", "good");
  bed.Begin();
  for (int i = 0; i < 3; ++i) {
    bed.Pod(StrCat("p", i), "g", 1);
    bed.Settle();
  }
  CHECK(bed.NodeOf("p0") == "n1");
  CHECK(bed.Events("ParentNotFound") == std::vector<std::string>{"Queue/lost x1"});
  CHECK(bed.Events("QueueCycle") == std::vector<std::string>{"Queue/a x1", "Queue/b x1"});
  CHECK(bed.Events("GuaranteeExceedsCapability") == std::vector<std::string>{"Queue/good x1"});
}

TEST_CASE("queue notices: parents that lead nowhere are told where no policy looks at them",
          "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Queue("lost", R"({"weight":1,"parent":"nowhere"})");
  bed.Queue("self", R"({"weight":1,"parent":"self"})");
  bed.Queue("shut", R"({"weight":1,"capability":{"cpu":"0","memory":"1Gi"}})");
  bed.GroupIn("a", "lost");
  bed.GroupIn("b", "self");
  bed.GroupIn("c", "shut");
  bed.Begin(R"(
actions: "enqueue, allocate"
tiers:
- plugins: [{name: gang}, {name: proportion}, {name: predicates}]
)");
  for (const char* group : {"a", "b", "c"}) {
    bed.Pod(StrCat("p", group), group, 1);
    bed.Settle();
  }
  for (const char* pod : {"pa", "pb", "pc"}) CHECK(bed.NodeOf(pod) == "n1");
  CHECK(bed.Events("ParentNotFound") == std::vector<std::string>{"Queue/lost x1"});
  CHECK(bed.Events("QueueCycle") == std::vector<std::string>{"Queue/self x1"});
  CHECK(bed.Events("ZeroCapability") == std::vector<std::string>{"Queue/shut x1"});
  // Mended, and wrong again: told again.
  const auto limit = [&bed](const std::string& cpu) {
    bed.Call("PATCH", "/apis/scheduling.volcano.sh/v1beta1/queues/shut",
             StrCat(R"({"spec":{"capability":{"cpu":")", cpu, R"("}}})"),
             "application/merge-patch+json");
  };
  limit("5");
  bed.Pod("more", "c", 1);
  bed.Settle();
  limit("0");
  bed.Settle();
  CHECK(bed.Events("ZeroCapability") == std::vector<std::string>{"Queue/shut x2"});
}

TEST_CASE("queue status: parents show what their children hold, whoever placed it", "[scheduler]") {
  GateBed bed;
  bed.Node("n1", 8);
  bed.Queue("p", R"({"weight":1})");
  bed.Queue("c", R"({"weight":1,"parent":"p"})");
  bed.GroupIn("g", "c");
  bed.Begin();
  bed.Pod("mine", "g", 1);
  bed.Pod("theirs", "g", 2, "other-scheduler");
  bed.Call("POST", "/api/v1/namespaces/default/pods/theirs/binding",
           R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"theirs"},)"
           R"("target":{"kind":"Node","name":"n1"}})");
  bed.Settle();
  for (const char* queue : {"c", "p", "root"}) {
    CAPTURE(queue);
    const Json shown = bed.Get(StrCat("/apis/scheduling.volcano.sh/v1beta1/queues/", queue));
    CHECK(shown.At({"status", "allocated", "cpu"}).AsString() == "3");
    CHECK(shown.At({"status", "allocated", "pods"}).AsString() == "2");
  }
  const size_t writes = bed.writes;
  bed.Settle();
  CHECK(bed.writes == writes);
}

// What was written last to the one that is gone, the new one has not.
TEST_CASE("queue status: a queue that is made anew shows what it holds", "[scheduler]") {
  GateBed bed;
  const std::string path = "/apis/scheduling.volcano.sh/v1beta1/queues/q";
  bed.Node("n1", 8);
  bed.Queue("q", R"({"weight":1})");
  bed.GroupIn("g", "q");
  bed.Begin();
  bed.Pod("mine", "g", 3);
  bed.Settle();
  REQUIRE(bed.Get(path).At({"status", "allocated", "cpu"}).AsString() == "3");
  bed.Call("DELETE", path);
  bed.Queue("q", R"({"weight":1})");
  bed.Settle();
  CHECK(bed.Get(path).At({"status", "allocated", "cpu"}).AsString() == "3");
}

}  // namespace
}  // namespace bth::scheduler
