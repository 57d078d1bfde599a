#include <stdexcept>

#include "base/strings.h"
#include "tests/scheduler/gang_bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;
using testing::GangBed;

TEST_CASE("half-bound gang: a refused binding is said and the next cycle completes it",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t n) {
    return n == 0 ? std::optional<Fault>({.code = 422, .reason = "Invalid"}) : std::nullopt;
  });
  bed.executor.Advance(absl::Seconds(3));
  CHECK(bed.NodeOf("a") == "n1");
  CHECK(bed.NodeOf("b") == "n1");
  CHECK(bed.NodeOf("c").empty());
  CHECK(absl::StartsWith(bed.Told(),
                         "True BindingRefused: 2 of the 3 pods that the gang needs are bound: pod "
                         "default/c could not be bound to node n1: "));
  CHECK(bed.Events("PartiallyBound") == 1);
  CHECK(bed.Metric("batholith_half_bound_gangs") == 1);
  bed.Settle();
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.tries.size() == 2);
  CHECK(bed.tries[1] - bed.tries[0] >= absl::Seconds(5));
  CHECK(bed.Told() == "False Completed: all pods that the gang needs are bound");
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
}

TEST_CASE("half-bound gang: refused for ever, its bound pods are released after ten minutes",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  std::vector<std::string> evicted;
  bed.line->on_request = [&evicted](const net::Request& request) {
    if (absl::EndsWith(request.target, "/eviction")) evicted.push_back(request.target);
  };
  // Whoever sets the clock meanwhile makes the time neither shorter nor longer.
  bed.executor.SetClock(absl::Hours(GENERATE(-1, 0, 1)));
  bed.executor.Advance(absl::Minutes(9));
  CHECK(bed.tries.size() >= 5);
  CHECK(bed.tries.size() <= 10);  // 5 s, 10 s … 5 min.
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: "));
  CHECK(bed.Events("PartiallyBound") == 1);
  CHECK(bed.Metric("batholith_half_bound_gangs") == 1);
  CHECK(evicted.empty());
  bed.executor.Advance(absl::Seconds(65));
  const std::vector<std::string> both = {"/api/v1/namespaces/default/pods/a/eviction",
                                         "/api/v1/namespaces/default/pods/b/eviction"};
  CHECK(evicted == both);
  CHECK(bed.Events("Releasing") == 1);
  for (const char* pod : {"a", "b"}) bed.LetGo(pod);
  bed.Settle();
  CHECK(bed.Told() == "False Released: none of its pods is bound any more");
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
  // What its controller makes anew waits out the longest pause, then it is tried from the start.
  const size_t tries = bed.tries.size();
  for (const char* pod : {"a2", "b2"}) bed.Pod(pod, "g", 1);
  bed.executor.Advance(absl::Minutes(4));
  CHECK(bed.tries.size() == tries);
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.tries.size() == tries + 1);
  CHECK(evicted == both);
  // Others are not held up.
  bed.Group("h", 1);
  bed.Pod("d", "h", 1);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.NodeOf("d") == "n1");
}

TEST_CASE("half-bound gang: while it pauses, its PodGroup counts what runs and what has ended",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  const auto count = [&bed](const char* what) {
    return bed.Get(bed.GroupPath("g"))["status"][what].AsInt();
  };
  // The fifth pause, of 80 s, has just begun.
  bed.executor.Advance(absl::Seconds(80));
  const size_t tries = bed.tries.size();
  REQUIRE(tries == 5);
  const std::string phase(bed.Get(bed.GroupPath("g"))["status"]["phase"].AsString());
  bed.SetPhase("a", "Running");
  bed.SetPhase("b", "Running");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(count("running") == 2);
  bed.SetPhase("a", "Failed");
  bed.SetPhase("b", "Succeeded");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(count("running") == 0);
  CHECK(count("failed") == 1);
  CHECK(count("succeeded") == 1);
  CHECK(bed.Get(bed.GroupPath("g"))["status"]["phase"].AsString() == phase);
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: 1 of the 3 pods "));
  CHECK(bed.tries.size() == tries);
}

