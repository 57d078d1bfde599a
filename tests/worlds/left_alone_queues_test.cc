// Jobs that their queue, or the cluster, may not admit or hold, left alone until those who vote on
// it may consent.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/watched.h"

namespace bth::test {
namespace {

// The cluster is full until what runs has ended; the queue could never hold the minimum, but nobody
// asks it: its plugin does not vote, or comes after one that permits.
TEST_CASE("left alone: a job that is not admitted, whatever plugins say who are not asked",
          "[framework]") {
  const std::string_view tiers = GENERATE(R"(
- plugins: [{name: gang}, {name: overcommit, arguments: {overcommit-factor: 1}}]
- plugins: [{name: predicates}, {name: proportion}]
)",
                                          R"(
- plugins: [{name: gang}, {name: overcommit, arguments: {overcommit-factor: 1}}]
- plugins: [{name: predicates}, {name: capacity}]
)",
                                          R"(
- plugins:
  - {name: overcommit, arguments: {overcommit-factor: 1}}
  - {name: predicates}
  - {name: proportion, enableJobEnqueued: false}
)",
                                          R"(
- plugins: [{name: capacity, enableJobEnqueued: false}, {name: predicates}]
- plugins: [{name: overcommit, arguments: {overcommit-factor: 1}}]
)");
  CAPTURE(tiers);
  WorldSpec world;
  world.queues = {{.name = "q", .capability_cpu_milli = 2000}, {.name = "other"}};
  world.nodes = {{.name = "n0", .cpu_milli = 4000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/runs", .queue = "other", .min = 1},
                {.name = "ns/a",
                 .queue = "q",
                 .min = 1,
                 .phase = model::PodGroupPhase::kPending,
                 .minimum_cpu_milli = 3000}};
  world.pods = {Runs("r-0", "n0", 2000), {.name = "a-0", .job = "ns/a", .cpu_milli = 3000}};
  Watched watched(world, StrCat("actions: \"enqueue\"\ntiers:", tiers));
  watched.Considered({});
  CHECK(watched.last().phases.at("ns/a") == "Pending");
  watched.Considered({});
  CHECK(watched.last().left_alone.contains("ns/a-0"));
  watched.mirror().RemovePod("ns/r-0");
  watched.Considered({});
  CHECK(watched.last().phases.at("ns/a") == "Inqueue");
}

// Those of the tier that decides are all asked.
TEST_CASE("left alone: a job that is not admitted, until its minimum fits all who vote",
          "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q", .capability_cpu_milli = 2000}};
  world.nodes = {{.name = "n0", .cpu_milli = 4000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/a",
                 .queue = "q",
                 .min = 1,
                 .phase = model::PodGroupPhase::kPending,
                 .minimum_cpu_milli = 1500}};
  world.pods = {
      {.name = "a-0", .job = "ns/a", .cpu_milli = 1500},
      {.name = "b", .node = "n0", .status = model::TaskStatus::kRunning, .cpu_milli = 500}};
  for (const std::string name : {"r", "s"}) {
    world.jobs.push_back({.name = "ns/" + name, .queue = "q", .min = 1, .minimum_cpu_milli = 1000});
    world.pods.push_back(Runs(name, "n0", 1000));
    world.pods.back().job = "ns/" + name;
  }
  Watched watched(world, R"(
actions: "enqueue"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: overcommit}, {name: proportion}]
)");
  watched.Considered({});
  CHECK(watched.last().phases.at("ns/a") == "Pending");
  // More room in the cluster, and then too little in the queue.
  for (const std::string name : {"ns/b", "ns/r"}) {
    watched.mirror().RemovePod(name);
    watched.mirror().RemovePodGroup(name);
    watched.Considered({});
    CHECK(watched.last().left_alone.contains("ns/a-0"));
  }
  watched.mirror().RemovePod("ns/s");
  watched.mirror().RemovePodGroup("ns/s");
  watched.Considered({});
  CHECK(watched.last().phases.at("ns/a") == "Inqueue");
}

// The queue holds all that it can, and its plugin has no say in who is placed.
TEST_CASE("left alone: a gang of different pods waits for no share that nobody asks for",
          "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q", .capability_cpu_milli = 2000}};
  world.nodes = {{.name = "n0", .cpu_milli = 3000, .memory_bytes = 1},
                 {.name = "n1", .cpu_milli = 2000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/runs", .queue = "q", .min = 1},
                {.name = "ns/a", .queue = "q", .min = 2}};
  world.pods = {
      Runs("r-0", "n1", 2000),
      {.name = "a-master", .job = "ns/a", .cpu_milli = 1000},
      {.name = "a-worker", .job = "ns/a", .cpu_milli = 2000},
      {.name = "b", .node = "n0", .status = model::TaskStatus::kRunning, .cpu_milli = 1000}};
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: capacity, enabledAllocatable: false}]
)");
  watched.Considered({});
  watched.Considered({});
  CHECK(watched.last().left_alone.contains("ns/a-master"));
  watched.mirror().RemovePod("ns/b");
  watched.Considered({{"ns/a-master", "n0"}, {"ns/a-worker", "n0"}});
}

}  // namespace
}  // namespace bth::test
