// Gangs that must be near to one another, left alone until some HyperNode may hold them.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/watched.h"

namespace bth::test {
namespace {

constexpr int64_t kRoomy = int64_t{64} << 30;  // Bytes.

constexpr std::string_view kNearby = R"(
actions: "allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}]
- plugins: [{name: nodeorder}, {name: network-topology-aware}]
)";

model::NetworkTopologySpec OneRack() {
  model::NetworkTopologySpec rack;
  rack.mode = model::NetworkTopologySpec::Mode::kHard;
  rack.highest_tier = 1;
  return rack;
}

// Two racks of two nodes with so much room each, and a gang of a small pod and two large ones.
WorldSpec TwoRacks(int64_t cpu_milli) {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  for (int node = 0; node < 4; ++node) {
    world.nodes.push_back(
        {.name = StrCat("n", node), .cpu_milli = cpu_milli, .memory_bytes = kRoomy});
  }
  world.hyper_nodes = {{.name = "r0", .tier = 1, .tier_name = "rack", .nodes = {"n0", "n1"}},
                       {.name = "r1", .tier = 1, .tier_name = "rack", .nodes = {"n2", "n3"}}};
  world.jobs = {{.name = "ns/runs", .queue = "q", .min = 1},
                {.name = "ns/a", .queue = "q", .min = 3, .topology = {OneRack()}}};
  world.pods = {{.name = "a-0", .job = "ns/a", .priority = 2, .cpu_milli = 500},
                {.name = "a-1", .job = "ns/a", .cpu_milli = 2000},
                {.name = "a-2", .job = "ns/a", .cpu_milli = 2000}};
  return world;
}

TEST_CASE("left alone: a gang that names a tier waits for a HyperNode that has the name",
          "[framework][topology]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1}};
  world.hyper_nodes = {{.name = "r0", .tier = 1, .tier_name = "rack", .nodes = {"n0"}}};
  model::NetworkTopologySpec row;
  row.mode = model::NetworkTopologySpec::Mode::kHard;
  row.highest_tier_name = "row";
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 1, .topology = {row}}};
  world.pods = {
      {.name = "a-0", .job = "ns/a", .cpu_milli = 1000},
      {.name = "b", .node = "n0", .status = model::TaskStatus::kRunning, .cpu_milli = 500}};
  Watched watched(world, R"(
actions: allocate
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: network-topology-aware}]
)");
  cache::Mirror& mirror = watched.mirror();
  CHECK(watched.Considered({}) == 1);
  CHECK(watched.Considered({}) == 0);
  // More room is of no use.
  mirror.RemovePod("ns/b");
  CHECK(watched.Considered({}) == 0);
  Put(HyperNodeSpec{.name = "x", .tier = 2, .tier_name = "hall", .hyper_nodes = {"r0"}}, mirror);
  CHECK(watched.Considered({}) == 1);
  Put(HyperNodeSpec{.name = "x", .tier = 2, .tier_name = "row", .hyper_nodes = {"r0"}}, mirror);
  CHECK(watched.Considered({{"ns/a-0", "n0"}}) == 1);
}

// Two queues that keep strict order, each with a job that runs; of each the first of two that wait
// finds no room, and the second would.
TEST_CASE("left alone: a gang of different pods, until a rack may hold all that it needs",
          "[framework][topology]") {
  WorldSpec world = TwoRacks(3000);
  for (int node = 0; node < 4; ++node) {
    world.pods.push_back(Runs(StrCat("r-", node), StrCat("n", node), 2000));
  }
  Watched watched(world, kNearby);
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 1);
  // Others wait, and are placed elsewhere.
  Put(JobSpec{.name = "ns/b", .queue = "q", .min = 1}, watched.mirror());
  Put(PodSpec{.name = "b-0", .job = "ns/b", .cpu_milli = 100}, watched.mirror());
  CHECK(watched.Considered({{"ns/b-0", "n0"}}) == 2);
  watched.mirror().RemovePod("ns/b-0");
  watched.mirror().RemovePodGroup("ns/b");
  CHECK(watched.Considered({}) == 1);
  // One rack has room for one of the two, and so has the other.
  watched.mirror().RemovePod("ns/r-0");
  watched.Considered({});
  CHECK(watched.Considered({}) == 1);
  watched.mirror().RemovePod("ns/r-2");
  CHECK(watched.Considered({}) == 1);
  watched.mirror().RemovePod("ns/r-3");
  watched.Considered({{"ns/a-0", "n2"}, {"ns/a-1", "n3"}, {"ns/a-2", "n2"}});
}

