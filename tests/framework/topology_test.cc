#include "framework/topology/topology.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/rng.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "framework/topology/bounds.h"
#include "tests/support/catch.h"
#include "tests/support/network.h"
#include "tests/support/plugin_bed.h"
#include "tests/support/seeds.h"

namespace bth::framework {
namespace {

using model::HyperNodeId;
using model::NodeId;
using model::ResourceVec;
using model::TaskId;
using model::TaskStatus;
using test::Hard;
using test::Soft;

const std::vector<std::string> kNetwork = {"r0 1 n0 n1", "r1 1 n2 n3", "s0 2 r0 r1",
                                           "r2 1 n4 n5", "s1 2 r2",    "t 3 s0 s1"};

std::string Nodes() {
  std::string text;
  for (int i = 0; i < 7; ++i) StrAppend(&text, "node n", i, " cpu=4 mem=8Gi; ");
  return text;
}

class Nothing final : public Plugin {
 public:
  std::string_view name() const override { return "nothing"; }
  absl::Status OnSessionOpen(Session&, HookRegistrar&) override { return absl::OkStatus(); }
};

test::PluginBed BedOf(const test::World& world) {
  static const Registry& kRegistry = *[] {
    auto* registry = new Registry();
    registry->plugins["nothing"] = [](const conf::Arguments&) {
      return std::make_unique<Nothing>();
    };
    return registry;
  }();
  return test::PluginBed(kRegistry, test::MakePolicy("", "nothing"), world);
}

TEST_CASE("topology: names and soft topologies become tiers", "[framework][topology]") {
  const test::World world = WithHyperNodes(test::MakeWorld(Nodes()), kNetwork);
  model::HyperNodeTree tree = *world.snapshot->hyper_nodes;
  tree.tier_names = {{"rack", 1}, {"spine", 2}};
  const auto named = [](const char* name) {
    model::NetworkTopologySpec spec = Hard(0);
    spec.highest_tier.reset();
    spec.highest_tier_name = name;
    return spec;
  };
  CHECK(TierBound(tree, model::NetworkTopologySpec()) == std::nullopt);
  CHECK(TierBound(tree, Hard(2)) == 2);
  CHECK(TierBound(tree, named("rack")) == 1);
  // A name that nobody has is a bound all the same; no name and no number are none.
  CHECK(TierBound(tree, named("row")) == kNoTier);
  CHECK(TierBound(tree, named("")) == std::nullopt);
  CHECK(TierBound(tree, Soft()) == 4);
  CHECK(TierBound(tree, Hard(2), Soft()) == 2);
  CHECK(TierBound(tree, Hard(2), Hard(1)) == 1);
  CHECK(TierBound(tree, Hard(2), model::NetworkTopologySpec()) == std::nullopt);
  CHECK(TierBound(tree, model::NetworkTopologySpec(), Soft()) == 4);
  CHECK(TierBound(tree, Soft(), Soft()) == 4);
  CHECK(TierBound(tree, named("row"), Soft()) == kNoTier);
  CHECK(TierBound(tree, Soft(), named("row")) == kNoTier);
}

TEST_CASE("topology: a tier name that nobody has is told with those that there are",
          "[framework][topology]") {
  model::NetworkTopologySpec spec = Hard(0);
  spec.highest_tier.reset();
  spec.highest_tier_name = "row";
  model::HyperNodeTree tree;
  CHECK(UnknownTierText(tree, spec) ==
        "no HyperNode has the tierName row that highestTierName asks for, nor any other: give "
        "HyperNodes a tierName, or ask for a tier by highestTierAllowed");
  tree.tier_names = {{"rack", 1}};
  CHECK(UnknownTierText(tree, spec) ==
        "no HyperNode has the tierName row that highestTierName asks for; there is rack (tier 1): "
        "ask for one of these, or give HyperNodes that tierName");
  tree.tier_names = {{"hall", 3}, {"rack", 1}, {"spine", 2}};
  const std::string three = UnknownTierText(tree, spec);
  CHECK(absl::StrContains(three, "; there is rack (tier 1), spine (tier 2) and hall (tier 3): "));
  tree.tier_names.clear();
  for (int i = 0; i < 10; ++i) tree.tier_names.emplace_back(StrCat("t", i), i);
  CHECK(absl::StrContains(UnknownTierText(tree, spec), ", t7 (tier 7) and 2 more: "));
  tree.tier_names = {{"row", 1}};
  CHECK(UnknownTierText(tree, spec).empty());
  spec.highest_tier_name = "spine";
  spec.mode = model::NetworkTopologySpec::Mode::kSoft;
  CHECK(UnknownTierText(tree, spec).empty());
  CHECK(UnknownTierText(tree, Hard(7)).empty());
}

// Adds up what the session says of each HyperNode.
DomainSum Recount(const Session& session, HyperNodeId id) {
  DomainSum sum;
  for (NodeId node : *session.base().nodes_by_name) {
    if (!session.topology().tree().Contains(id, node)) continue;
    const ResourceVec idle = session.usage().idle[node];
    const ResourceVec later = session.usage().FutureIdle(node);
    sum.allocatable += session.base().allocatable[node];
    sum.idle += idle;
    for (int d = 0; d < model::kDims; ++d) {
      sum.free[d] += std::max<int64_t>(idle[d], 0);
      sum.free_later[d] += std::max<int64_t>(later[d], 0);
    }
  }
  return sum;
}

// The lowest that all placed and pipelined tasks of the job are in; of a sub-job, if it is valid.
HyperNodeId Relook(const Session& session, model::JobId job, model::SubJobId sub_job = {}) {
  const model::HyperNodeTree& tree = session.topology().tree();
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    int tasks = 0;
    bool all = true;
    for (TaskId task : *session.job(job).tasks) {
      if (sub_job.valid() && session.task(task).sub_job != sub_job) continue;
      const model::TaskState& state = session.state(task);
      if (!state.node.valid() || !model::InGroup(state.status, model::kOccupyingGroup)) continue;
      ++tasks;
      all &= tree.Contains(id, state.node);
    }
    if (tasks == 0) return {};
    if (all) return id;
  }
  return {};
}

// How often the shape fits into what is free, or will be.
int64_t RecountSlots(const Session& session, model::ShapeId shape, HyperNodeId id) {
  int64_t sum = 0;
  for (NodeId node : *session.base().nodes_by_name) {
    if (!session.topology().tree().Contains(id, node)) continue;
    int64_t most = 0;
    for (ResourceVec room : {session.usage().idle[node], session.usage().FutureIdle(node)}) {
      int64_t slots = 0;
      for (; session.shape(shape).request.FitsIn(room); ++slots) {
        room = room - session.shape(shape).request;
      }
      most = std::max(most, slots);
    }
    sum += most;
  }
  return sum;
}

void CheckAll(const Session& session, const test::World& world) {
  const Topology& topology = session.topology();
  for (size_t i = 0; i < topology.tree().rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    const DomainSum expected = Recount(session, id);
    const DomainSum& sum = topology.sums().Of(id);
    REQUIRE(sum.allocatable == expected.allocatable);
    REQUIRE(sum.idle == expected.idle);
    REQUIRE(sum.free == expected.free);
    REQUIRE(sum.free_later == expected.free_later);
    for (model::ShapeId shape : session.base().shapes.ids()) {
      if (session.shape(shape).request == ResourceVec()) continue;
      const int64_t slots = RecountSlots(session, shape, id);
      REQUIRE(topology.SlotsUpTo(session, shape, id, slots) == slots);
      REQUIRE(topology.SlotsUpTo(session, shape, id, slots + 1) == slots);
      REQUIRE(topology.SlotsIn(session, shape, id) == slots);
    }
  }
  for (const auto& [name, job] : world.jobs) {
    CAPTURE(name);
    REQUIRE(topology.AllocatedIn(job) == Relook(session, job));
    for (model::SubJobId sub_job : *session.job(job).sub_jobs) {
      CAPTURE(sub_job.value());
      REQUIRE(topology.AllocatedIn(sub_job) == Relook(session, job, sub_job));
    }
  }
}

// Of the nodes n0 to n6: racks, now and then one across the others; spines, some of them empty; and
// what has no parent.
std::vector<std::string> RandomNetwork(Rng& rng) {
  const uint64_t racks = 1 + rng.Below(4);
  const uint64_t spines = 1 + rng.Below(3);
  std::vector<std::string> of_racks;
  std::vector<std::string> of_spines;
  for (uint64_t r = 0; r < racks; ++r) of_racks.push_back(StrCat("r", r, " ", 1 + rng.Below(2)));
  for (uint64_t s = 0; s < spines; ++s) of_spines.push_back(StrCat("s", s, " ", 3 + rng.Below(3)));
  for (int n = 0; n < 7; ++n) {
    if (rng.Chance(0.9)) StrAppend(&of_racks[rng.Below(racks)], " n", n);
    if (rng.Chance(0.2)) StrAppend(&of_racks[rng.Below(racks)], " n", n);
    if (rng.Chance(0.1)) StrAppend(&of_spines[rng.Below(spines)], " n", n);
  }
  for (uint64_t r = 0; r < racks; ++r) {
    if (rng.Chance(0.8)) StrAppend(&of_spines[rng.Below(spines)], " r", r);
  }
  std::string top = "t 9";
  for (uint64_t s = 0; s < spines; ++s) {
    if (rng.Chance(0.8)) StrAppend(&top, " s", s);
  }
  std::vector<std::string> network = of_racks;
  network.insert(network.end(), of_spines.begin(), of_spines.end());
  if (rng.Chance(0.6)) network.push_back(top);
  return network;
}

TEST_CASE("topology: sums and places follow every move and its undoing",
          "[framework][topology][property]") {
  test::ForEachSeed(60, [](uint64_t seed) {
    Rng rng(seed);
    std::string text = Nodes();
    for (int j = 0; j < 3; ++j) {
      StrAppend(&text, "job j", j, " min=1 tasks=4 cpu=", 1 + rng.Below(3), "; ");
      StrAppend(&text, "task r", j, " job=j", j, " cpu=", 1 + rng.Below(6), " node=n", rng.Below(7),
                rng.Chance(0.3) ? " status=releasing; " : "; ");
    }
    // One whose sub-jobs have their tasks at random.
    text += "job g min=1 group.a=2:1 group.b=1:1; ";
    for (int t = 0; t < 6; ++t) {
      StrAppend(&text, "task g", t, " job=g cpu=1", rng.Chance(0.3) ? " node=n4" : "",
                rng.Chance(0.2) ? "" : StrCat(" sub=", rng.Chance(0.7) ? "a/" : "b/", rng.Below(2)),
                "; ");
    }
    const std::vector<std::string> network = rng.Chance(0.2) ? kNetwork : RandomNetwork(rng);
    CAPTURE(network);
    // Whoever asks late is told what holds by then.
    const int first_asked = static_cast<int>(rng.Below(10));
    const test::World world = WithHyperNodes(test::MakeWorld(text), network);
    test::PluginBed bed = BedOf(world);
    Session& session = bed.session();
    Statement statement(session, "test");
    std::vector<Statement::Mark> marks;
    for (int step = 0; step < 40; ++step) {
      const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
      const NodeId node = (*session.base().nodes_by_name)[rng.Below(7)];
      const TaskStatus status = session.state(task).status;
      if (rng.Chance(0.15) && !marks.empty()) {
        statement.RollbackTo(marks[rng.Below(marks.size())]);
        marks.clear();
      } else if (rng.Chance(0.2)) {
        marks.push_back(statement.Checkpoint());
      } else if (status == TaskStatus::kPending && rng.Chance(0.6)) {
        statement.Allocate(task, node);
      } else if (status == TaskStatus::kPending) {
        statement.Pipeline(task, node, false);
      } else if (status == TaskStatus::kPipelined) {
        statement.Unpipeline(task);
      } else if (model::InGroup(status, model::kPreemptableGroup)) {
        statement.Evict(task, TaskId());
      }
      CAPTURE(step);
      if (step >= first_asked) CheckAll(session, world);
    }
  });
}

TEST_CASE("topology: inside a HyperNode there are no other nodes", "[framework][topology]") {
  const test::World world = WithHyperNodes(
      test::MakeWorld(StrCat(Nodes(),
                             "job a min=1; task b job=a cpu=3 node=n0; "
                             "task p job=a cpu=2; task q job=a cpu=9; task z job=a")),
      kNetwork);
  test::PluginBed bed = BedOf(world);
  NodePicker& picker = bed.session().picker();
  const model::HyperNodeTree& tree = bed.session().topology().tree();
  const TaskId p = world.task("p");
  CHECK(picker.Pick(p).node == world.node("n1"));
  {
    const NodePicker::Inside spine(picker, tree.Find("s0"));
    CHECK(picker.Pick(p).node == world.node("n1"));
    {
      const NodePicker::Inside rack(picker, tree.Find("r1"));
      CHECK(picker.Pick(p).node == world.node("n2"));
      CHECK(picker.PickForBestEffort(world.task("z")).node == world.node("n2"));
      CHECK(picker.BestFree(p) == world.node("n2"));
      CHECK_FALSE(picker.Pick(world.task("q")).node.valid());
      CHECK(bed.session().notes().FitOf(world.task("q"))->Text() ==
            "In hyperNode r1: 0/2 nodes are unavailable: 2 Insufficient cpu.");
    }
    CHECK(picker.Pick(p).node == world.node("n1"));
  }
  CHECK_FALSE(picker.Pick(world.task("q")).node.valid());
  CHECK(bed.session().notes().FitOf(world.task("q"))->Text() ==
        "0/7 nodes are unavailable: 7 Insufficient cpu.");
}

}  // namespace
}  // namespace bth::framework
