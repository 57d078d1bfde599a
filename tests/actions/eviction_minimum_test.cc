// How many more are evicted than had to be, on worlds small enough to try everything.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "tests/actions/eviction_world.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

struct Cluster {
  std::vector<EvictionNode> nodes;
  std::vector<EvictionPod> running;
  std::vector<EvictionPod> gang;
};

// Full enough that a gang of up to four pods mostly needs victims.
Cluster RandomCluster(Rng& rng) {
  Cluster cluster;
  for (uint64_t i = 2 + rng.Below(3); i > 0; --i) {
    cluster.nodes.push_back({.name = StrCat("n", cluster.nodes.size()),
                             .cpu_milli = static_cast<int64_t>(2 + rng.Below(4)) * 1000,
                             .memory_bytes = int64_t{64} << 30,
                             .pods = 20});
  }
  std::vector<EvictionNode> left = cluster.nodes;
  for (uint64_t i = 5 + rng.Below(6); i > 0; --i) {
    EvictionPod pod{.name = StrCat("low-", cluster.running.size()),
                    .job = StrCat("low", rng.Below(3)),
                    .status = model::TaskStatus::kRunning,
                    .cpu_milli = static_cast<int64_t>(1 + rng.Below(3)) * 500};
    EvictionNode& node = left[rng.Below(left.size())];
    if (node.cpu_milli < pod.cpu_milli) continue;
    node.cpu_milli -= pod.cpu_milli;
    pod.node = node.name;
    cluster.running.push_back(pod);
  }
  for (uint64_t i = 1 + rng.Below(4); i > 0; --i) {
    cluster.gang.push_back({.name = StrCat("gang-", cluster.gang.size()),
                            .job = "gang",
                            .cpu_milli = static_cast<int64_t>(2 + rng.Below(4)) * 500});
  }
  return cluster;
}

bool Packs(const std::vector<EvictionPod>& gang, size_t from, std::vector<int64_t>& free) {
  if (from == gang.size()) return true;
  for (int64_t& room : free) {
    if (room < gang[from].cpu_milli) continue;
    room -= gang[from].cpu_milli;
    const bool rest = Packs(gang, from + 1, free);
    room += gang[from].cpu_milli;
    if (rest) return true;
  }
  return false;
}

// The least number of victims; -1: even without all of them the gang finds no room.
int LeastVictims(const Cluster& cluster) {
  int least = -1;
  for (uint32_t set = 0; set < (1u << cluster.running.size()); ++set) {
    const int size = __builtin_popcount(set);
    if (least >= 0 && size >= least) continue;
    std::vector<int64_t> free;
    for (const EvictionNode& node : cluster.nodes) {
      int64_t room = node.cpu_milli;
      for (size_t i = 0; i < cluster.running.size(); ++i) {
        const bool stays = (set >> i & 1u) == 0;
        if (stays && cluster.running[i].node == node.name) room -= cluster.running[i].cpu_milli;
      }
      free.push_back(room);
    }
    if (Packs(cluster.gang, 0, free)) least = size;
  }
  return least;
}

// What `action` evicts; -1: the gang got nothing.
int VictimsOf(const Cluster& cluster, const std::string& action) {
  const bool between_queues = action.ends_with("reclaim");
  EvictionWorld world(StrCat("actions: \"allocate, ", action, R"("
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: predicates}, {name: nodeorder}]
)"),
                      0);
  world.AddQueue("q", 1, 0);
  world.AddQueue("other", 1, 0);
  for (const EvictionNode& node : cluster.nodes) world.Add(node);
  for (int i = 0; i < 3; ++i) {
    world.Add(EvictionJob{.name = StrCat("low", i),
                          .queue = between_queues ? "other" : "q",
                          .min = 0,
                          .priority_class = "low"});
  }
  world.Add(EvictionJob{.name = "gang",
                        .queue = "q",
                        .min = static_cast<int32_t>(cluster.gang.size()),
                        .priority_class = "high"});
  for (const EvictionPod& pod : cluster.running) world.Add(pod);
  for (const EvictionPod& pod : cluster.gang) world.Add(pod);
  const EvictionCycle cycle = world.Step();
  CHECK(cycle.faults == std::vector<std::string>());
  if (!cycle.evictions.empty()) return static_cast<int>(cycle.evictions.size());
  return cycle.binds.size() == cluster.gang.size() ? 0 : -1;
}

TEST_CASE("eviction: victims beyond the least number that would do", "[actions][property]") {
  constexpr int kWorlds = 400;
  struct Tally {
    std::string action;
    double most_per_needed;  // Bound on victims over the least number.
    int worlds = 0, victims = 0, least = 0, exact = 0, missed = 0;
  };
  Tally tallies[] = {
      {"preempt", 1.5}, {"reclaim", 1.5}, {"gangpreempt", 1.5}, {"gangreclaim", 1.5}};
  ForEachSeed(kWorlds, [&](uint64_t seed) {
    Rng rng(seed);
    const Cluster cluster = RandomCluster(rng);
    const int least = LeastVictims(cluster);
    for (Tally& tally : tallies) {
      INFO(tally.action);
      const int victims = VictimsOf(cluster, tally.action);
      if (least < 0) {
        CHECK(victims < 0);
        continue;
      }
      if (least == 0) continue;  // Room is free, if maybe not as allocate packs.
      if (victims < 0) {
        ++tally.missed;
        continue;
      }
      CHECK(victims >= least);
      ++tally.worlds;
      tally.victims += victims;
      tally.least += least;
      tally.exact += static_cast<int>(victims == least);
    }
  });
  if (test::FewSeeds()) return;  // Ratios speak of many worlds.
  for (const Tally& tally : tallies) {
    std::printf(
        "%-12s %d worlds: %d victims, the least %d (%.2f), exact in %d, no room found in %d\n",
        tally.action.c_str(), tally.worlds, tally.victims, tally.least,
        static_cast<double>(tally.victims) / tally.least, tally.exact, tally.missed);
    CHECK(tally.worlds > 150);
    CHECK(tally.victims <= tally.most_per_needed * tally.least);
    CHECK(tally.missed * 10 <= tally.worlds);
  }
}

}  // namespace
}  // namespace bth::test
