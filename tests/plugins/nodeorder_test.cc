#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

// Every scorer off but those named.
std::string Only(const std::string& weights) {
  std::string yaml;
  for (const char* key :
       {"nodeaffinity", "podaffinity", "leastrequested", "mostrequested", "balancedresource",
        "tainttoleration", "imagelocality", "podtopologyspread"}) {
    if (weights.find(key) == std::string::npos) yaml += std::string(key) + ".weight: 0\n";
  }
  return yaml + weights;
}

TEST_CASE("nodeorder: each scorer on its own", "[plugins][nodeorder]") {
  struct Case {
    std::string weights, world, expected;
  };
  const Case c = GENERATE(values<Case>({
      {"leastrequested.weight: 1",
       "node n1 cpu=2 mem=4Gi; node n2 cpu=4 mem=8Gi; job a; task p job=a cpu=1 mem=1G", "n2"},
      {"mostrequested.weight: 1",
       "node n1 cpu=2 mem=4Gi; node n2 cpu=4 mem=8Gi; job a; task p job=a cpu=1 mem=1G", "n1"},
      {"balancedresource.weight: 10",
       "node n1 cpu=2 mem=2Gi; node n2 cpu=4 mem=2Gi; job a; task p job=a cpu=1 mem=1Gi", "n1"},
      {"nodeaffinity.weight: 10",
       "node n1 cpu=2 mem=4Gi label.zone=zone1; node n2 cpu=2 mem=4Gi label.zone=zone2;"
       "job a; task p job=a cpu=1 prefer.zone=zone1:100",
       "n1"},
      {"nodeaffinity.weight: 10",
       "node n1 cpu=2 mem=4Gi label.zone=zone1; node n2 cpu=2 mem=4Gi label.zone=zone2;"
       "job a; task p job=a cpu=1 prefer.zone=zone2:100",
       "n2"},
      {"tainttoleration.weight: 10",
       "node n2 cpu=2 mem=4Gi; node n1 cpu=2 mem=4Gi taint=key1=value1:PreferNoSchedule;"
       "job a; task p job=a cpu=1",
       "n2"},
      {"tainttoleration.weight: 10",
       "node n1 cpu=2 mem=4Gi taint=key1=value1:PreferNoSchedule; node n2 cpu=2 mem=4Gi;"
       "job a; task p job=a cpu=1 tolerate=key1=value1:PreferNoSchedule",
       "n1"},
      {"imagelocality.weight: 1",
       "node n1 cpu=2 mem=4Gi image.small:1=30M; node n2 cpu=2 mem=4Gi image.big:1=900M;"
       "job a; task p job=a cpu=1 image=big:1",
       "n2"},
  }));
  CAPTURE(c.weights, c.world);
  const CycleOutcome outcome =
      Run("allocate", "gang;predicates,nodeorder", c.world, {{"nodeorder", Only(c.weights)}});
  CHECK(outcome.binds == std::map<std::string, std::string>{{"p", c.expected}});
}

TEST_CASE("nodeorder: usage scores", "[plugins][nodeorder]") {
  struct Case {
    std::string name, weights, world;
    double expected;
  };
  const Case c = GENERATE(values<Case>({
      {"least: what is held and defaults count", "leastrequested.weight: 3",
       "node n cpu=2 mem=1000Mi; job a; task h job=a cpu=500m node=n; task p job=a",
       3 * (70 + 60) / 2},
      {"least: pipelined pods count", "leastrequested.weight: 1",
       "node n cpu=2 mem=1000Mi; job a; task h job=a cpu=1 mem=1Mi node=n status=pipelined;"
       "task p job=a cpu=1 mem=1Mi",
       (0 + 99) / 2},
      {"most", "mostrequested.weight: 2",
       "node n cpu=2 mem=1000Mi; job a; task p job=a cpu=1 mem=100Mi", 2 * (50 + 10) / 2},
      {"balance: even", "balancedresource.weight: 10",
       "node n cpu=2 mem=2Gi; job a; task p job=a cpu=1 mem=1Gi", 750},
      {"balance: uneven", "balancedresource.weight: 10",
       "node n cpu=4 mem=2Gi; job a; task p job=a cpu=1 mem=1Gi", 680},
      {"balance: defaults do not count, and nothing asked is no score",
       "balancedresource.weight: 1", "node n cpu=4 mem=2Gi; job a; task p job=a", 0},
      {"balance: what kube-scheduler sees of the node", "balancedresource.weight: 1",
       "node n cpu=8 mem=2Gi kube.cpu=2; job a; task p job=a cpu=1 mem=1Gi", 75},
      {"balance: gpu when asked for", "balancedresource.weight: 1",
       "node n cpu=2 mem=2Gi gpu=2; job a; task p job=a cpu=1 mem=1Gi gpu=1", 75},
      // Fractions 0.5, 0.5, 1.0 on an empty node: deviation 0.2357, evenness 76.
      {"balance: gpu tips it", "balancedresource.weight: 1",
       "node n cpu=2 mem=2Gi gpu=1; job a; task p job=a cpu=1 mem=1Gi gpu=1",
       50 + (50 + 76 - 100) / 2},
      {"all off", "", "node n cpu=2 mem=2Gi; job a; task p job=a cpu=1", 0},
      {"a negative weight is taken as it is", "leastrequested.weight: -1",
       "node n cpu=2 mem=1000Mi; job a; task p job=a cpu=1 mem=100Mi", -70},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("nodeorder", c.world, {{"nodeorder", Only(c.weights)}});
  CHECK(bed.UsageScore("p", "n") == c.expected);
}

TEST_CASE("nodeorder: the default weights", "[plugins][nodeorder]") {
  PluginBed bed = Bed("nodeorder", "node n cpu=1; job a; task p job=a");
  const framework::HookTable& hooks = bed.session().hooks();
  CHECK(hooks.usage_score.size() == 2);  // Least requested and balance.
  REQUIRE(hooks.static_score.size() == 3);
  double weights = 0;
  for (const auto& entry : hooks.static_score) weights += entry.fn.weight;
  CHECK(weights == 1 + 2 + 3);  // Images, node affinity, taints.
  PluginBed off = Bed("nodeorder", "node n cpu=1", {{"nodeorder", Only("")}});
  CHECK(off.session().hooks().usage_score.empty());
  CHECK(off.session().hooks().static_score.empty());
}

TEST_CASE("nodeorder: capacities follow the nodes from session to session",
          "[plugins][nodeorder]") {
  const std::string job = "job a; task p job=a cpu=1 mem=100Mi";
  PluginBed bed = Bed("nodeorder", "node n cpu=2 mem=1000Mi;" + job,
                      {{"nodeorder", Only("leastrequested.weight: 1")}});
  CHECK(bed.UsageScore("p", "n") == (50 + 90) / 2);
  World bigger = bed.world();
  auto next = std::make_shared<model::Snapshot>(*bigger.snapshot);
  auto facts = std::make_shared<model::NodeFacts>(next->node_facts(bigger.node("n")));
  facts->kube_allocatable[model::kCpu] = 10'000;
  next->nodes.Mutable(bigger.node("n")).facts = facts;
  ++next->generation;
  bigger.snapshot = next;
  bed.Reopen(bigger);
  CHECK(bed.UsageScore("p", "n") == (90 + 90) / 2);
  bed.Reopen(MakeWorld("node x cpu=4 mem=1000Mi;" + job));
  CHECK(bed.UsageScore("p", "x") == (75 + 90) / 2);
}

}  // namespace
}  // namespace bth::test
