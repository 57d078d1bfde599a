// Cycles of schedulers that share the nodes, on random worlds. BTH_SEED and BTH_WORLDS as in the
// other properties.
#include <map>
#include <memory>
#include <string>

#include "tests/support/catch.h"
#include "tests/worlds/cluster_world.h"
#include "tests/worlds/evicting_policies.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using model::ShardMode;

// With every node outside the shard with this probability.
std::shared_ptr<const model::Snapshot> Shared(const model::Snapshot& whole, ShardMode mode,
                                              double outside, Rng& rng) {
  auto shared = std::make_shared<model::Snapshot>(whole);
  shared->shard_mode = mode;
  for (model::NodeId node : shared->nodes.ids()) {
    shared->nodes.Mutable(node).outside_shard = rng.Chance(outside);
  }
  return shared;
}

// Where jobs and queues have ranks and often no room is left, so that some are evicted for others.
WorldSpec RankedWorld(Rng& rng) {
  WorldSpec world = RandomWorld(rng);
  AddRanks(rng, &world);
  if (rng.Chance(0.6)) Crowd(rng, &world);
  return world;
}

std::shared_ptr<const model::Snapshot> RankedSnapshot(const WorldSpec& world) {
  const ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  PutPriorities(mirror);
  Feed(world, mirror, 0);
  return mirror.Publish();
}

std::map<std::string, bool> OutsideByNode(const model::Snapshot& snapshot) {
  std::map<std::string, bool> outside;
  for (model::NodeId node : *snapshot.nodes_by_name) {
    outside[snapshot.node_facts(node).name] = snapshot.nodes[node].outside_shard;
  }
  return outside;
}

TEST_CASE("sharding: hard, no action places or evicts outside", "[framework][property]") {
  int bound = 0;
  int evicted = 0;
  int worlds = 0;
  ForEachWorld(2000, [&](Rng& rng) {
    const WorldSpec world = RankedWorld(rng);
    const auto snapshot = Shared(*RankedSnapshot(world), ShardMode::kHard, 0.4, rng);
    const std::string conf = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    CAPTURE(conf);
    const CycleResult result = RunCycle(snapshot, conf);
    CHECK(result.violations.empty());
    const std::map<std::string, bool> outside = OutsideByNode(*snapshot);
    for (const auto& [pod, node] : result.binds) {
      CAPTURE(pod, node);
      CHECK_FALSE(outside.at(node));
    }
    for (const PodSpec& pod : world.pods) {
      if (!result.evictions.contains(pod.Key())) continue;
      CAPTURE(pod.Key(), pod.node);
      CHECK_FALSE(outside.at(pod.node));
      ++evicted;
    }
    bound += static_cast<int>(result.binds.size());
    ++worlds;
  });
  if (worlds < 500) return;
  CHECK(bound > worlds / 2);
  CHECK(evicted > worlds / 100);
}

TEST_CASE("sharding: with all nodes on one side, shards change nothing", "[framework][property]") {
  ForEachWorld(1000, [](Rng& rng) {
    const auto whole = RankedSnapshot(RankedWorld(rng));
    const std::string conf = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    const bool all_inside = rng.Chance(0.5);
    const ShardMode mode = all_inside && rng.Chance(0.5) ? ShardMode::kHard : ShardMode::kSoft;
    CAPTURE(conf, all_inside, static_cast<int>(mode));
    const CycleResult expected = RunCycle(whole, conf);
    const CycleResult result = RunCycle(Shared(*whole, mode, all_inside ? 0 : 1, rng), conf);
    CHECK(result.binds == expected.binds);
    CHECK(result.evictions == expected.evictions);
    CHECK(result.phases == expected.phases);
    CHECK(result.words == expected.words);
  });
}

cache::CompiledShard RandomShard(Rng& rng, const WorldSpec& world) {
  cache::CompiledShard shard{.name = rng.Chance(0.7) ? "volcano" : "other",
                             .resource_version = "1",
                             .desired = {},
                             .shown = {}};
  for (const NodeSpec& node : world.nodes) {
    if (rng.Chance(0.6)) shard.desired.push_back(node.name);
    if (rng.Chance(0.2)) shard.shown.in_use.push_back(node.name);
  }
  return shard;
}

TEST_CASE("sharding: a policy that lived through changes of shards decides as a fresh one",
          "[framework][property]") {
  ForEachWorld(400, [](Rng& rng) {
    const WorldSpec world = RandomWorld(rng);
    const ManualClock clock(absl::FromUnixSeconds(1'000'000));
    const ShardMode mode = rng.Chance(0.5) ? ShardMode::kHard : ShardMode::kSoft;
    cache::Mirror mirror(clock, {.shard = {.mode = mode}});
    Feed(world, mirror, rng.Next() | 1);
    PolicyBed old(kFullConf);
    for (int round = 0; round < 6; ++round) {
      INFO("round " << round);
      const auto snapshot = mirror.Publish();
      const CycleResult lived = old.RunFully(snapshot);
      const CycleResult fresh = RunCycle(snapshot, kFullConf);
      CHECK(lived.violations.empty());
      CHECK(FirstContradiction(lived, fresh) == "");
      for (const auto& [pod, node] : lived.binds) {
        if (rng.Chance(0.6)) mirror.AssumeBinding(pod, "uid-" + pod.substr(3), node).IgnoreError();
      }
      if (rng.Chance(0.7)) mirror.PutShard(RandomShard(rng, world));
      if (rng.Chance(0.2)) mirror.RemoveShard(rng.Chance(0.5) ? "volcano" : "other");
      for (const NodeSpec& node : world.nodes) {
        if (rng.Chance(0.1)) mirror.RemoveNode(node.name);
        if (rng.Chance(0.2)) Put(node, mirror);
      }
    }
  });
}

}  // namespace
}  // namespace bth::test
