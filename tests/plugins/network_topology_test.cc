#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"
#include "plugins/network_topology_aware/gradients.h"
#include "plugins/network_topology_aware/options.h"
#include "plugins/network_topology_aware/packing.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/network_bed.h"
#include "tests/support/network.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_pick.h"

namespace bth::test {
namespace {

using model::HyperNodeId;
using network::BedOf;
using network::CheckNear;
using network::kAlike;
using network::kPlugin;
using network::kSizes;
using network::kThreeTiers;
using network::NodeScoresOf;
using network::NodesOf;
using Rows = std::vector<Names>;

TEST_CASE("network topology: arguments (H1)", "[plugins][topology]") {
  struct Case {
    std::string yaml;
    double weight;
    std::map<std::string, double> resources;
    bool normal;
    double fading;
    size_t findings;
  };
  const Case cases[] = {{"{}", 1, {{"cpu", 1}, {"memory", 1}}, true, 0.8, 0},
                        {R"(
weight: 2
hypernode.binpack.cpu: 3
hypernode.binpack.memory: 4
hypernode.binpack.resources: nvidia.com/gpu, example.com/foo
hypernode.binpack.resources.nvidia.com/gpux: 5
hypernode.binpack.resources.example.com/foo: 6
hypernode.binpack.normal-pod.enable: false
hypernode.binpack.normal-pod.fading: 0
)",
                         2,
                         {{"cpu", 3}, {"memory", 4}, {"nvidia.com/gpu", 1}, {"example.com/foo", 6}},
                         false,
                         0,
                         1},
                        {R"(
weight: -1
hypernode.binpack.cpu: -1
hypernode.binpack.memory: -1
hypernode.binpack.resources: nvidia.com/gpu, cpu
hypernode.binpack.resources.nvidia.com/gpu: -1
hypernode.binpack.resources.cpu: 9
hypernode.binpack.normal-pod.enable: a
hypernode.binpack.normal-pod.fading: -1
hypernode.gradient.evict.max-hypernodes: 0
)",
                         1,
                         {{"cpu", 1}, {"memory", 1}, {"nvidia.com/gpu", 1}},
                         true,
                         0.8,
                         7}};
  for (const Case& test : cases) {
    const conf::Arguments arguments = MakeArguments(test.yaml);
    const auto options = plugins::network_topology::ReadOptions(arguments);
    REQUIRE(options.ok());
    CAPTURE(test.yaml);
    CHECK(options->weight == test.weight);
    CHECK(options->resources == test.resources);
    CHECK(options->scores_normal_pods == test.normal);
    CHECK(options->fading == test.fading);
    CHECK_FALSE(options->prefers_tightest);
    CHECK(options->evict_hyper_nodes_max == 8);
    CHECK(arguments.Findings().size() == test.findings);
  }
}

TEST_CASE("network topology: rows for evictions (H2)", "[plugins][topology]") {
  const auto ids = [](std::vector<uint32_t> numbers) {
    std::vector<HyperNodeId> out;
    for (uint32_t number : numbers) out.emplace_back(number);
    return out;
  };
  using IdRows = std::vector<std::vector<HyperNodeId>>;
  const IdRows rows = {ids({0, 1}), ids({2, 3})};
  CHECK(plugins::network_topology::ForEviction(rows, 3) == IdRows{ids({2, 3}), ids({1})});
  CHECK(plugins::network_topology::ForEviction(rows, 8) == IdRows{ids({2, 3}), ids({0, 1})});
  CHECK(plugins::network_topology::ForEviction(rows, 1) == IdRows{ids({3})});
}

