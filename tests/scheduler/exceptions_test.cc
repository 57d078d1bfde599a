// Exceptions in the middle of anything: the scheduler goes on, on a state that it has read anew.
#include <stdexcept>

#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;

// An action that throws in the first `failures` cycles.
class Thrower final : public framework::Action {
 public:
  explicit Thrower(int* failures) : failures_(failures) {}
  std::string_view name() const override { return "thrower"; }
  absl::Status Execute(framework::Session&) override {
    if (*failures_ > 0) {
      --*failures_;
      throw std::out_of_range("no such task");
    }
    return absl::OkStatus();
  }

 private:
  int* const failures_;
};

struct ThrowingBed : Bed {
  test::TempFolder folder;
  int failures = 0;

  void StartWithThrower() {
    registry.actions["thrower"] = [this](const conf::Arguments&) {
      return std::make_unique<Thrower>(&failures);
    };
    SchedulerOptions options;
    options.policy.path = folder.Write("scheduler.conf", R"(
actions: "enqueue, thrower, allocate, backfill"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: nodeorder}]
)");
    Start(options);
  }
};

TEST_CASE("exceptions: a cycle that one cuts off is followed by others", "[scheduler]") {
  ThrowingBed bed;
  bed.Node("n1", 4);
  bed.StartWithThrower();
  bed.failures = 3;
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.failures == 0);
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.Metric("batholith_mirror_rebuilds_total") >= 1);
  CHECK(bed.Metric(R"(batholith_defects_total{where="cycle"})") == 3);
}

TEST_CASE("exceptions: a task that one cuts off makes the cluster be read anew", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  const double before = bed.Metric("batholith_mirror_rebuilds_total");
  bed.executor.Post([] { throw std::out_of_range("halfway"); });
  bed.Settle();
  CHECK(bed.Metric("batholith_mirror_rebuilds_total") == before + 1);
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
  bed.escapes_expected = 1;
}

TEST_CASE("exceptions: one in the middle of a request ends neither the lane nor the pod",
          "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  int failures = 2;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<Fault> {
    const bool bind = absl::EndsWith(request.target, "/binding");
    if (!bind || failures == 0) return std::nullopt;
    --failures;
    throw std::bad_alloc();
  };
  for (const char* name : {"a", "b", "c"}) {
    bed.Group(name, 1);
    bed.Pod(name, name, 1);
  }
  bed.executor.Advance(absl::Minutes(2));
  for (const char* name : {"a", "b", "c"}) CHECK(bed.NodeOf(name) == "n1");
  CHECK(bed.scheduler->drained());
  bed.escapes_expected = 2;
}

TEST_CASE("exceptions: a gang that one leaves in part tells of it, and is completed",
          "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  bool throws = true;
  bed.line->script = [&throws](const net::Request& request) -> std::optional<Fault> {
    if (absl::EndsWith(request.target, "/pods/b/binding") && throws) throw std::bad_alloc();
    return std::nullopt;
  };
  bed.Group("g", 2);
  for (const char* pod : {"a", "b"}) bed.Pod(pod, "g", 1);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.NodeOf("a") == "n1");
  CHECK(bed.Condition(bed.GroupPath("g"), "PartiallyBound") ==
        "True BindingInterrupted: 1 of the 2 pods that the gang needs are bound: an error of the "
        "scheduler cut off the binding of pod default/b to node n1; it is completed when there is "
        "room");
  throws = false;
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.NodeOf("b") == "n1");
  CHECK(absl::StartsWith(bed.Condition(bed.GroupPath("g"), "PartiallyBound"), "False Completed"));
  CHECK(bed.executor.barrier().caught() >= 1);
  bed.escapes_expected = bed.executor.barrier().caught();
}

}  // namespace
}  // namespace bth::scheduler
