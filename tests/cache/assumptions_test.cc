#include "cache/cluster/assumptions.h"

#include <string>
#include <vector>

#include "cache/cluster/tables.h"
#include "net/executor_clock.h"
#include "net/virtual_executor.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::NodeId;
using model::TaskId;
using model::TaskStatus;
using testing::PodText;

// Nodes n and m of four cores, and the tables without their front.
struct AssumptionsBed {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  net::ExecutorClock clock{executor};
  Vocabulary vocabulary;
  Tables tables{clock, vocabulary};
  Assumptions& assumptions = tables.assumptions;

  AssumptionsBed() {
    for (const char* name : {"n", "m"}) {
      tables.nodes.Put(testing::MakeNode(name, R"({"cpu":"4","pods":"10"})", vocabulary.symbols()));
    }
  }
  CompiledPod Make(const PodText& text) { return testing::MakePod(text, vocabulary.symbols()); }
  TaskId Add(const PodText& text) {
    const CompiledPod pod = Make(text);
    tables.pods.Announce(pod);
    return tables.pods.Add(pod);
  }
  TaskStatus Status(TaskId id) const { return tables.draft.now.usage.tasks[id].status; }
  std::string NominatedNode(TaskId id) const {
    return std::string(tables.nodes.NameOf(tables.draft.now.tasks[id].nominated_node));
  }
  std::string Fault() const {
    IdVector<NodeId, int32_t> mentions;
    absl::Status status = tables.pods.Check(&mentions);
    status.Update(tables.nodes.Check(mentions));
    status.Update(assumptions.Check());
    return status.ToString();
  }
};

