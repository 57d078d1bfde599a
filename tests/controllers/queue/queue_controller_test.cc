#include "controllers/queue/queue_controller.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/controller_bed.h"
#include "tests/controllers/death.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BusAction;
using What = QueueStep::What;

TEST_CASE("queue states: what each request leads to in each state", "[controllers][queue]") {
  struct Case {
    std::string state;
    BusAction action;
    size_t groups;
    What what;
    std::string next;
  };
  const Case c = GENERATE(values<Case>({
      {"", BusAction::kOpenQueue, 0, What::kSync, "Open"},
      {"", BusAction::kCloseQueue, 0, What::kClose, "Closed"},
      {"", BusAction::kSyncQueue, 3, What::kSync, "Open"},
      {"Open", BusAction::kOpenQueue, 0, What::kSync, "Open"},
      {"Open", BusAction::kCloseQueue, 0, What::kClose, "Closed"},
      {"Open", BusAction::kCloseQueue, 3, What::kClose, "Closing"},
      {"Open", BusAction::kSyncQueue, 0, What::kSync, "Open"},
      {"Open", BusAction::kAbortJob, 0, What::kSync, "Open"},
      {"Closed", BusAction::kOpenQueue, 0, What::kOpen, "Open"},
      {"Closed", BusAction::kCloseQueue, 0, What::kSync, "Closed"},
      {"Closed", BusAction::kSyncQueue, 1, What::kSync, "Closed"},
      {"Closing", BusAction::kOpenQueue, 1, What::kOpen, "Open"},
      {"Closing", BusAction::kCloseQueue, 0, What::kSync, "Closed"},
      {"Closing", BusAction::kCloseQueue, 1, What::kSync, "Closing"},
      {"Closing", BusAction::kSyncQueue, 0, What::kSync, "Closed"},
      {"Closing", BusAction::kSyncQueue, 1, What::kSync, "Closing"},
      {"Unknown", BusAction::kOpenQueue, 0, What::kOpen, "Open"},
      {"Unknown", BusAction::kCloseQueue, 0, What::kClose, "Closed"},
      {"Unknown", BusAction::kCloseQueue, 1, What::kClose, "Closing"},
      {"Unknown", BusAction::kSyncQueue, 0, What::kSync, "Unknown"},
  }));
  CAPTURE(c.state, static_cast<int>(c.action), c.groups);
  const std::optional<QueueStep> step = NextQueueStep(c.state, c.action, c.groups);
  REQUIRE(step.has_value());
  CHECK(static_cast<int>(step->what) == static_cast<int>(c.what));
  CHECK(step->state == c.next);
}

TEST_CASE("queue states: a state that nobody knows leads nowhere", "[controllers][queue]") {
  CHECK_FALSE(NextQueueStep("UnseenState", BusAction::kSyncQueue, 0).has_value());
}

class QueueBed : public test::ControllerBed {
 public:
  void StartQueues() {
    Start({[](const ControllerContext& context) {
      return std::make_unique<QueueController>(context);
    }});
  }
  static std::string Path(const std::string& name) {
    return "/apis/scheduling.volcano.sh/v1beta1/queues" + (name.empty() ? "" : "/" + name);
  }
  void MakeQueue(const std::string& name, const std::string& parent = "") {
    Create(Path(""), StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)",
                            R"("metadata":{"name":")", name, R"("},"spec":{"weight":1)",
                            parent.empty() ? "" : StrCat(R"(,"parent":")", parent, "\""), "}}"));
    Settle();
  }
  void MakeGroup(const std::string& name, const std::string& queue) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minMember":1,"queue":")", queue,
                  R"("}})"));
    Settle();
  }
  void Command(const std::string& queue, const std::string& action) {
    Create("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands",
           StrCat(R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":)",
                  R"({"generateName":"c-"},"action":")", action,
                  R"(","target":{"apiVersion":"scheduling.volcano.sh/v1beta1",)",
                  R"("kind":"Queue","name":")", queue, R"(","uid":""}})"));
    Wait(absl::Seconds(1));
  }
  void SetPhase(const std::string& group, const std::string& phase) {
    Patch("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/" + group,
          StrCat(R"({"status":{"phase":")", phase, R"("}})"));
    Settle();
  }
  // "pending inqueue running unknown completed".
  std::string Counts(const std::string& name) {
    const Json status = Get(Path(name))["status"];
    std::string text;
    for (const char* count : {"pending", "inqueue", "running", "unknown", "completed"}) {
      StrAppend(&text, text.empty() ? "" : " ", status[count].AsInt(-1));
    }
    return text;
  }
  std::string State(const std::string& name) {
    return std::string(Get(Path(name)).At({"status", "state"}).AsString());
  }
  std::string Mark(const std::string& name) {
    const Json queue = Get(Path(name));
    return std::string(queue.At({"metadata", "annotations"})[kClosedByParent].AsString());
  }
};

