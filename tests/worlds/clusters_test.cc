// Whole cycles of every action and plugin on clusters of every size, most of them small.
#include <utility>

#include "tests/support/catch.h"
#include "tests/worlds/cluster_world.h"
#include "tests/worlds/evicting_policies.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/world_life.h"

namespace bth::test {
namespace {

constexpr uint64_t kClusters = 600;

ClusterSize RandomSize(Rng& rng) {
  if (rng.Chance(0.08)) return {};
  if (rng.Chance(0.3)) return {.nodes_max = 20, .pods_max = 120};
  return {.nodes_max = 6, .pods_max = 30};
}

// Many of them such that pods are evicted for others.
RandomConf RandomPolicyAndRanks(Rng& rng, bool shuffles, WorldSpec* world) {
  if (rng.Chance(0.2)) AddRanks(rng, world);
  if (rng.Chance(0.4)) Crowd(rng, world);
  if (rng.Chance(0.6)) return RandomFullPolicy(rng, shuffles);
  return {.text = RandomEvictingPolicy(rng, RandomEvictingActions(rng)),
          .has_gang = true,
          .has_filters = true};
}

TEST_CASE("clusters: what a cycle did is possible, and the same whoever is listed first",
          "[framework][property]") {
  int64_t binds = 0;
  int64_t evictions = 0;
  ForEachWorld(kClusters, [&](Rng& rng) {
    WorldSpec world = RandomCluster(rng, RandomSize(rng));
    const RandomConf conf = RandomPolicyAndRanks(rng, /*shuffles=*/true, &world);
    INFO(conf.text);
    const CycleResult first = RunCycle(SnapshotOf(world), conf.text);
    REQUIRE(FirstWrong(world, conf, first) == "");
    const CycleResult again = RunCycle(SnapshotOf(world), conf.text);
    REQUIRE(FirstContradiction(first, again) == "");
    const CycleResult shuffled = RunCycle(SnapshotOf(world, rng.Next() | 1), conf.text);
    REQUIRE(FirstContradiction(first, shuffled) == "");
    REQUIRE(FirstContradiction(shuffled, first) == "");
    binds += static_cast<int64_t>(first.binds.size());
    evictions += static_cast<int64_t>(first.evictions.size());
  });
  // The worlds are such that something is done.
  CAPTURE(binds, evictions);
  CHECK((FewSeeds() || binds > 5 * static_cast<int64_t>(kClusters)));
  CHECK((FewSeeds() || evictions > static_cast<int64_t>(kClusters) / 10));
}

TEST_CASE("clusters: a policy that lived through changes decides as a fresh one, whatever it is of",
          "[framework][property]") {
  ForEachWorld(kClusters, [](Rng& rng) {
    WorldSpec world = RandomCluster(rng, RandomSize(rng));
    const RandomConf conf = RandomPolicyAndRanks(rng, /*shuffles=*/false, &world);
    INFO(conf.text);
    Life life(rng, std::move(world));
    PolicyBed old(conf.text);
    for (int round = 0; round < 4; ++round) {
      INFO("round " << round);
      const auto snapshot = life.Publish();
      const CycleResult lived = old.RunFully(snapshot);
      REQUIRE(lived.violations == std::vector<std::string>());
      CycleResult decided = lived;
      // Which of the reasons of a node is told may be an earlier cycle's.
      decided.words.clear();
      const CycleResult fresh = RunCycle(snapshot, conf.text);
      REQUIRE(FirstContradiction(decided, fresh) == "");
      life.ComeAbout(lived);
      for (uint64_t i = rng.Below(10); i > 0; --i) life.Change();
    }
  });
}

}  // namespace
}  // namespace bth::test
