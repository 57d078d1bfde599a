// Jobs that were refused are left alone until something may help them, and go on saying why.
#include "base/strings.h"
#include "scheduler/explain.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

struct DeepQueueBed : testing::Bed {
  // A node of 4 cores; the jobs ask for more than it has left.
  explicit DeepQueueBed(SchedulerOptions options = {}) {
    Node("n1", 4);
    Start(std::move(options));
    Group("full", 1);
    Pod("full-0", "full", 3);
    Settle();
    REQUIRE(NodeOf("full-0") == "n1");
    for (const char* job : {"a", "b"}) {
      Group(job, 1);
      Pod(StrCat(job, "-0"), job, 2);
    }
    Settle();
    Settle();
  }
  // A new pod is bound, and nobody else is looked at for it.
  void CheckNewPodAlone() {
    CHECK(unschedulable() == 2);
    Group("new", 1);
    Pod("new-0", "new", 1);
    Settle();
    CHECK(NodeOf("new-0") == "n1");
    CHECK(unschedulable() == 2);
    CHECK(active() <= 1);
  }
  double active() const { return Metric(R"(batholith_pending_jobs{queue="active"})"); }
  double unschedulable() const {
    return Metric(R"(batholith_pending_jobs{queue="unschedulable"})");
  }
};

TEST_CASE("deep queue: a new pod is looked at without the jobs that were refused", "[scheduler]") {
  DeepQueueBed bed;
  bed.CheckNewPodAlone();
  CHECK(bed.Metric("volcano_unschedule_job_count") == 2);
}

TEST_CASE("deep queue: so it is where actions evict and nobody may go", "[scheduler]") {
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf", R"(
actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - {name: priority}
  - {name: gang}
  - {name: predicates}
  - {name: proportion}
)");
  DeepQueueBed bed(std::move(options));
  bed.CheckNewPodAlone();
}

TEST_CASE("deep queue: a refused job goes on saying why", "[scheduler]") {
  DeepQueueBed bed;
  bed.Group("new", 1);
  bed.Pod("new-0", "new", 1);
  bed.Settle();
  CHECK(bed.PodCondition("a-0") ==
        "False Unschedulable: 0/1 nodes are unavailable: 1 Insufficient cpu.");
  std::string page;
  bed.scheduler->Inspect(
      [](const framework::Cycle* cycle) { return ExplainJobPage(*cycle, "default/a").Pretty(); },
      [&page](std::string text) { page = std::move(text); });
  bed.Settle();
  const types::Json explained = types::Json::Parse(page).value();
  CHECK(explained["gate"].AsString() == "Filters");
  CHECK(explained["refused"][0]["message"].AsString() ==
        "0/1 nodes are unavailable: 1 Insufficient cpu.");
}

TEST_CASE("deep queue: room that grows lets a refused job in", "[scheduler]") {
  DeepQueueBed bed;
  SECTION("a pod leaves") {
    bed.Call("DELETE", "/api/v1/namespaces/default/pods/full-0?gracePeriodSeconds=0");
  }
  SECTION("a node comes") {
    bed.Node("n2", 8);
  }
  bed.Settle();
  bed.Settle();
  CHECK(bed.NodeOf("a-0") != "");
  CHECK(bed.NodeOf("b-0") != "");
  CHECK(bed.unschedulable() == 0);
}

TEST_CASE("deep queue: a refused job that asks for less is looked at again", "[scheduler]") {
  DeepQueueBed bed;
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/a-0?gracePeriodSeconds=0");
  bed.Pod("a-1", "a", 1);
  bed.Settle();
  CHECK(bed.NodeOf("a-1") == "n1");
  CHECK(bed.unschedulable() == 1);
}

}  // namespace
}  // namespace bth::scheduler
