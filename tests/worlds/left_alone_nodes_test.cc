// Jobs that nodes refused, left alone until something else than room changes on one of them.
#include <cstdint>
#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/watched.h"

namespace bth::test {
namespace {

PodSpec Foreign(std::string name, int32_t port) {
  return {.name = std::move(name),
          .node = "n0",
          .status = model::TaskStatus::kRunning,
          .cpu_milli = 1000,
          .port = port};
}

// Whoever comes asks for as much as the one that goes, but for its port.
TEST_CASE("left alone: a pod that wants a host port, until it comes free", "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 8000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 1}};
  world.pods = {{.name = "a-0", .job = "ns/a", .cpu_milli = 1000, .port = 80},
                Foreign("x", 80),
                Foreign("y", 81),
                Foreign("z", 82)};
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}]
)");
  cache::Mirror& mirror = watched.mirror();
  CHECK(watched.Considered({}) == 1);
  // One port more is held.
  mirror.RemovePod("ns/y");
  Put(Foreign("y-again", 81), mirror);
  Put(Foreign("more", 83), mirror);
  CHECK(watched.Considered({}) == 0);
  // Another one comes free.
  mirror.RemovePod("ns/z");
  Put(Foreign("none", 0), mirror);
  CHECK(watched.Considered({}) == 0);
  mirror.RemovePod("ns/x");
  Put(Foreign("none-either", 0), mirror);
  CHECK(watched.Considered({{"ns/a-0", "n0"}}) == 1);
}

// The only node that is large enough leaves the shard with all that runs there, and comes back.
TEST_CASE("left alone: a job too large for any node of the shard, until a larger one enters it",
          "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1},
                 {.name = "n1", .cpu_milli = 1000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/low", .queue = "q", .min = 0, .priority_class = "low"},
                {.name = "ns/high", .queue = "q", .min = 1, .priority_class = "high"}};
  world.pods = {{.name = "low-0",
                 .job = "ns/low",
                 .node = "n0",
                 .status = model::TaskStatus::kRunning,
                 .cpu_milli = 2000},
                {.name = "high-0", .job = "ns/high", .cpu_milli = 2000}};
  Watched watched(world, R"(
actions: "allocate, preempt"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}]
)",
                  {.shard = {.mode = model::ShardMode::kHard}});
  cache::CompiledShard shard{
      .name = "volcano", .resource_version = "1", .desired = {"n1"}, .shown = {}};
  watched.mirror().PutShard(shard);
  watched.Considered({});
  watched.Considered({});
  CHECK(watched.last().left_alone.contains("ns/high-0"));
  shard.desired.push_back("n0");
  watched.mirror().PutShard(shard);
  watched.Considered({});
  CHECK(watched.last().evictions == std::set<std::string>{"ns/low-0"});
}

}  // namespace
}  // namespace bth::test