// The small pod goes where a large one could have gone, until the other node is more to its liking.
TEST_CASE("left alone: a gang of different pods that a rack could hold if they went elsewhere",
          "[framework][topology]") {
  WorldSpec world = TwoRacks(2000);
  world.nodes[1].cpu_milli = 600;
  world.jobs[1].min = 2;
  world.pods.pop_back();
  world.pods.front().memory_bytes = 1000;
  world.hyper_nodes.pop_back();
  PodSpec fills = Runs("fills", "n0", 0);
  fills.memory_bytes = kRoomy / 4;
  world.pods.push_back(fills);
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}]
- plugins:
  - {name: binpack, arguments: {binpack.cpu: 0, binpack.memory: 1}}
  - {name: network-topology-aware}
)");
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 1);
  fills.name = "fills-more";
  fills.node = "n1";
  fills.memory_bytes = kRoomy / 2;
  Put(fills, watched.mirror());
  watched.Considered({{"ns/a-0", "n1"}, {"ns/a-1", "n0"}});
}

// A rack of as many nodes as `free_milli` names, with so much free on each beside a pod.
WorldSpec RackWithFree(const std::vector<int64_t>& free_milli, int64_t minimum_milli) {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.hyper_nodes = {{.name = "r0", .tier = 1, .tier_name = "rack"}};
  for (size_t node = 0; node < free_milli.size(); ++node) {
    const std::string name = StrCat("n", node);
    world.nodes.push_back(
        {.name = name, .cpu_milli = free_milli[node] + 1000, .memory_bytes = kRoomy});
    world.hyper_nodes.front().nodes.push_back(name);
    world.pods.push_back({.name = "on-" + name,
                          .node = name,
                          .status = model::TaskStatus::kRunning,
                          .cpu_milli = 1000});
  }
  world.jobs = {{.name = "ns/a",
                 .queue = "q",
                 .min = 2,
                 .minimum_cpu_milli = minimum_milli,
                 .topology = {OneRack()}}};
  for (const char* name : {"a-0", "a-1"}) {
    world.pods.push_back({.name = name, .job = "ns/a", .cpu_milli = 4000});
  }
  return world;
}

// Its minimum is more than its pods ask for; what the rack lacks of it comes free where none of
// them has room.
TEST_CASE("left alone: a gang that waits for the sum of a rack, whichever node has more",
          "[framework][topology]") {
  Watched watched(RackWithFree({8000, 1000}, 10'000), kNearby);
  CHECK(watched.Considered({}) == 1);
  CHECK(watched.Considered({}) == 0);
  watched.mirror().RemovePod("ns/on-n1");
  CHECK(watched.Considered({{"ns/a-0", "n0"}, {"ns/a-1", "n0"}}) == 1);
}

TEST_CASE("left alone: a gang that lacks no sum, until a node has room for a pod of it",
          "[framework][topology]") {
  Watched watched(RackWithFree({3000, 3500, 2000, 3000}, 8000), kNearby);
  CHECK(watched.Considered({}) == 1);
  watched.mirror().RemovePod("ns/on-n2");
  CHECK(watched.Considered({}) == 0);
  watched.mirror().RemovePod("ns/on-n0");
  CHECK(watched.Considered({}) == 1);
  watched.mirror().RemovePod("ns/on-n1");
  CHECK(watched.Considered({{"ns/a-0", "n1"}, {"ns/a-1", "n0"}}) == 1);
}

}  // namespace
}  // namespace bth::test