TEST_CASE("network topology: nodes near to the gang score higher (H3)", "[plugins][topology]") {
  struct Case {
    std::string running;  // Tasks of the gang and their nodes.
    Names nodes;
    std::vector<double> scores;
    std::string arguments = "{}";
  };
  const Case cases[] = {
      {"", {"s3-n1", "s4-n1", "s5-n1"}, {0, 0, 0}},
      {"task r1 job=a cpu=1 node=s3-n2", {"s3-n1", "s4-n1", "s5-n1"}, {100, 66.67, 33.33}},
      {"task r1 job=a cpu=1 node=s3-n2",
       {"s3-n1", "s4-n1", "s5-n1"},
       {200, 133.33, 66.67},
       "{weight: 2}"},
      // In s1: both racks of it share the highest score, and gain by what is there.
      {"task r1 job=a cpu=1 node=s3-n1; task r2 job=a cpu=1 node=s3-n2; "
       "task r3 job=a cpu=1 node=s4-n1",
       {"s3-n1", "s4-n1", "s5-n1"},
       {116.67, 91.67, 33.33}},
      {"task r1 job=a cpu=1 node=s3-n1; task r2 job=a cpu=1 node=s4-n1",
       {"s3-n2", "s4-n2", "s5-n1", "s6-n1"},
       {100, 100, 33.33, 33.33}},
  };
  for (const model::NetworkTopologySpec& spec : {Hard(3), Soft()}) {
    for (const Case& test : cases) {
      CAPTURE(test.running, test.arguments);
      PluginBed bed =
          BedOf(WithTopology(WithHyperNodes(MakeWorld(StrCat(NodesOf(kAlike), "job a min=1; ",
                                                             test.running, "; task p job=a cpu=1")),
                                            kThreeTiers),
                             "a", {spec}),
                test.arguments);
      CheckNear(NodeScoresOf(bed, "p", test.nodes), test.scores);
    }
  }
}

TEST_CASE("network topology: fewer tiers (H3)", "[plugins][topology]") {
  const std::string given =
      StrCat(NodesOf({{"s1", "cpu=8"}, {"s2", "cpu=8"}}),
             "job a min=1; task r job=a cpu=1 node=s1-n1; task p job=a cpu=1");
  const std::vector<std::string> racks = {"s1 1 s1-n1 s1-n2", "s2 1 s2-n1 s2-n2"};
  PluginBed one = BedOf(WithTopology(WithHyperNodes(MakeWorld(given), racks), "a", {Hard(1)}));
  CheckNear(NodeScoresOf(one, "p", {"s1-n1", "s2-n1"}), {100, 0});
  std::vector<std::string> two = racks;
  two.push_back("s0 2 s1 s2");
  PluginBed both = BedOf(WithTopology(WithHyperNodes(MakeWorld(given), two), "a", {Hard(2)}));
  CheckNear(NodeScoresOf(both, "p", {"s1-n1", "s2-n1"}), {100, 50});
}

TEST_CASE("network topology: pods that ask for nothing fill HyperNodes up (H4)",
          "[plugins][topology]") {
  const Names nodes = {"s3-n1", "s4-n1", "s5-n1", "s6-n1"};
  const std::string given = StrCat(NodesOf(kSizes), "job a min=1; task p job=a cpu=2 mem=4Gi");
  const auto scores = [&](const World& world, const std::string& arguments) {
    PluginBed bed = BedOf(WithHyperNodes(world, kThreeTiers), arguments);
    return NodeScoresOf(bed, "p", nodes);
  };
  CheckNear(scores(MakeWorld(given), "{hypernode.binpack.normal-pod.enable: false}"), {0, 0, 0, 0});
  CheckNear(scores(MakeWorld(given), "{}"), {25.8, 21.6, 19.9, 15.7});
  std::map<std::string, std::string> with_foo = kSizes;
  for (const char* rack : {"s3", "s4"}) StrAppend(&with_foo[rack], " res.example.com/foo=8");
  for (const char* rack : {"s5", "s6"}) StrAppend(&with_foo[rack], " res.example.com/foo=16");
  const std::string weights = R"(
weight: 10
hypernode.binpack.cpu: 1
hypernode.binpack.memory: 4
hypernode.binpack.resources: example.com/foo
hypernode.binpack.resources.example.com/foo: 3
hypernode.binpack.normal-pod.fading: 0
)";
  CheckNear(scores(MakeWorld(StrCat(NodesOf(with_foo),
                                    "job a min=1; task p job=a cpu=2 mem=4Gi "
                                    "res.example.com/foo=8")),
                   weights),
            {500, 468.75, 281.25, 250});
}