TEST_CASE("assumptions: each decision is for the pod of that UID alone, and for one that waits",
          "[cache][assumptions]") {
  AssumptionsBed bed;
  const TaskId id = bed.Add({});
  const std::string gone = "NOT_FOUND: pod ns/p is gone";
  CHECK(bed.assumptions.Bind("ns/p", "u-other", "n").ToString() == gone);
  CHECK(bed.assumptions.Evict("ns/p", "u-other").ToString() == gone);
  CHECK(bed.assumptions.Nominate("ns/p", "u-other", "n").ToString() == gone);
  CHECK_FALSE(bed.assumptions.LiftGate("ns/p", "u-other"));
  CHECK(bed.assumptions.Spare("ns/p", "u-other") == absl::ZeroDuration());
  const std::string no_node = "FAILED_PRECONDITION: node x is gone";
  CHECK(bed.assumptions.Bind("ns/p", "u-p", "x").ToString() == no_node);
  CHECK(bed.assumptions.Nominate("ns/p", "u-p", "x").ToString() == no_node);
  CHECK(bed.assumptions.Evict("ns/p", "u-p").ToString() ==
        "FAILED_PRECONDITION: pod ns/p is not running any more");
  CHECK_FALSE(bed.assumptions.HasPlacement(id));
  REQUIRE(bed.assumptions.Bind("ns/p", "u-p", "n").ok());
  const std::string moved_on = "FAILED_PRECONDITION: pod ns/p is not pending any more";
  CHECK(bed.assumptions.Bind("ns/p", "u-p", "m").ToString() == moved_on);
  CHECK(bed.assumptions.Nominate("ns/p", "u-p", "m").ToString() == moved_on);
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("assumptions: what an object does not show yet holds on", "[cache][assumptions]") {
  struct Case {
    std::string name;
    PodText later;
    bool placement = false;
    bool nomination = false;
  };
  const std::string bound = R"("nodeName":"m",)";
  const Case cases[] = {
      {"the same", {}, true, true},
      {"another nomination", {.status = R"("phase":"Pending","nominatedNodeName":"m",)"}, true},
      {"bound", {.spec = bound}},
      {"ended", {.status = R"("phase":"Failed",)"}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    AssumptionsBed bed;
    const TaskId bound_one = bed.Add({});
    REQUIRE(bed.assumptions.Bind("ns/p", "u-p", "n").ok());
    CHECK(bed.assumptions.OpenAfter(bound_one, bed.Make(c.later)).placement == c.placement);
    const TaskId nominated = bed.Add({.name = "q"});
    REQUIRE(bed.assumptions.Nominate("ns/q", "u-q", "n").ok());
    PodText later = c.later;
    later.name = "q";
    CHECK(bed.assumptions.OpenAfter(nominated, bed.Make(later)).nomination == c.nomination);
  }
}

TEST_CASE("assumptions: a nomination of ours ends with the object's own nomination",
          "[cache][assumptions]") {
  AssumptionsBed bed;
  const TaskId id = bed.Add({.status = R"("phase":"Pending","nominatedNodeName":"m",)"});
  REQUIRE(bed.assumptions.Nominate("ns/p", "u-p", "m").ok());
  CHECK_FALSE(bed.assumptions.HasNomination(id));  // The object shows it already.
  REQUIRE(bed.assumptions.Nominate("ns/p", "u-p", "n").ok());
  CHECK(bed.assumptions.HasNomination(id));
  CHECK(bed.NominatedNode(id) == "n");
  bed.assumptions.ForgetNomination("ns/p", "u-p");
  CHECK_FALSE(bed.assumptions.HasNomination(id));
  CHECK(bed.NominatedNode(id) == "m");
  REQUIRE(bed.assumptions.Nominate("ns/p", "u-p", "n").ok());
  bed.assumptions.Keep(id, {.placement = false, .nomination = false});
  CHECK(bed.NominatedNode(id) == "m");
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("assumptions: they outlive the row of the task, and of the node",
          "[cache][assumptions]") {
  AssumptionsBed bed;
  const TaskId id = bed.Add({});
  REQUIRE(bed.assumptions.Nominate("ns/p", "u-p", "m").ok());
  REQUIRE(bed.assumptions.Bind("ns/p", "u-p", "n").ok());
  bed.tables.nodes.Remove("n");
  bed.tables.nodes.Remove("m");
  const Assumptions::Saved saved =
      bed.assumptions.Save(id, {.placement = true, .nomination = true});
  bed.assumptions.Drop(id);
  bed.tables.pods.Drop(id);
  CHECK(bed.tables.nodes.size() == 0);
  CHECK(bed.Fault() == "OK");
  const TaskId anew = bed.Add({.meta = R"("labels":{"a":"b"},)"});
  bed.assumptions.Enter(anew, saved);
  CHECK(bed.Status(anew) == TaskStatus::kBinding);
  CHECK(bed.assumptions.HasPlacement(anew));
  CHECK(bed.assumptions.HasNomination(anew));
  CHECK(bed.NominatedNode(anew) == "m");
  CHECK(bed.tables.nodes.NameOf(bed.tables.draft.now.usage.tasks[anew].node) == "n");
  CHECK(bed.Fault() == "OK");
  bed.assumptions.Forget("ns/p", "u-p");
  CHECK(bed.Status(anew) == TaskStatus::kPending);
}

TEST_CASE("assumptions: the pause of a spared pod doubles, and outlives its row",
          "[cache][assumptions]") {
  AssumptionsBed bed;
  const PodText running{.spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"};
  const TaskId id = bed.Add(running);
  const auto preemptable = [&bed](TaskId task) {
    return bed.tables.draft.now.tasks[task].preemptable;
  };
  REQUIRE(preemptable(id));
  CHECK(bed.assumptions.Spare("ns/p", "u-p") == absl::Seconds(10));
  CHECK(bed.assumptions.Spare("ns/p", "u-p") == absl::Seconds(20));
  // Whoever sets the clock makes no pause shorter or longer.
  bed.executor.SetClock(absl::Minutes(GENERATE(-3, 0, 3)));
  CHECK(bed.assumptions.UntilSpareEnds() == absl::Seconds(20));
  const Assumptions::Saved saved = bed.assumptions.Save(id, {});
  bed.assumptions.Drop(id);
  bed.tables.pods.Drop(id);
  const TaskId anew = bed.Add(running);
  bed.assumptions.Enter(anew, saved);
  CHECK_FALSE(preemptable(anew));
  bed.executor.Advance(absl::Seconds(19));
  bed.assumptions.EndSpares();
  CHECK_FALSE(preemptable(anew));
  bed.executor.Advance(absl::Seconds(1));
  bed.assumptions.EndSpares();
  CHECK(preemptable(anew));
  CHECK(bed.assumptions.UntilSpareEnds() == absl::InfiniteDuration());
}

}  // namespace
}  // namespace bth::cache
