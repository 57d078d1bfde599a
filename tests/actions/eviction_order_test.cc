// Which pods go where several would do.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actions/factories.h"
#include "base/strings.h"
#include "tests/actions/eviction_world.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

TEST_CASE("eviction: who goes does not depend on the order in which pods were seen",
          "[actions][eviction]") {
  // By their indices a-w-1 comes before b-w-2, by age b-w-2 before web-x and web-x before a-w-1.
  std::vector<EvictionPod> pods = {
      {.name = "a-w-1", .job = "a", .created_us = 3'000'000, .index = 1},
      {.name = "b-w-2", .job = "b", .created_us = 1'000'000, .index = 2},
      {.name = "web-x", .job = "web", .created_us = 2'000'000}};
  const auto by_name = [](const EvictionPod& a, const EvictionPod& b) { return a.name < b.name; };
  std::set<std::string> victims;
  do {
    EvictionWorld world(R"(
actions: "preempt"
tiers:
- plugins: [{name: priority}, {name: gang}]
)",
                        2);
    world.AddQueue("q", 1, 0);
    world.Add(EvictionNode{.name = "n", .cpu_milli = 3000});
    for (EvictionPod pod : pods) {
      world.Add(EvictionJob{.name = pod.job, .queue = "q", .priority_class = "low"});
      pod.node = "n";
      pod.status = model::TaskStatus::kRunning;
      pod.cpu_milli = 1000;
      world.Add(pod);
    }
    world.Add(EvictionJob{.name = "wants", .queue = "q", .min = 1, .priority_class = "high"});
    world.Add(EvictionPod{.name = "wants-0", .job = "wants", .cpu_milli = 1000});
    const EvictionCycle cycle = world.Step();
    CHECK(cycle.faults.empty());
    REQUIRE(cycle.evictions.size() == 1);
    victims.insert(cycle.evictions[0].victim);
  } while (std::next_permutation(pods.begin(), pods.end(), by_name));
  CHECK(victims.size() == 1);
}

TEST_CASE("preempt: nodes are compared by the pods' priorities and starts", "[actions][preempt]") {
  struct Facts {
    std::optional<int32_t> priority;
    int64_t started_us;
  };
  struct Case {
    std::string name;
    Facts first, second;  // Of the older pod, on n1, and the younger one, on n2.
    std::string node;
  };
  const Case c = GENERATE(values<Case>({
      {"the one that started last", {7, -100}, {7, -200}, "n1"},
      {"one that has not started does so now", {7, 0}, {7, -100}, "n1"},
      {"the lower priority", {3, -200}, {7, -100}, "n1"},
      {"not that among the tasks of its job", {7, -100}, {3, -200}, "n2"},
      {"without a priority it is 0", {std::nullopt, -200}, {1, -100}, "n1"},
      {"which is more than less", {std::nullopt, -100}, {-1, -200}, "n2"},
  }));
  CAPTURE(c.name);
  // What the session orders tasks by says the contrary.
  const bool first_goes = c.node == "n1";
  World world = MakeWorld(
      StrCat("node n1 cpu=1; node n2 cpu=1; job low prio=1 min=0;"
             "task v1 job=low cpu=1 node=n1 prio=",
             first_goes ? 9 : 1, ";task v2 job=low cpu=1 node=n2 prio=", first_goes ? 1 : 9,
             ";job high prio=9 min=1; task t job=high cpu=1"));
  for (const auto& [task, facts] : {std::pair("v1", c.first), std::pair("v2", c.second)}) {
    world = WithTask(std::move(world), task, [&facts = facts](model::TaskRow& row) {
      row.pod_priority = facts.priority;
      row.started_us = facts.started_us;
    });
  }
  framework::Registry registry = Builtins();
  registry.actions["preempt"] = [](const conf::Arguments&) {
    return actions::MakePreempt(actions::eviction::Comparison{.percentage = 100},
                                actions::eviction::Turns());
  };
  const CycleOutcome outcome = RunCycle(registry, MakePolicy("preempt", "priority,gang"), world);
  CHECK(outcome.pipelined == std::map<std::string, std::string>{{"t", c.node}});
}

}  // namespace
}  // namespace bth::test
