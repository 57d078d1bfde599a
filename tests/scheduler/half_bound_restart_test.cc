// Gangs of which a scheduler that is no more had bound a part.
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
