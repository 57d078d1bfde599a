// Nodes for pods that are spread, chosen by groups of nodes, against the slow twin.
#include <string>
#include <vector>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/support/slow_pick.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using framework::NodeChoice;
using framework::Session;
using framework::Statement;
using model::TaskId;

constexpr char kSpreadConf[] = R"(
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: nodeorder
  - name: binpack
)";

NodeSpec SelectedNode(Rng& rng, size_t index) {
  return {.name = StrCat("n", 100 + index),
          .cpu_milli = rng.Between(1, 6) * 1000,
          .memory_bytes = int64_t{8} << 30,
          .pods = 20,
          .zone = std::vector<std::string>{"", "a", "b", "c"}[rng.Below(4)],
          .prefer_not = rng.Chance(0.1),
          .cordoned = rng.Chance(0.05),
          .unnamed = rng.Chance(0.1)};
}

PodSpec SelectedPod(Rng& rng, size_t index, size_t nodes) {
  PodSpec pod{.name = StrCat("p", index),
              .cpu_milli = rng.Chance(0.5) ? 100 : 300,
              .memory_bytes = int64_t{1} << 28};
  pod.peers.labels = {{"app", std::vector<std::string>{"x", "y", "z"}[rng.Below(3)]}};
  if (rng.Chance(0.3)) {
    pod.node = StrCat("n", 100 + rng.Below(nodes));
    pod.status = rng.Chance(0.9) ? model::TaskStatus::kRunning : model::TaskStatus::kReleasing;
  }
  const bool running = !pod.node.empty();
  if (!running || rng.Chance(0.5)) pod.job = StrCat("ns/j", rng.Below(4));
  const SelectorSpec own{.label = "app", .value = "x"};
  if (rng.Chance(0.1)) {
    pod.peers.spread = {{.topology_key = "zone", .selector = own, .required = rng.Chance(0.2)}};
  } else if (rng.Chance(0.1)) {
    pod.peers.spread = {{.topology_key = kHostKey, .selector = own, .required = false}};
  }
  return pod;
}

WorldSpec SelectedWorld(Rng& rng) {
  WorldSpec world;
  const size_t nodes = 1 + rng.Below(30);
  for (size_t i = 0; i < nodes; ++i) world.nodes.push_back(SelectedNode(rng, i));
  world.queues = {{.name = "q"}};
  for (int i = 0; i < 4; ++i) world.jobs.push_back({.name = StrCat("ns/j", i), .queue = "q"});
  const size_t pods = 20 + rng.Below(60);
  for (size_t i = 0; i < pods; ++i) world.pods.push_back(SelectedPod(rng, i, nodes));
  world.services = {{.name = "x", .selector = {{"app", "x"}}}};
  if (rng.Chance(0.7)) world.services.push_back({.name = "y", .selector = {{"app", "y"}}});
  return world;
}

cache::CompiledShard SelectedShard(Rng& rng, const WorldSpec& world) {
  cache::CompiledShard shard{
      .name = "volcano", .resource_version = "1", .desired = {}, .shown = {}};
  for (const NodeSpec& node : world.nodes) {
    if (rng.Chance(0.6)) shard.desired.push_back(node.name);
  }
  return shard;
}

struct GroupTally {
  int worlds = 0;
  uint64_t by_groups = 0;
};

void PlaceAllByGroups(Session& session, Rng& rng, GroupTally* tally) {
  Statement statement(session, "test");
  for (TaskId task : session.base().tasks.ids()) {
    const model::TaskRow& row = session.task(task);
    if (row.names == nullptr || !row.job.valid()) continue;
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    const NodeChoice slow = PickSlowly(session, task);
    const NodeChoice fast = session.picker().Pick(task);
    REQUIRE(fast.node == slow.node);
    REQUIRE(fast.on_future_room == slow.on_future_room);
    const Statement::Mark mark = statement.Checkpoint();
    if (rng.Chance(0.1)) ActAtRandom(session, statement, rng, 4);
    if (rng.Chance(0.5)) statement.RollbackTo(mark);
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    if (fast.node.valid() && !fast.on_future_room && rng.Chance(0.9)) {
      statement.Allocate(task, fast.node);
    }
  }
  tally->by_groups += session.picker().group_answers();
  if (rng.Chance(0.5)) statement.Keep();
}