TEST_CASE("half-bound gang: what finds no room any more releases it too", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t n) {
    return n == 0 ? std::optional<Fault>({.code = 422, .reason = "Invalid"}) : std::nullopt;
  });
  bed.executor.Advance(absl::Seconds(2));
  // The room of the third pod goes to somebody of higher rank before it is tried again.
  bed.Group("other", 1);
  bed.Pod("other", "other", 2);
  bed.executor.Advance(absl::Minutes(9));
  REQUIRE(bed.NodeOf("other") == "n1");
  CHECK(bed.NodeOf("c").empty());
  CHECK(bed.tries.size() == 1);
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: "));
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.Told() == "False Released: none of its pods is bound any more");
}

// Nothing is left to be released: what waits must not wait for that.
TEST_CASE("half-bound gang: when all that was bound has ended, the rest is tried on",
          "[scheduler]") {
  GangBed bed;
  bool refuses = true;
  bed.Submit([&refuses](size_t) {
    return refuses ? std::optional<Fault>({.code = 403, .reason = "Forbidden"}) : std::nullopt;
  });
  size_t evictions = 0;
  bed.line->on_request = [&evictions](const net::Request& request) {
    evictions += absl::EndsWith(request.target, "/eviction") ? 1 : 0;
  };
  bed.executor.Advance(absl::Minutes(5));
  for (const char* pod : {"a", "b"}) bed.SetPhase(pod, "Succeeded");
  bed.executor.Advance(absl::Minutes(20));
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: 2 of the 3 pods"));
  refuses = false;
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.Told() == "False Completed: all pods that the gang needs are bound");
  CHECK(evictions == 0);
}

TEST_CASE("half-bound gang: one that was whole before is told of and left alone", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return std::nullopt; });
  bed.executor.Advance(absl::Seconds(2));
  REQUIRE(bed.NodeOf("c") == "n1");
  size_t evictions = 0;
  bed.line->on_request = [&evictions](const net::Request& request) {
    evictions += absl::EndsWith(request.target, "/eviction") ? 1 : 0;
  };
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/pods/c2/binding")) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.LetGo("c");
  bed.Pod("c2", "g", 1);
  bed.executor.Advance(absl::Hours(1));
  CHECK(absl::StartsWith(bed.Told(), "True MemberLost: 2 of the 3 pods that the gang needs"));
  CHECK(evictions == 0);
  CHECK(bed.NodeOf("a") == "n1");
}

TEST_CASE("half-bound gang: a PodGroup that is made anew is told of the pods that are bound",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  std::vector<std::string> evicted;
  bed.line->on_request = [&evicted](const net::Request& request) {
    if (absl::EndsWith(request.target, "/eviction")) evicted.push_back(request.target);
  };
  bed.executor.Advance(absl::Minutes(8));
  REQUIRE(absl::StartsWith(bed.Told(), "True BindingRefused: 2 of the 3 pods"));
  bed.Call("DELETE", GangBed::GroupPath("g"));
  // Its controller is at once there, or is not.
  const absl::Duration away = GENERATE(absl::ZeroDuration(), absl::Minutes(5));
  bed.executor.Advance(away);
  bed.Group("g", 3);
  bed.tries.clear();
  bed.executor.Advance(absl::Minutes(1));
  CHECK(absl::StartsWith(bed.Told(), "True BindingRefused: 2 of the 3 pods"));
  // It pauses again once the server has refused that one too.
  CHECK(bed.tries.size() == 1);
  CHECK(bed.Metric("batholith_half_bound_gangs") == 1);
  CHECK(evicted.empty());
  bed.executor.Advance(absl::Minutes(10));
  CHECK(evicted.size() == 2);
  CHECK(bed.Events("Releasing") == 1);
}

TEST_CASE("half-bound gang: without a PodGroup nothing is told or released", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  size_t evictions = 0;
  bed.line->on_request = [&evictions](const net::Request& request) {
    evictions += absl::EndsWith(request.target, "/eviction") ? 1 : 0;
  };
  bed.executor.Advance(absl::Seconds(3));
  REQUIRE(absl::StartsWith(bed.Told(), "True BindingRefused: "));
  bed.Call("DELETE", GangBed::GroupPath("g"));
  bed.executor.Advance(absl::Hours(1));
  CHECK(evictions == 0);
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
  // Its pods go, and it starts again.
  for (const char* pod : {"a", "b"}) bed.LetGo(pod);
  bed.Settle();
  bed.line->script = nullptr;
  bed.Group("g", 3);
  for (const char* pod : {"a2", "b2"}) bed.Pod(pod, "g", 1);
  bed.executor.Advance(absl::Minutes(6));
  for (const char* pod : {"a2", "b2", "c"}) CHECK(bed.NodeOf(pod) == "n1");
  CHECK(bed.Told().empty());
}

