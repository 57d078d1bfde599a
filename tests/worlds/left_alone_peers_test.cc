// Pods of one kind that filters tell apart by their labels are not left alone for one another.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/watched.h"

namespace bth::test {
namespace {

using model::TaskStatus;

constexpr std::string_view kAllocates = R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}]
)";

// Will have no pod of that app in its zone.
PodSpec Carrier(std::string name, std::string node, std::string app) {
  PodSpec pod{.name = std::move(name),
              .job = "ns/runs",
              .node = std::move(node),
              .status = TaskStatus::kRunning,
              .cpu_milli = 500};
  pod.peers.affinity = {{.topology_key = "zone",
                         .selector = {.label = "app", .value = std::move(app)},
                         .avoids = true}};
  return pod;
}

PodSpec Waiting(std::string name, std::string job, std::string app) {
  PodSpec pod{.name = std::move(name), .job = std::move(job), .cpu_milli = 1000};
  pod.peers.labels = {{"app", std::move(app)}};
  return pod;
}

// Two nodes in one zone, and one that is like the second: both are too small for a pod that waits.
// Somebody there asks for the same label, so that it is looked at from the start.
WorldSpec Zone() {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1, .zone = "a"},
                 {.name = "n1", .cpu_milli = 600, .memory_bytes = 1, .zone = "a"},
                 {.name = "n2", .cpu_milli = 600, .memory_bytes = 1, .zone = "b"}};
  world.jobs = {{.name = "ns/runs", .queue = "q", .min = 1}};
  world.pods = {Carrier("elsewhere", "n2", "z")};
  return world;
}

TEST_CASE("left alone: a gang with a pod that somebody will not have near", "[framework][peers]") {
  WorldSpec world = Zone();
  world.jobs.push_back({.name = "ns/a", .queue = "q", .min = 2});
  world.pods.push_back(Waiting("a-0", "ns/a", "y"));
  world.pods.push_back(Waiting("a-1", "ns/a", "x"));
  world.pods.push_back(Carrier("carrier", "n1", "x"));
  Watched watched(world, kAllocates);
  watched.Considered({});
  watched.Considered({});
  watched.mirror().RemovePod("ns/carrier");
  watched.Considered({{"ns/a-0", "n0"}, {"ns/a-1", "n0"}});
}

TEST_CASE("left alone: room came while somebody was near who left without another",
          "[framework][peers]") {
  WorldSpec world = Zone();
  world.jobs.push_back({.name = "ns/a", .queue = "q", .min = 1});
  world.pods.push_back(Waiting("a-0", "ns/a", "x"));
  world.pods.push_back(Runs("b", "n0", 2000));
  Watched watched(world, kAllocates);
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 1);
  Put(Carrier("carrier", "n1", "x"), watched.mirror());
  CHECK(watched.Considered({}) == 1);
  watched.mirror().RemovePod("ns/b");
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 2);
  watched.mirror().RemovePod("ns/carrier");
  watched.Considered({{"ns/a-0", "n0"}});
}

TEST_CASE("left alone: somebody will not have one near, another has room", "[framework][peers]") {
  WorldSpec world = Zone();
  world.jobs.push_back({.name = "ns/a", .queue = "q", .min = 1});
  world.jobs.push_back({.name = "ns/b", .queue = "q", .min = 1, .created_us = 1});
  world.pods.push_back(Waiting("a-0", "ns/a", "x"));
  world.pods.push_back(Waiting("b-0", "ns/b", "y"));
  world.pods.push_back(Runs("c", "n0", 2000));
  Watched watched(world, kAllocates);
  CHECK(watched.Considered({}) == 3);
  CHECK(watched.Considered({}) == 1);
  Put(Carrier("carrier", "n1", "x"), watched.mirror());
  watched.mirror().RemovePod("ns/c");
  CHECK(watched.Considered({{"ns/b-0", "n0"}}) == 3);
}

}  // namespace
}  // namespace bth::test