TEST_CASE("network topology: gaps between tiers count as full", "[plugins][topology]") {
  using plugins::network_topology::WeightsOf;
  const std::vector<int32_t> tiers = {1, 4, 5};
  for (const double fading : {1.0, 0.5, 2.0}) {
    const auto weights = WeightsOf(tiers, fading);
    const double gap = fading == 1 ? 2 : fading + fading * fading;
    CHECK(weights.full == Approx(gap));
    CHECK(weights.sum ==
          Approx(1 + gap + fading * fading * fading + fading * fading * fading * fading));
  }
}

TEST_CASE("network topology: which HyperNode is best for a sub-job (H6)", "[plugins][topology]") {
  const auto order = [](PluginBed& bed, const Names& names) {
    const model::HyperNodeTree& tree = bed.session().topology().tree();
    std::vector<HyperNodeId> ids;
    for (const std::string& name : names) {
      ids.push_back(name.empty() ? tree.root() : tree.Find(name));
    }
    const model::SubJobId sub_job = bed.world().snapshot->tasks[bed.world().task("a-0")].sub_job;
    return framework::RankHyperNodes(bed.session(), sub_job, ids);
  };
  const Names names = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", ""};
  PluginBed plain = BedOf(WithTopology(
      WithHyperNodes(MakeWorld(StrCat(NodesOf(kSizes), "job a min=2 tasks=2 cpu=4 mem=4Gi")),
                     kThreeTiers),
      "a", {Hard(3)}));
  CheckNear(order(plain, names), {25, 58.33, 45.83, 0, 100, 0, 75, 25});
  // What is in a HyperNode already is not asked for again, and speaks for it.
  const World grown =
      WithTopology(WithHyperNodes(MakeWorld(StrCat(NodesOf(kAlike),
                                                   "job a min=1; task r job=a cpu=8 node=s3-n1; "
                                                   "task a-0 job=a cpu=8")),
                                  kThreeTiers),
                   "a", {Hard(3)});
  PluginBed growing = BedOf(grown);
  CheckNear(order(growing, {"s3", "s4"}), {150, 100});
}

Rows NamedRows(PluginBed& bed, const framework::HyperNodeGradient& gradient) {
  const model::HyperNodeTree& tree = bed.session().topology().tree();
  Rows rows;
  for (const auto& row : gradient.rows) {
    Names& names = rows.emplace_back();
    for (HyperNodeId id : row) names.push_back(id == tree.root() ? "top" : tree[id].name);
  }
  return rows;
}