TEST_CASE("half-bound gang: one that was whole is left alone when its PodGroup is made anew",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return std::nullopt; });
  bed.executor.Advance(absl::Seconds(2));
  REQUIRE(bed.NodeOf("c") == "n1");
  size_t evictions = 0;
  bed.line->on_request = [&evictions](const net::Request& request) {
    evictions += absl::EndsWith(request.target, "/eviction") ? 1 : 0;
  };
  bed.LetGo("c");
  bed.Call("DELETE", GangBed::GroupPath("g"));
  bed.executor.Advance(GENERATE(absl::ZeroDuration(), absl::Minutes(5)));
  bed.Group("g", 3);
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.Told().empty());
  CHECK(evictions == 0);
  CHECK(bed.NodeOf("a") == "n1");
}

TEST_CASE("half-bound gang: while the server cannot be reached nothing is given up",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 503, .reason = "ServiceUnavailable"}; });
  size_t evictions = 0;
  bed.line->on_request = [&evictions](const net::Request& request) {
    evictions += absl::EndsWith(request.target, "/eviction") ? 1 : 0;
  };
  bed.executor.Advance(absl::Hours(1));
  CHECK(absl::StartsWith(bed.Told(), "True ServerUnreachable: "));
  CHECK(evictions == 0);
}

TEST_CASE("half-bound gang: a pod deleted on its way leaves room for another", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.delay = absl::Seconds(1)}; });
  bed.executor.Advance(absl::Milliseconds(500));
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/c?gracePeriodSeconds=0");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.Told() ==
        "True PodGone: 2 of the 3 pods that the gang needs are bound: pod default/c was deleted "
        "before it was bound; it is completed when another pod takes its place");
  bed.Pod("c2", "g", 1);
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.NodeOf("c2") == "n1");
  CHECK(absl::StartsWith(bed.Told(), "False Completed: "));
}

TEST_CASE("half-bound gang: a pod deleted while the last one is on its way is missed",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.delay = absl::Seconds(2)}; });
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(bed.NodeOf("a") == "n1");
  REQUIRE(bed.NodeOf("c").empty());
  bed.LetGo("a");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.Told() ==
        "True PodGone: 2 of the 3 pods that the gang needs are bound: others of its pods went "
        "before the last one was bound; it is completed when another pod takes its place");
  SECTION("another pod takes its place") {
    bed.Pod("d", "g", 1);
    bed.executor.Advance(absl::Seconds(5));
    CHECK(absl::StartsWith(bed.Told(), "False Completed: "));
  }
  SECTION("none does") {
    bed.executor.Advance(absl::Minutes(11));
    CHECK(bed.Events("Releasing") == 1);
  }
}

TEST_CASE("half-bound gang: when the bound ones go, it is not half bound any more", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 403, .reason = "Forbidden"}; });
  bed.executor.Advance(absl::Seconds(3));
  REQUIRE(absl::StartsWith(bed.Told(), "True "));
  for (const char* pod : {"a", "b"}) {
    bed.Call("DELETE", StrCat("/api/v1/namespaces/default/pods/", pod, "?gracePeriodSeconds=0"));
  }
  bed.Settle();
  CHECK(bed.Told() == "False Released: none of its pods is bound any more");
  CHECK(bed.Metric("batholith_half_bound_gangs") == 0);
}

TEST_CASE("half-bound gang: failures pause the job by their class", "[scheduler]") {
  struct Case {
    Fault fault;
    absl::Duration first_pause;
  };
  const Case cases[] = {
      {{.code = 409, .reason = "Conflict"}, absl::Seconds(1)},
      {{.code = 500, .reason = "InternalError"}, absl::Milliseconds(500)},
      {{.code = 503, .reason = "ServiceUnavailable"}, absl::Milliseconds(500)},
      {{.unsent = true}, absl::Milliseconds(500)},
      {{.code = 400, .reason = "BadRequest"}, absl::Seconds(5)},
  };
  for (const Case& c : cases) {
    INFO("code " << c.fault.code);
    GangBed bed;
    bed.Submit([&c](size_t n) { return n < 2 ? std::optional<Fault>(c.fault) : std::nullopt; });
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.NodeOf("c") == "n1");
    REQUIRE(bed.tries.size() == 3);
    CHECK(bed.tries[1] - bed.tries[0] >= c.first_pause);
    CHECK(bed.tries[1] - bed.tries[0] <= c.first_pause + absl::Milliseconds(300));
    CHECK(bed.tries[2] - bed.tries[1] >= 2 * c.first_pause);
  }
}