TEST_CASE("queues: a new one gets its parent and is open", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  CHECK(bed.State("root") == "Open");
  CHECK(bed.State("a") == "Open");
  CHECK(bed.Get(QueueBed::Path("a")).At({"spec", "parent"}).AsString() == "root");
  CHECK(bed.Get(QueueBed::Path("root")).At({"spec", "parent"}).AsString().empty());
}

TEST_CASE("queues: nothing is written when nothing changed", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartQueues();
  bed.MakeGroup("g", "a");
  bed.Wait(absl::Minutes(10));
  CHECK(bed.writes == writes);
}

TEST_CASE("queues: the status counts pod groups, written once in five seconds",
          "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  CHECK(bed.Counts("a") == "0 0 0 0 0");
  size_t writes = bed.writes;
  for (int i = 0; i < 6; ++i) bed.MakeGroup(StrCat("g", i), "a");
  for (int i = 0; i < 6; ++i) bed.SetPhase(StrCat("g", i), "Pending");
  bed.SetPhase("g0", "Inqueue");
  bed.SetPhase("g1", "Running");
  bed.SetPhase("g2", "Running");
  bed.SetPhase("g3", "Completed");
  CHECK(bed.Counts("a") == "0 0 0 0 0");
  bed.Wait(kCountsPause);
  CHECK(bed.Counts("a") == "2 1 2 0 1");
  CHECK(bed.State("a") == "Open");
  CHECK(bed.writes == writes + 1);
  SECTION("groups that come and go in between cost no write") {
    bed.SetPhase("g1", "Unknown");
    bed.Wait(absl::Seconds(1));
    bed.SetPhase("g1", "Running");
    bed.Wait(absl::Hours(1));
    CHECK(bed.writes == writes + 1);
  }
  SECTION("changes that never end are told all the time, and no more often") {
    const absl::Time begin = bed.executor.Now();
    for (int i = 0; i < 60; ++i) {
      bed.MakeGroup(StrCat("n", i), "a");
      bed.SetPhase(StrCat("n", i), "Pending");
      bed.Wait(absl::Seconds(1));
    }
    const auto pauses = static_cast<size_t>((bed.executor.Now() - begin) / kCountsPause);
    CHECK(bed.writes <= writes + 1 + pauses);
    CHECK(bed.writes >= writes + 1 + pauses / 2);
    bed.Wait(kCountsPause);
    CHECK(bed.Counts("a") == "62 1 2 0 1");
  }
  SECTION("a new state goes out at once and brings them along") {
    bed.SetPhase("g1", "Completed");
    bed.Command("a", "CloseQueue");
    CHECK(bed.State("a") == "Closing");
    CHECK(bed.Counts("a") == "2 1 1 0 2");
  }
  SECTION("another process finds nothing to write") {
    bed.Kill();
    writes = bed.writes;
    bed.StartQueues();
    bed.Wait(absl::Hours(1));
    CHECK(bed.writes == writes);
  }
  SECTION("what is refused is tried again") {
    bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
      if (!absl::StrContains(request.target, "/queues/a/status")) return std::nullopt;
      test::Fault fault;
      fault.unsent = true;
      return fault;
    };
    bed.SetPhase("g5", "Running");
    bed.Wait(absl::Minutes(10));
    CHECK(bed.Counts("a") == "2 1 2 0 1");
    bed.line->script = nullptr;
    bed.Wait(2 * kCountsPause);
    CHECK(bed.Counts("a") == "1 1 3 0 1");
  }
}

TEST_CASE("queues: where their definition has no parent they are children of root",
          "[controllers][queue]") {
  QueueBed bed;
  const QueueBed::Answer older = bed.Call(
      "PATCH",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/queues.scheduling.volcano.sh",
      R"([{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/)"
      R"(properties/parent"}])",
      "application/json-patch+json");
  INFO(older.text);
  REQUIRE(older.code == 200);
  bed.Settle();
  for (const char* name : {"root", "a", "b"}) bed.MakeQueue(name);
  int parents = 0;
  bed.line->on_request = [&parents](const net::Request& request) {
    if (absl::StrContains(request.body, R"("parent")")) ++parents;
  };
  bed.StartQueues();
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Get(QueueBed::Path("a")).At({"spec", "parent"}).AsString().empty());
  CHECK(bed.State("a") == "Open");
  bed.Command("a", "CloseQueue");
  CHECK(bed.State("a") == "Closed");
  CHECK(bed.State("b") == "Open");
  bed.Command("a", "OpenQueue");
  CHECK(bed.State("a") == "Open");
  CHECK(bed.Events("a") == std::vector<std::string>{"Normal CloseQueue Close queue succeed"});
  // Nothing is asked for again that the server drops: by each of the lanes once, at most.
  CHECK(parents >= 1);
  const int asked = parents;
  const size_t writes = bed.writes;
  bed.Wait(absl::Minutes(30));
  bed.MakeQueue("c");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.State("c") == "Open");
  CHECK(parents == asked);
  CHECK(bed.writes == writes + 1);  // The state of c.
  bed.line->on_request = nullptr;
}

