#include <set>

#include "base/strings.h"
#include "scheduler/explain.h"
#include "tests/scheduler/bed.h"
#include "tests/support/captured_log.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;

constexpr const char* kEvictionConf = R"(
actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins: [{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}]
- plugins: [{name: predicates}, {name: nodeorder}]
)";

// A full node of two pods of low priority. The pod "high" may evict them; the pod "rival", of the
// queue that comes first, would take any room but may evict nobody.
struct EvictionBed : Bed {
  std::vector<std::string> evicted;

  // `status_fault`: what happens to writes of what pods are told.
  explicit EvictionBed(std::function<std::optional<Fault>()> status_fault) {
    line->script = [fault = std::move(status_fault)](const net::Request& request) {
      const bool status = request.method == "PATCH" && absl::EndsWith(request.target, "/status") &&
                          absl::StrContains(request.target, "/pods/");
      return status ? fault() : std::nullopt;
    };
    line->on_request = [this](const net::Request& request) {
      if (request.method == "DELETE" || absl::EndsWith(request.target, "/eviction")) {
        evicted.push_back(request.target);
      }
    };
    Priority("low", 10);
    Priority("high", 1000);
    Bed::Node("n1", 4);
    SchedulerOptions options;
    options.policy.path = folder.Write("scheduler.conf", kEvictionConf);
    Start(options);
    executor.Advance(absl::Seconds(5));  // The default queue is older.
    Create("/apis/scheduling.volcano.sh/v1beta1/queues",
           R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)"
           R"("metadata":{"name":"second"},"spec":{"weight":1}})");
    for (const char* name : {"low-1", "low-2"}) Submit(name, "second", "low");
    Settle();
    for (const char* name : {"low-1", "low-2"}) REQUIRE(NodeOf(name) == "n1");
    Submit("rival", "default", "low");
    Settle();
    REQUIRE(NodeOf("rival").empty());
  }

  void Priority(const std::string& name, int value) {
    Create("/apis/scheduling.k8s.io/v1/priorityclasses",
           StrCat(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",)",
                  R"("metadata":{"name":")", name, R"("},"value":)", value, "}"));
  }
  void Submit(const std::string& name, const std::string& queue, const std::string& priority) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minMember":1,"queue":")", queue,
                  R"(","priorityClassName":")", priority, R"("}})"));
    Bed::Pod(name, name, 2);
  }
  // As a kubelet does.
  void LetGo(const std::string& pod) {
    Call("DELETE", "/api/v1/namespaces/default/pods/" + pod + "?gracePeriodSeconds=0");
  }
  std::string Nomination(const std::string& pod) {
    return std::string(Get("/api/v1/namespaces/default/pods/" + pod)
                           .At({"status", "nominatedNodeName"})
                           .AsString());
  }

  test::TempFolder folder;
};

TEST_CASE("eviction: a nomination holds before the API server has written it", "[scheduler]") {
  bool slow = false;
  EvictionBed bed(
      [&slow] { return slow ? std::optional<Fault>({.delay = absl::Seconds(20)}) : std::nullopt; });
  slow = true;
  bed.Submit("high", "second", "high");
  bed.executor.Advance(absl::Seconds(5));
  REQUIRE(bed.evicted.size() == 1);
  CHECK(bed.Nomination("high").empty());
  bed.LetGo(absl::StrContains(bed.evicted[0], "low-1") ? "low-1" : "low-2");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.NodeOf("high") == "n1");
  CHECK(bed.NodeOf("rival").empty());
  bed.Settle();
  CHECK(bed.evicted.size() == 1);
}

TEST_CASE("eviction: a refused nomination is forgotten, one that fails for a while is not",
          "[scheduler]") {
  for (const int code : {403, 500}) {
    INFO("code " << code);
    bool fails = false;
    EvictionBed bed([&fails, code] {
      return fails ? std::optional<Fault>({.code = code, .reason = "Told"}) : std::nullopt;
    });
    fails = true;
    bed.Submit("high", "second", "high");
    bed.executor.Advance(absl::Milliseconds(300));
    const auto view = bed.scheduler->mirror().Pod("default/high");
    REQUIRE(view.has_value());
    CHECK(view->assumed_nomination == (code == 403 ? "" : "n1"));
  }
}

TEST_CASE("eviction: a budget that forbids it is told, and others or later tries take its place",
          "[scheduler]") {
  EvictionBed bed([] { return std::nullopt; });
  std::vector<absl::Time> refused;
  std::string first;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/eviction")) return std::nullopt;
    if (first.empty()) first = request.target;
    if (request.target != first) return std::nullopt;
    refused.push_back(bed.executor.Now());
    return Fault{.code = 429,
                 .reason = "TooManyRequests",
                 .message = "Cannot evict pod as it would violate the pod's disruption budget."};
  };
  bed.Submit("high", "second", "high");
  bed.executor.Advance(absl::Seconds(5));
  // The other one goes instead.
  REQUIRE(bed.evicted.size() == 2);
  CHECK(bed.evicted[0] != bed.evicted[1]);
  CHECK(refused.size() == 1);
  const types::Json events = bed.Get("/api/v1/namespaces/default/events");
  std::set<std::string> told;
  for (const types::Json& event : events["items"].items()) {
    if (event["reason"].AsString() != "EvictionRefused") continue;
    told.insert(std::string(event.At({"involvedObject", "name"}).AsString()));
    CHECK(absl::StrContains(std::string(event["message"].AsString()), "disruption budget"));
  }
  const std::string victim = absl::StrContains(first, "low-1") ? "low-1" : "low-2";
  CHECK(told == std::set<std::string>{victim, "high"});
  // A second one has nobody else: the pauses between its tries grow.
  bed.LetGo(victim == "low-1" ? "low-2" : "low-1");
  bed.Submit("high-2", "second", "high");
  bed.executor.Advance(absl::Minutes(10));
  REQUIRE(refused.size() >= 4);
  CHECK(refused.size() <= 8);
  for (size_t i = 2; i < refused.size(); ++i) {
    CHECK(refused[i] - refused[i - 1] >= refused[i - 1] - refused[i - 2]);
  }
  CHECK(bed.NodeOf(victim) == "n1");
}

