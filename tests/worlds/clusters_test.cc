// Whole cycles of every action and plugin on clusters of every size, most of them small.
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/support/catch.h"
#include "tests/worlds/cluster_world.h"
#include "tests/worlds/evicting_policies.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/plugin_parts.h"
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
  RandomConf conf;
  if (rng.Chance(0.6)) {
    conf = RandomFullPolicy(rng, shuffles);
  } else {
    conf.text = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    conf.has_gang = conf.has_filters = true;
  }
  CountCards(conf.filters.cards, world);
  return conf;
}

// What came about in many worlds.
struct ClustersTally {
  int64_t binds = 0;
  int64_t evictions = 0;
  int64_t cards = 0;                             // Pods that were given one,
  int64_t cpus = 0;                              // or CPUs of their own,
  int64_t bounded = 0;                           // or a place that the network of a gang allows.
  std::map<std::string, int64_t> policies = {};  // By plugin that is in them.

  void Add(const WorldSpec& world, const RandomConf& conf, const CycleResult& result) {
    binds += static_cast<int64_t>(result.binds.size());
    evictions += static_cast<int64_t>(result.evictions.size());
    for (const std::string& plugin : conf.plugins) ++policies[plugin];
    for (const auto& [pod, given] : result.given) {
      cards += static_cast<int64_t>(!result.CardOf(pod).empty());
      cpus += static_cast<int64_t>(!result.CpusOf(pod).empty());
    }
    if (!conf.filters.network || world.hyper_nodes.empty()) return;
    std::set<std::string> gangs;
    for (const JobSpec& job : world.jobs) {
      if (!job.topology.empty()) gangs.insert(job.name);
    }
    for (const PodSpec& pod : world.pods) {
      const bool is_bound = result.binds.contains(pod.Key());
      bounded += static_cast<int64_t>(is_bound && gangs.contains(pod.job));
    }
  }
};

TEST_CASE("clusters: what a cycle did is possible, and the same whoever is listed first",
          "[framework][property]") {
  ClustersTally tally;
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
    tally.Add(world, conf, first);
  });
  // The worlds are such that something is done, by every plugin that gives something.
  CAPTURE(tally.binds, tally.evictions, tally.cards, tally.cpus, tally.bounded);
  CHECK((FewSeeds() || tally.binds > 5 * static_cast<int64_t>(kClusters)));
  CHECK((FewSeeds() || tally.evictions > static_cast<int64_t>(kClusters) / 10));
  CHECK((FewSeeds() || tally.cards > 10));
  CHECK((FewSeeds() || tally.cpus > 5));
  CHECK((FewSeeds() || tally.bounded > 10));
  for (const std::string& plugin : PolicyPlugins()) {
    INFO(plugin);
    CHECK((FewSeeds() || tally.policies[plugin] > 20));
  }
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