TEST_CASE("queues: closing waits for the last pod group", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.MakeGroup("g", "a");
  bed.StartQueues();
  bed.Command("a", "CloseQueue");
  CHECK(bed.State("a") == "Closing");
  CHECK(bed.Names("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands").empty());
  bed.Call("DELETE", "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/g");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.State("a") == "Closed");
  bed.Command("a", "OpenQueue");
  CHECK(bed.State("a") == "Open");
  CHECK(bed.Mark("a") == "false");
  CHECK(bed.Events("a") == std::vector<std::string>{"Normal CloseQueue Close queue succeed"});
  bed.Command("a", "CloseQeue");
  CHECK(bed.State("a") == "Open");
  CHECK(bed.Names("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands").empty());
  CHECK(bed.Events("a").back() ==
        "Warning UnknownAction queues have no action \"CloseQeue\"; there are OpenQueue and "
        "CloseQueue");
}

TEST_CASE("queues: children close and open with their parent", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("dept");
  bed.MakeQueue("team", "dept");
  bed.MakeQueue("shut", "dept");
  bed.StartQueues();
  bed.Command("shut", "CloseQueue");
  bed.Command("dept", "CloseQueue");
  CHECK(bed.State("dept") == "Closed");
  CHECK(bed.State("team") == "Closed");
  CHECK(bed.Mark("team") == "true");
  CHECK(bed.Mark("shut").empty());

  // A child cannot open before its parent; it says so and stays closed.
  bed.Command("team", "OpenQueue");
  bed.Wait(absl::Minutes(30));
  CHECK(bed.State("team") == "Closed");
  const std::vector<std::string> events = bed.Events("team");
  REQUIRE_FALSE(events.empty());
  CHECK(events.back() ==
        "Warning OpenQueue OpenQueue queue failed for Failed to open queue team because its parent "
        "queue dept is closing or closed. Open the parent queue first.");

  bed.Command("dept", "OpenQueue");
  CHECK(bed.State("dept") == "Open");
  CHECK(bed.State("team") == "Open");
  CHECK(bed.State("shut") == "Closed");  // Closed by hand.
}

TEST_CASE("queues: one that appears below a closed parent closes", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("dept");
  bed.StartQueues();
  bed.Command("dept", "CloseQueue");
  bed.MakeQueue("late", "dept");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.State("late") == "Closed");
  CHECK(bed.Mark("late") == "true");
}

TEST_CASE("queues: a command whose deletion was not answered is carried out once",
          "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  bool lost = false;
  bed.line->script = [&lost](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "DELETE" || lost) return std::nullopt;
    lost = true;
    test::Fault fault;
    fault.answer_lost = true;
    return fault;
  };
  bed.Command("a", "CloseQueue");
  bed.Wait(absl::Minutes(2));
  CHECK(lost);
  CHECK(bed.State("a") == "Closed");
  CHECK(bed.Events("a") == std::vector<std::string>{"Normal CloseQueue Close queue succeed"});
}

// Once: what a status is answered with comes late.
std::function<std::optional<test::Fault>(const net::Request&)> LateStatus(QueueBed& bed) {
  return [&bed](const net::Request& request) -> std::optional<test::Fault> {
    if (!absl::StrContains(request.target, "/queues/a/status")) return std::nullopt;
    bed.executor.Post([&bed] { bed.line->script = nullptr; });
    test::Fault fault;
    fault.answer_delay = absl::Seconds(10);
    return fault;
  };
}

TEST_CASE("queues: one that is made anew during its own sync is synced", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.StartQueues();
  bed.line->script = LateStatus(bed);
  bed.MakeQueue("a");
  bed.Call("DELETE", QueueBed::Path("a"));
  bed.MakeQueue("a");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.State("a") == "Open");
  CHECK(bed.Get(QueueBed::Path("a")).At({"spec", "parent"}).AsString() == "root");
}