TEST_CASE("network topology: gradients (H7, H8)", "[plugins][topology]") {
  struct Case {
    std::string what;
    model::NetworkTopologySpec spec;
    std::string job;     // More of the job.
    std::string others;  // Other tasks.
    std::string inside;  // "" is the root.
    bool for_eviction;
    Rows rows;
    std::string why;
  };
  const std::string busy =
      "task b1 cpu=8 node=s3-n1 job=b; task b2 cpu=8 node=s3-n2 job=b; "
      "task b3 cpu=8 node=s4-n1 job=b; ";
  const Case cases[] = {
      {"no bound", {}, "", "", "s1", false, {{"s1"}}, ""},
      {"lowest tiers first",
       Hard(3),
       "",
       "",
       "",
       false,
       {{"s3", "s4", "s5", "s6"}, {"s1", "s2"}, {"s0"}},
       ""},
      {"soft reaches up to the root",
       Soft(),
       "",
       "",
       "",
       false,
       {{"s3", "s4", "s5", "s6"}, {"s1", "s2"}, {"s0"}, {"top"}},
       ""},
      {"what is free must hold the minimum",
       Hard(2),
       "minres.cpu=16",
       busy,
       "",
       false,
       {{"s5", "s6"}, {"s2"}},
       ""},
      {"what will be free counts",
       Hard(1),
       "minres.cpu=16",
       "task b1 cpu=8 node=s3-n1 job=b status=releasing",
       "s1",
       false,
       {{"s3", "s4"}},
       ""},
      {"for evictions all that is there counts, highest tiers first",
       Hard(2),
       "minres.cpu=16",
       busy,
       "",
       true,
       {{"s1", "s2"}, {"s3", "s4", "s5", "s6"}},
       ""},
      {"what has ended needs no room",
       Hard(1),
       "minres.cpu=20",
       "task e job=a cpu=8 node=s3-n1 status=succeeded",
       "s1",
       false,
       {{"s3", "s4"}},
       ""},
      {"nobody holds it",
       Hard(1),
       "minres.cpu=20",
       "",
       "",
       false,
       {},
       "no HyperNode up to tier 1 in the cluster has enough free for the minimum resources"},
      {"nobody could hold it",
       Hard(1),
       "minres.cpu=20",
       "",
       "",
       true,
       {},
       "no HyperNode up to tier 1 in the cluster has the minimum resources"},
      {"a gang that is somewhere stays below",
       Hard(2),
       "minres.cpu=64",
       "task r job=a cpu=1 node=s3-n1",
       "",
       false,
       {{"s3"}, {"s4"}, {"s1"}},
       ""},
      {"or begins where it is",
       Soft(),
       "",
       "task r job=a cpu=1 node=s5-n1; task q job=a cpu=1 node=s6-n1",
       "",
       false,
       {{"s2"}, {"s3", "s4", "s5", "s6"}, {"s1"}, {"s0"}, {"top"}},
       ""},
      {"but not for evictions",
       Hard(2),
       "",
       "task r job=a cpu=1 node=s4-n1",
       "",
       true,
       {{"s1"}, {"s3", "s4"}},
       ""},
      {"and inside what was asked about",
       Hard(2),
       "",
       "task r job=a cpu=1 node=s3-n1",
       "s4",
       false,
       {{"s4"}},
       ""},
      {"which may be elsewhere",
       Hard(2),
       "",
       "task r job=a cpu=1 node=s3-n1",
       "s5",
       false,
       {},
       "there is no intersection between hyperNodeAvailable s5 and hyperNodeHighestAllowed s1"},
      {"it may be spread too far already",
       Hard(1),
       "",
       "task r job=a cpu=1 node=s3-n1; task q job=a cpu=1 node=s4-n1",
       "",
       false,
       {},
       "allocated hyperNode s1 tier is greater than highest allowed tier 1"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.what);
    PluginBed bed = BedOf(WithTopology(
        WithHyperNodes(MakeWorld(StrCat(NodesOf(kAlike), "job b min=0; job a min=1 ", test.job,
                                        "; task p job=a cpu=1; ", test.others)),
                       kThreeTiers),
        "a", {test.spec}));
    const model::HyperNodeTree& tree = bed.session().topology().tree();
    const framework::HyperNodeGradient gradient = framework::GradientFor(
        bed.session(), {.job = bed.world().job("a"),
                        .sub_job = {},
                        .inside = test.inside.empty() ? tree.root() : tree.Find(test.inside),
                        .for_eviction = test.for_eviction});
    CHECK(NamedRows(bed, gradient) == test.rows);
    CHECK(gradient.why_none == test.why);
  }
}

TEST_CASE("network topology: what waits of a sub-job must fit, or what its minimum lacks",
          "[plugins][topology]") {
  // Racks of two nodes of 8 CPUs; s3 has 8 left. Five pods wait, of which three are needed.
  PluginBed bed = BedOf(WithTopology(
      WithHyperNodes(MakeWorld(StrCat(NodesOf(kAlike),
                                      "job b min=0; task b1 cpu=8 node=s3-n1 job=b; "
                                      "job a min=3 tasks=4 cpu=4; task big job=a cpu=5")),
                     kThreeTiers),
      "a", {Hard(1)}));
  const auto rows_of = [&bed](bool for_least, model::ResourceVec* minimum) {
    const framework::HyperNodeGradient gradient = framework::GradientFor(
        bed.session(), {.job = bed.world().job("a"),
                        .sub_job = bed.world().snapshot->tasks[bed.world().task("a-0")].sub_job,
                        .inside = bed.session().topology().tree().root(),
                        .for_least = for_least});
    *minimum = gradient.minimum;
    return NamedRows(bed, gradient);
  };
  model::ResourceVec minimum;
  CHECK(rows_of(false, &minimum) == Rows{});
  CHECK(minimum[model::kCpu] == 21000);
  CHECK(rows_of(true, &minimum) == Rows{{"s4", "s5", "s6"}});
  CHECK(minimum[model::kCpu] == 12000);
}

