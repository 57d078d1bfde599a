// What becomes of a run in which the engine breaks one of its own rules: such an action or plugin
// must not pass for a decision.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actions/builtin.h"
#include "conf/load.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "plugins/builtin.h"
#include "sim/short_form.h"
#include "sim/simulation.h"
#include "tests/support/catch.h"

namespace bth::sim {
namespace {

using framework::Session;
using framework::Statement;
using model::NodeId;
using model::TaskId;

using Deed = std::function<void(Session&)>;

// Does as it is told, under the name of an action that would not.
class Spoil final : public framework::Action {
 public:
  explicit Spoil(Deed deed) : deed_(std::move(deed)) {}
  std::string_view name() const override { return "spoil"; }
  absl::Status Execute(Session& session) override {
    deed_(session);
    return absl::OkStatus();
  }

 private:
  const Deed deed_;
};

TaskId TaskNamed(const Session& session, std::string_view name) {
  for (TaskId task : session.base().tasks.ids()) {
    const auto& names = session.base().tasks[task].names;
    if (names != nullptr && names->name == name) return task;
  }
  FAIL("no task " << name);
  return TaskId();
}

Deed Place(std::string pod) {
  return [pod = std::move(pod)](Session& session) {
    Statement statement(session, "spoil");
    statement.Allocate(TaskNamed(session, pod), NodeId(0));
    REQUIRE(statement.Commit().ok());
  };
}

Deed EvictForNobody(std::string pod) {
  return [pod = std::move(pod)](Session& session) {
    Statement statement(session, "spoil");
    statement.Evict(TaskNamed(session, pod), TaskId());
    REQUIRE(statement.Commit().ok());
  };
}

absl::Status RunWith(const Deed& deed) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  registry.actions["spoil"] = [deed](const conf::Arguments&) {
    return std::make_unique<Spoil>(deed);
  };
  Cluster cluster;
  for (const char* line :
       {"node n cpu=4 mem=8Gi", "queue q", "job gang queue=q phase=Inqueue min=2 tasks=2 cpu=1",
        "job large queue=q phase=Inqueue min=1 tasks=1 cpu=6",
        "job old queue=q phase=Running min=0 tasks=1 cpu=1 node=n", "node o cpu=4 mem=8Gi",
        "hypernode r0 tier=1 nodes=n", "hypernode r1 tier=1 nodes=o",
        "job near queue=q phase=Inqueue min=1 topology=hard:1", "pod near-0 job=near cpu=1 node=o",
        "pod near-1 job=near cpu=1", "job lost queue=q phase=Inqueue min=1 topology=hard:row",
        "pod lost-0 job=lost cpu=1 node=o", "pod lost-1 job=lost cpu=1"}) {
    const auto objects = ExpandShortForm(line);
    REQUIRE(objects.ok());
    for (const types::Json& object : *objects) {
      REQUIRE(cluster.Add(object, "test", Cluster::Existing::kRefuse).ok());
    }
  }
  conf::Policy policy = conf::DefaultPolicy();
  policy.actions = {"spoil"};
  conf::PluginOption& topology = policy.tiers.back().plugins.emplace_back();
  topology.name = "network-topology-aware";
  std::vector<conf::Finding> findings;
  auto simulation = Simulation::Create(std::move(cluster),
                                       std::make_shared<const conf::Policy>(std::move(policy)),
                                       registry, {.apply = true}, &findings);
  REQUIRE(simulation.ok());
  return (*simulation)->RunCycle();
}

TEST_CASE("simulation: a broken rule of the engine ends the run and is named", "[sim][run]") {
  struct Case {
    std::string rule;
    Deed deed;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {"node", Place("large-0"), "cycle 1: node_over_allocatable: node n: lacks 3000 of cpu"},
      {"gang", Place("gang-0"),
       "cycle 1: gang_in_part: job default/gang: 1 tasks are bound below the gang's minimum"},
      {"topology", Place("near-1"),
       "cycle 1: gang_spread: job default/near: its pods are spread beyond tier 1 of the network"},
      {"topology by name", Place("lost-1"),
       "cycle 1: gang_spread: job default/lost: a pod is bound, and no HyperNode has its tierName"},
      {"effects", EvictForNobody("old-0"),
       "cycle 1: eviction_for_nobody: node n: pod old-0 is evicted for nobody"},
  }));
  CAPTURE(c.rule);
  const absl::Status status = RunWith(c.deed);
  CHECK(status.code() == absl::StatusCode::kInternal);
  CHECK(status.message() == c.message);
}

TEST_CASE("simulation: an action that keeps the rules runs", "[sim][run]") {
  CHECK(RunWith([](Session&) {}).ok());
}

}  // namespace
}  // namespace bth::sim