TEST_CASE("queues: one that is gone when its state is answered stays gone",
          "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.StartQueues();
  bed.line->script = LateStatus(bed);
  bed.MakeQueue("a");
  bed.Call("DELETE", QueueBed::Path("a"));
  bed.Wait(absl::Minutes(1));
  const size_t calls = bed.calls;
  bed.MakeGroup("g", "a");  // Of a queue that is not there.
  bed.Wait(absl::Minutes(1));
  CHECK(bed.calls == calls);
  CHECK_FALSE(absl::StrContains(bed.metric_registry.RenderText(), "queue_name=\"a\""));
}

TEST_CASE("queues: killed at any write of a command, the end is the same",
          "[controllers][queue][crash]") {
  for (const bool after : {false, true}) {
    int at = 1;
    for (; at < 100; ++at) {
      INFO((after ? "after" : "before") << " write " << at);
      QueueBed bed;
      bed.MakeQueue("root");
      bed.MakeQueue("dept");
      bed.MakeQueue("team", "dept");
      bed.StartQueues();
      test::Death death(*bed.line, at, after, [&bed] {
        bed.Kill();
        bed.StartQueues();
      });
      for (const auto& [action, state] :
           {std::pair("CloseQueue", "Closed"), std::pair("OpenQueue", "Open")}) {
        bed.Command("dept", action);
        death.Bury();
        bed.Wait(absl::Seconds(5));
        CHECK(bed.State("dept") == state);
        CHECK(bed.State("team") == state);
        CHECK(bed.Names("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands").empty());
      }
      // Whatever its mark says by now, it stays closed when it is closed by hand.
      bed.Command("team", "CloseQueue");
      death.Bury();
      bed.Wait(absl::Seconds(5));
      CHECK(bed.State("team") == "Closed");
      if (!death.happened()) break;
    }
    CHECK(at > 5);
    CHECK(at < 100);
  }
}

TEST_CASE("queues: root does not close", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.StartQueues();
  bed.Command("root", "CloseQueue");
  CHECK(bed.State("root") == "Open");
}

TEST_CASE("queues: gauges follow phases and go with the queue", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  bed.MakeGroup("g", "a");
  bed.Patch("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/g",
            R"({"status":{"phase":"Running"}})");
  bed.Wait(absl::Seconds(1));
  const std::string series = "volcano_queue_pod_group_running_count{queue_name=\"a\"} 1";
  CHECK(absl::StrContains(bed.metric_registry.RenderText(), series));
  bed.Call("DELETE", QueueBed::Path("a"));
  bed.Wait(absl::Seconds(1));
  CHECK_FALSE(absl::StrContains(bed.metric_registry.RenderText(), "queue_name=\"a\""));
}

TEST_CASE("queues: counts that somebody else wrote are put right", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  const size_t writes = bed.writes;
  bed.Patch(QueueBed::Path("a") + "/status", R"({"status":{"pending":7}})");
  bed.Wait(kCountsPause);
  CHECK(bed.Counts("a") == "0 0 0 0 0");
  CHECK(bed.writes == writes + 1);
}

TEST_CASE("queues: a status that arrives late changes nothing", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  bed.MakeQueue("a");
  bed.StartQueues();
  std::optional<net::Request> late;
  bed.line->script = [&late](const net::Request& request) -> std::optional<test::Fault> {
    if (late || !absl::StrContains(request.target, "/queues/a/status")) return std::nullopt;
    late = request;
    test::Fault fault;
    fault.code = 504;
    fault.reason = "Timeout";
    return fault;
  };
  bed.MakeGroup("g", "a");
  bed.SetPhase("g", "Pending");
  bed.Wait(2 * kCountsPause);
  REQUIRE(late);
  bed.Command("a", "CloseQueue");
  REQUIRE(bed.State("a") == "Closing");
  CHECK(bed.Call("PATCH", late->target, late->body, "application/apply-patch+yaml").code == 409);
  CHECK(bed.State("a") == "Closing");
}

TEST_CASE("queues: a write that fails is tried again", "[controllers][queue]") {
  QueueBed bed;
  bed.MakeQueue("root");
  int failures = 3;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PATCH" || failures == 0) return std::nullopt;
    --failures;
    test::Fault fault;
    fault.code = 500;
    fault.reason = "InternalError";
    return fault;
  };
  bed.StartQueues();
  bed.Wait(absl::Seconds(5));
  CHECK(failures == 0);
  CHECK(bed.State("root") == "Open");
}

}  // namespace
}  // namespace bth::controllers