TEST_CASE("half-bound gang: a lost answer is read back, not tried again", "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.answer_lost = true}; });
  bed.Settle();
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(bed.tries.size() == 1);
  CHECK(bed.Told().empty());
}

// The binding to its node is tried again when that goes, or the pod does.
TEST_CASE("half-bound gang: a binding that nobody wants any more leaves a gang that is told of",
          "[scheduler]") {
  GangBed bed;
  bed.Pod("other", "", 2, "somebody");
  bed.Create("/api/v1/namespaces/default/pods/other/binding",
             R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"other"},)"
             R"("target":{"kind":"Node","name":"n1"}})");
  bed.Node("n2", 1);
  std::string busy;
  bed.line->script = [&busy](const net::Request& request) -> std::optional<Fault> {
    const bool binds = absl::EndsWith(request.target, "/binding");
    if (!binds || !absl::StrContains(request.body, "n2")) return std::nullopt;
    busy = request.target.substr(0, request.target.rfind('/'));
    return Fault{.code = 429, .retry_after = "2"};
  };
  bed.Group("g", 3);
  for (const char* pod : {"a", "b", "c"}) bed.Pod(pod, "g", 1);
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(!busy.empty());
  const std::string pod = busy.substr(busy.rfind('/') + 1);
  SECTION("the node goes") {
    bed.Call("DELETE", "/api/v1/nodes/n2");
    bed.executor.Advance(absl::Seconds(10));
    CHECK(bed.Told() == StrCat("True BindingInterrupted: 2 of the 3 pods that the gang needs are "
                               "bound: node n2 went before pod default/",
                               pod, " was bound to it; it is completed when there is room"));
    bed.Node("n3", 1);
  }
  SECTION("the pod goes") {
    bed.LetGo(pod);
    bed.executor.Advance(absl::Seconds(10));
    CHECK(bed.Told() ==
          StrCat("True PodGone: 2 of the 3 pods that the gang needs are bound: pod default/", pod,
                 " was deleted before it was bound; it is completed when another pod takes its "
                 "place"));
    bed.line->script = nullptr;
    bed.Pod("d", "g", 1);
  }
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.Told() == "False Completed: all pods that the gang needs are bound");
}

// Its bindings that wait end then: no object says that their pods are there.
TEST_CASE("half-bound gang: one is told of and released though the cluster is read anew meanwhile",
          "[scheduler]") {
  GangBed bed;
  bed.Submit([](size_t) { return Fault{.code = 429, .retry_after = "10"}; });
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(bed.NodeOf("b") == "n1");
  REQUIRE(bed.tries.size() == 1);
  bed.Pod("other", "", 2, "somebody");
  bed.Create("/api/v1/namespaces/default/pods/other/binding",
             R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"other"},)"
             R"("target":{"kind":"Node","name":"n1"}})");
  std::vector<std::string> evicted;
  bed.line->on_request = [&evicted](const net::Request& request) {
    if (absl::EndsWith(request.target, "/eviction")) evicted.push_back(request.target);
  };
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    const bool lists_pods = absl::StartsWith(request.target, "/api/v1/pods?");
    if (!lists_pods || absl::StrContains(request.target, "watch=")) return std::nullopt;
    return Fault{.delay = absl::Seconds(20)};
  };
  const double before = bed.Metric("batholith_mirror_rebuilds_total");
  bed.executor.Post([] { throw std::out_of_range("halfway"); });
  bed.escapes_expected = 1;
  bed.executor.Advance(absl::Minutes(1));
  REQUIRE(bed.Metric("batholith_mirror_rebuilds_total") == before + 1);
  CHECK(bed.Told() ==
        "True BindingInterrupted: 2 of the 3 pods that the gang needs are bound: the scheduler "
        "read the cluster anew before it had bound the others; it is completed when there is room");
  CHECK(bed.tries.size() == 1);
  bed.executor.Advance(absl::Minutes(8));
  CHECK(evicted.empty());
  bed.executor.Advance(absl::Minutes(3));
  CHECK(evicted == std::vector<std::string>{"/api/v1/namespaces/default/pods/a/eviction",
                                            "/api/v1/namespaces/default/pods/b/eviction"});
}

}  // namespace
}  // namespace bth::scheduler