TEST_CASE("spread: a choice by groups of nodes is that of the slow twin", "[framework][property]") {
  GroupTally tally;
  ForEachWorld(600, [&tally](Rng& rng) {
    ++tally.worlds;
    WorldSpec world = SelectedWorld(rng);
    const ManualClock clock(absl::FromUnixSeconds(1'000'000));
    cache::Mirror mirror(clock, {.shard = {.mode = static_cast<model::ShardMode>(rng.Below(3))}});
    Feed(world, mirror, rng.Next() | 1);
    mirror.PutShard(SelectedShard(rng, world));
    Bed bed(mirror.Publish(), kSpreadConf);
    for (int cycle = 0; cycle < 3; ++cycle) {
      INFO("cycle " << cycle);
      if (cycle > 0) bed.Reopen(mirror.Publish());
      REQUIRE(bed.cycle().Open().ok());
      PlaceAllByGroups(bed.session(), rng, &tally);
      for (size_t i = 0; i < world.pods.size(); ++i) {
        if (!rng.Chance(0.2)) continue;
        const std::string name = world.pods[i].name;
        world.pods[i] = SelectedPod(rng, i, world.nodes.size());
        Put(world.pods[i], mirror);
      }
      const size_t at = rng.Below(world.nodes.size());
      world.nodes[at] = SelectedNode(rng, at);
      Put(world.nodes[at], mirror);
      if (rng.Chance(0.3)) mirror.PutShard(SelectedShard(rng, world));
    }
  });
  if (tally.worlds >= 20) CHECK(tally.by_groups > 20 * static_cast<uint64_t>(tally.worlds));
}

// So many nodes with pods of the service that its question has an index of its own.
WorldSpec CrowdedWorld(int kinds) {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.services = {{.name = "x", .selector = {{"app", "x"}}}};
  for (int n = 0; n < 300; ++n) {
    const std::string node = StrCat("n", 1000 + n);
    world.nodes.push_back({.name = node,
                           .cpu_milli = 8000 + n,
                           .memory_bytes = int64_t{8} << 30,
                           .pods = 100,
                           .zone = std::string(1, static_cast<char>('a' + n % 3))});
    for (int p = 0; p <= n % kinds; ++p) {
      PodSpec pod{.name = StrCat("on-", n, "-", p),
                  .node = node,
                  .status = model::TaskStatus::kRunning,
                  .cpu_milli = 100};
      pod.peers.labels = {{"app", "x"}};
      world.pods.push_back(pod);
    }
  }
  for (int j = 0; j < 40; ++j) {
    const std::string job = StrCat("ns/j", j);
    world.jobs.push_back({.name = job, .queue = "q", .created_us = j});
    PodSpec pod{.name = StrCat("new-", j), .job = job, .cpu_milli = 100};
    pod.peers.labels = {{"app", "x"}};
    world.pods.push_back(pod);
  }
  return world;
}

TEST_CASE("spread: a service with pods on very many nodes", "[framework]") {
  struct Case {
    std::string name;
    int kinds;  // Different numbers of its pods on the nodes.
    bool by_groups;
  };
  const Case c = GENERATE(values<Case>({
      {"nearly as many on each", 2, true},
      {"many different numbers", 40, false},
  }));
  CAPTURE(c.name);
  Bed bed(SnapshotOf(CrowdedWorld(c.kinds)), kSpreadConf);
  REQUIRE(bed.cycle().Open().ok());
  Session& session = bed.session();
  Statement statement(session, "test");
  for (TaskId task : session.base().tasks.ids()) {
    if (session.state(task).status != model::TaskStatus::kPending) continue;
    const NodeChoice slow = PickSlowly(session, task);
    const NodeChoice fast = session.picker().Pick(task);
    REQUIRE(slow.node.valid());
    REQUIRE(fast.node == slow.node);
    statement.Allocate(task, fast.node);
  }
  CHECK((session.picker().group_answers() > 30) == c.by_groups);
}

}  // namespace
}  // namespace bth::test