TEST_CASE("eviction: without the right to evict there is one line and one event, then ever fewer",
          "[scheduler]") {
  EvictionBed bed([] { return std::nullopt; });
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/eviction")) return std::nullopt;
    return Fault{.code = 403,
                 .reason = "Forbidden",
                 .message =
                     "pods \"p\" is forbidden: User \"me\" cannot create resource "
                     "\"pods/eviction\" in API group \"\" in the namespace \"default\""};
  };
  test::CapturedLog log(LogLevel::kInfo);
  bed.Submit("high", "second", "high");
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.evicted.size() >= 6);
  std::vector<std::string> told;
  for (const std::string& line : log.Take()) {
    CHECK_FALSE(absl::StartsWith(line, "cycle.acted"));
    CHECK_FALSE(absl::StartsWith(line, "pod.eviction"));
    if (absl::StartsWith(line, "eviction.forbidden action=preempt ")) told.push_back(line);
  }
  REQUIRE(told.size() >= 2);
  CHECK(told.size() <= 6);
  CHECK(absl::StrContains(told[0], "grant create on pods/eviction, as deploy/overlays/evicting"));
  CHECK(absl::StrContains(told[0], " refused=1 next_line_in=10s"));
  int64_t events = 0;
  const types::Json listed = bed.Get("/api/v1/namespaces/default/events");
  for (const types::Json& event : listed["items"].items()) {
    CHECK(event["reason"].AsString() != "EvictionRefused");
    if (event["reason"].AsString() != "EvictionForbidden") continue;
    events += std::max<int64_t>(event["count"].AsInt(), 1);
    CHECK(event.At({"involvedObject", "name"}).AsString() == "root");
    CHECK_FALSE(event.At({"involvedObject", "uid"}).AsString().empty());
    CHECK(absl::StrContains(std::string(event["message"].AsString()),
                            "lacks the right to create pods/eviction: grant"));
  }
  CHECK(events == static_cast<int64_t>(told.size()));
}

TEST_CASE("eviction: a busy server is asked again after its own delay", "[scheduler]") {
  EvictionBed bed([] { return std::nullopt; });
  std::vector<absl::Time> asked;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/eviction")) return std::nullopt;
    asked.push_back(bed.executor.Now());
    if (asked.size() > 1) return std::nullopt;
    return Fault{.code = 429, .reason = "TooManyRequests", .retry_after = "3"};
  };
  bed.Submit("high", "second", "high");
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(asked.size() == 2);
  CHECK(asked[1] - asked[0] >= absl::Seconds(3));
  CHECK(bed.evicted.size() == 2);
  CHECK(bed.evicted[0] == bed.evicted[1]);
}

TEST_CASE("eviction: the log counts those that the server took", "[scheduler]") {
  EvictionBed bed([] { return std::nullopt; });
  const bool refused = GENERATE(false, true);
  const auto script = [refused](const net::Request& request) -> std::optional<Fault> {
    if (!refused || !absl::EndsWith(request.target, "/eviction")) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden", .message = "a webhook says no"};
  };
  bed.line->script = script;
  test::CapturedLog log(LogLevel::kDebug);
  bed.Submit("high", "second", "high");
  bed.executor.Advance(absl::Seconds(5));
  std::vector<std::string> acted, evicted;
  for (const std::string& line : log.Take()) {
    if (absl::StartsWith(line, "cycle.acted ")) acted.push_back(line);
    if (absl::StartsWith(line, "pod.evicted ")) evicted.push_back(line);
  }
  CHECK(acted.size() == (refused ? 0 : 1));
  CHECK(evicted.size() == (refused ? 0 : 1));
  if (refused) return;
  CHECK(absl::StrContains(acted[0], " bound=0 evicted=1 "));
  CHECK(absl::StrContains(evicted[0], " action=preempt for=default/high"));
}

TEST_CASE("eviction: who protects whom is on the explanation page", "[scheduler]") {
  EvictionBed bed([] { return std::nullopt; });
  bed.Submit("equal", "second", "low");
  bed.Settle();
  std::string page;
  bed.scheduler->Inspect(
      [](const framework::Cycle* cycle) { return ExplainJobPage(*cycle, "default/equal").Dump(); },
      [&page](std::string text) { page = std::move(text); });
  bed.executor.RunUntilIdle();
  INFO(page);
  const auto json = types::Json::Parse(page);
  REQUIRE(json.ok());
  CHECK((*json).At({"victimSearches", "preempt", "candidates"}) == types::Json(2));
  CHECK((*json).At({"victimSearches", "preempt", "protectedBy", "priority"}) == types::Json(2));
  const std::string words =
      "0/1 nodes are unavailable: 1 Insufficient cpu. preempt: 2 candidates; "
      "protected: 2 by priority";
  CHECK(absl::EndsWith(bed.PodCondition("equal"), words));
  CHECK(absl::EndsWith(bed.Condition(Bed::GroupPath("equal"), "Unschedulable"), words));
  CHECK(bed.evicted.empty());
}

}  // namespace
}  // namespace bth::scheduler