TEST_CASE("network topology: what waits of a sub-job must fit, and nobody falls back (H8)",
          "[plugins][topology]") {
  PluginBed bed = BedOf(WithTopology(
      WithHyperNodes(MakeWorld(StrCat(NodesOf(kAlike), "job a min=5 tasks=5 cpu=4")), kThreeTiers),
      "a", {Hard(1)}));
  const framework::HyperNodeGradient gradient = framework::GradientFor(
      bed.session(), {.job = bed.world().job("a"),
                      .sub_job = bed.world().snapshot->tasks[bed.world().task("a-0")].sub_job,
                      .inside = bed.session().topology().tree().root(),
                      .for_eviction = true});
  CHECK(gradient.rows.empty());
}

TEST_CASE("network topology: groups of nodes, an index and a scan find the same node",
          "[plugins][topology][property]") {
  uint64_t by_groups = 0;
  ForEachSeed(60, [&by_groups](uint64_t seed) {
    Rng rng(seed);
    std::map<std::string, std::string> sizes;
    for (const char* rack : {"s3", "s4", "s5", "s6"}) {
      sizes[rack] = StrCat("cpu=", 2 + rng.Below(7), " mem=", 4 + rng.Below(12), "Gi");
    }
    std::vector<std::string> network = kThreeTiers;
    if (rng.Chance(0.3)) network.pop_back();
    if (rng.Chance(0.3)) network.erase(network.begin());
    if (rng.Chance(0.3)) network.push_back("x 2 s3-n1 s4-n1 s5-n2");  // Across the others.
    const World world = WithTopology(
        WithHyperNodes(MakeWorld(StrCat(NodesOf(sizes), "job a min=1 tasks=8 cpu=1 mem=1Gi; ",
                                        "job b min=1 tasks=4 cpu=1; job c min=1 tasks=4 cpu=2")),
                       network),
        "b", {rng.Chance(0.5) ? Hard(2) : Soft()});
    PluginBed bed(Builtins(),
                  MakePolicy("", rng.Chance(0.5) ? "predicates,network-topology-aware"
                                                 : "nodeorder,binpack,network-topology-aware"),
                  world);
    framework::Statement statement(bed.session(), "test");
    for (int step = 0; step < 24; ++step) {
      const model::TaskId task = model::TaskId::FromIndex(rng.Below(16));
      if (bed.session().state(task).status != model::TaskStatus::kPending) continue;
      const framework::NodeChoice expected = PickSlowly(bed.session(), task);
      const framework::NodeChoice found = bed.session().picker().Pick(task);
      CAPTURE(step, task.value());
      REQUIRE(found.node == expected.node);
      if (found.node.valid()) statement.Allocate(task, found.node);
    }
    by_groups += bed.session().picker().group_answers();
  });
  CHECK((FewSeeds() || by_groups > 100));
}

TEST_CASE("network topology: nodes out of bounds are refused", "[plugins][topology]") {
  PluginBed bed = BedOf(WithTopology(
      WithHyperNodes(
          MakeWorld(StrCat(NodesOf(kAlike), "job a min=1; task r job=a cpu=1; task p job=a cpu=1")),
          kThreeTiers),
      "a", {Hard(2)}));
  const framework::Topology& topology = bed.session().topology();
  const model::TaskId task = bed.world().task("p");
  CHECK_FALSE(topology.Restricts(task));
  framework::Statement statement(bed.session(), "test");
  statement.Pipeline(bed.world().task("r"), bed.world().node("s3-n1"), false);
  CHECK(topology.Restricts(task));
  CHECK(topology.Permits(task, bed.world().node("s4-n2")));
  CHECK_FALSE(topology.Permits(task, bed.world().node("s5-n1")));
  statement.Discard();
  CHECK_FALSE(topology.Restricts(task));
  CHECK(topology.Permits(task, bed.world().node("s5-n1")));
}

}  // namespace
}  // namespace bth::test
