// Further worked cases of network-topology-aware, and bounds by names that no HyperNode has.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"
#include "tests/plugins/network_bed.h"

namespace bth::test {
namespace {

using network::BedOf;
using network::CheckNear;
using network::kAlike;
using network::kSizes;
using network::kThreeTiers;
using network::NodeScoresOf;
using network::NodesOf;

TEST_CASE("network topology: what meets the gang in the cluster alone is not near to it (H3)",
          "[plugins][topology]") {
  // s2 is not in s0.
  std::vector<std::string> apart = kThreeTiers;
  apart.back() = "s0 3 s1";
  for (const model::NetworkTopologySpec& spec : {Hard(3), Soft()}) {
    const std::string given =
        StrCat(NodesOf(kAlike), "job a min=1; task r job=a cpu=1 node=s3-n1; task p job=a cpu=1");
    PluginBed bed = BedOf(WithTopology(WithHyperNodes(MakeWorld(given), apart), "a", {spec}));
    CheckNear(NodeScoresOf(bed, "p", {"s5-n1", "s6-n1"}), {0, 0});
  }
}

TEST_CASE("network topology: a gap between tiers is no fault, and a step like any other for scores",
          "[plugins][topology]") {
  std::vector<std::string> tall = kThreeTiers;
  tall[4] = "s1 9 s3 s4";
  tall[5] = "s2 9 s5 s6";
  tall[6] = "s0 11 s1 s2";
  const std::string given =
      StrCat(NodesOf(kAlike), "job a min=1; task r job=a cpu=1 node=s3-n2; task p job=a cpu=1");
  PluginBed bed = BedOf(WithTopology(WithHyperNodes(MakeWorld(given), tall), "a", {Hard(10)}));
  CheckNear(NodeScoresOf(bed, "p", {"s3-n1", "s4-n1", "s5-n1"}), {100, 27.27, 9.09});
  const framework::Topology& topology = bed.session().topology();
  CHECK(topology.Permits(bed.world().task("p"), bed.world().node("s4-n1")));
  CHECK_FALSE(topology.Permits(bed.world().task("p"), bed.world().node("s5-n1")));
}

// Volcano has 66.7, 116.7 and 33.3: there the sub-job is in s1, which it was given at first, and
// the racks below it are equally near; here it is where its pods are.
TEST_CASE("network topology: the gang is in the lowest HyperNode that has its pods (H5)",
          "[plugins][topology]") {
  const std::string given =
      StrCat(NodesOf(kAlike), "job a min=2; task r job=a cpu=1 node=s4-n1; task p job=a cpu=1");
  PluginBed bed =
      BedOf(WithTopology(WithHyperNodes(MakeWorld(given), kThreeTiers), "a", {Hard(3)}));
  CheckNear(NodeScoresOf(bed, "p", {"s3-n1", "s4-n1", "s4-n2", "s5-n1", "s6-n1"}),
            {66.67, 150, 150, 33.33, 33.33});
}

TEST_CASE("network topology: a rack that is full has nothing for a pod that asks for nothing (H4)",
          "[plugins][topology]") {
  std::map<std::string, std::string> sizes = kSizes;
  for (const char* rack : {"s3", "s4"}) StrAppend(&sizes[rack], " res.example.com/foo=8");
  for (const char* rack : {"s5", "s6"}) StrAppend(&sizes[rack], " res.example.com/foo=16");
  const std::string filled =
      "job b min=0; task b1 job=b cpu=2 mem=4Gi res.example.com/foo=8 node=s3-n1; "
      "task b2 job=b cpu=2 mem=4Gi res.example.com/foo=8 node=s3-n2; ";
  const std::string given = StrCat(NodesOf(sizes), filled,
                                   "job a min=1; task p job=a cpu=2 mem=4Gi res.example.com/foo=8");
  PluginBed bed = BedOf(WithHyperNodes(MakeWorld(given), kThreeTiers), R"(
weight: 10
hypernode.binpack.cpu: 1
hypernode.binpack.memory: 4
hypernode.binpack.resources: example.com/foo
hypernode.binpack.resources.example.com/foo: 3
hypernode.binpack.normal-pod.fading: 0
)");
  CheckNear(NodeScoresOf(bed, "p", {"s3-n1", "s4-n1", "s5-n1", "s6-n1"}), {0, 468.75, 281.25, 250});
}

TEST_CASE("network topology: HyperNodes are rated by what counts of all resources (H6)",
          "[plugins][topology]") {
  // The second node of each rack has none of it.
  std::string nodes;
  for (const auto& [rack, has] : kSizes) {
    const int foo = rack == "s3" || rack == "s4" ? 8 : 16;
    StrAppend(&nodes, "node ", rack, "-n1 ", has, " res.example.com/foo=", foo, "; ");
    StrAppend(&nodes, "node ", rack, "-n2 ", has, "; ");
  }
  const std::string given =
      StrCat(nodes, "job a min=2 tasks=2 cpu=4 mem=4Gi res.example.com/foo=8");
  PluginBed bed =
      BedOf(WithTopology(WithHyperNodes(MakeWorld(given), kThreeTiers), "a", {Hard(3)}), R"(
weight: 10
hypernode.binpack.cpu: 3
hypernode.binpack.memory: 4
hypernode.binpack.resources: example.com/foo
hypernode.binpack.resources.example.com/foo: 3
)");
  const model::HyperNodeTree& tree = bed.session().topology().tree();
  std::vector<model::HyperNodeId> ids;
  for (const char* name : {"s0", "s1", "s2", "s3", "s4", "s5", "s6"})
    ids.push_back(tree.Find(name));
  ids.push_back(tree.root());
  const model::SubJobId sub_job = bed.world().snapshot->tasks[bed.world().task("a-0")].sub_job;
  CheckNear(framework::RankHyperNodes(bed.session(), sub_job, ids),
            {266.67, 700, 450, 0, 0, 0, 800, 266.67});
}

model::NetworkTopologySpec HardByName(const char* name) {
  return {.mode = model::NetworkTopologySpec::Mode::kHard,
          .highest_tier = std::nullopt,
          .highest_tier_name = name};
}

TEST_CASE("network topology: no node is inside of a tier that no HyperNode has",
          "[plugins][topology]") {
  const bool any_hyper_node = GENERATE(false, true);
  // One gang has a place already.
  World world = MakeWorld(StrCat(NodesOf(kAlike),
                                 "job a min=1; task r job=a cpu=1 node=s3-n1; task p job=a cpu=1; "
                                 "job b min=1; task q job=b cpu=1"));
  if (any_hyper_node) world = WithHyperNodes(std::move(world), kThreeTiers);
  world = WithTopology(std::move(world), "a", {HardByName("row")});
  PluginBed bed = BedOf(WithTopology(std::move(world), "b", {HardByName("row")}));
  framework::Session& session = bed.session();
  const framework::Topology& topology = session.topology();
  for (const char* name : {"p", "q"}) {
    CAPTURE(any_hyper_node, name);
    const model::TaskId task = bed.world().task(name);
    CHECK(topology.Restricts(task));
    CHECK(topology.IsBound(session.task(task).job));
    for (const auto& [node_name, node] : bed.world().nodes)
      CHECK_FALSE(topology.Permits(task, node));
    CHECK_FALSE(session.picker().Pick(task).node.valid());
    CHECK(session.notes().FitOf(task)->Text() ==
          "0/8 nodes are unavailable: 8 node(s) were in no HyperNode with the tierName that the "
          "gang must stay inside of.");
    for (const bool for_eviction : {false, true}) {
      const framework::HyperNodeGradient gradient =
          framework::GradientFor(session, {.job = session.task(task).job,
                                           .sub_job = session.task(task).sub_job,
                                           .inside = topology.tree().root(),
                                           .for_eviction = for_eviction});
      CHECK(gradient.rows.empty());
      CHECK(gradient.why_none == topology.UnknownTierOf(session.task(task).sub_job));
      CHECK_FALSE(gradient.why_none.empty());
    }
  }
}

TEST_CASE("network topology: bounds of sub-jobs by name", "[plugins][topology]") {
  const auto bounds = [](const model::NetworkTopologySpec& job,
                         const model::NetworkTopologySpec& sub_job) {
    World world =
        MakeWorld(StrCat(NodesOf(kAlike), "job a min=1 group.g=1:1; task p job=a cpu=1 sub=g/x"));
    PluginBed bed =
        BedOf(WithTopology(WithHyperNodes(std::move(world), kThreeTiers), "a", {job, sub_job}));
    const model::TaskId task = bed.world().task("p");
    const framework::Topology& topology = bed.session().topology();
    return StrCat(topology.NamesUnknownTier(task) ? "unknown" : "known", ", job ",
                  topology.BoundOf(bed.session().task(task).job).value_or(99), ", sub-job ",
                  topology.BoundOf(bed.session().task(task).sub_job).value_or(99));
  };
  CHECK(bounds(Soft(), HardByName("row")) == "unknown, job 4, sub-job -1");
  CHECK(bounds(HardByName("row"), Soft()) == "unknown, job -1, sub-job -1");
  CHECK(bounds(HardByName("row"), Hard(1)) == "unknown, job -1, sub-job 1");
  CHECK(bounds(Hard(2), Soft()) == "known, job 2, sub-job 2");
  CHECK(bounds({}, Soft()) == "known, job 99, sub-job 4");
}

}  // namespace
}  // namespace bth::test
