// Leaving refused jobs alone decides as looking at every job does. BTH_SEED and BTH_WORLDS as in
// the other properties.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/worlds/evicting_policies.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_network.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"
#include "tests/worlds/world_life.h"

namespace bth::test {
namespace {

constexpr std::string_view kOvercommit = "  - {name: overcommit}\n";
// In a tier of its own: whom it permits, no other plugin is asked about.
constexpr std::string_view kOvercommitFirst = "  - {name: overcommit}\n- plugins:\n";

std::string PolicyWith(std::string_view actions, std::string_view queue_plugin,
                       std::string_view more, std::string_view overcommit = kOvercommit) {
  return StrCat("actions: \"", actions, R"("
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins:
)",
                overcommit, R"(  - {name: drf}
  - {name: predicates}
  - )",
                queue_plugin, R"(
  - {name: nodeorder}
  - {name: binpack}
)",
                more);
}

std::string RandomPolicy(Rng& rng) {
  constexpr std::string_view kActions[] = {"enqueue, allocate, backfill",
                                           "enqueue, allocate, backfill",
                                           "allocate, backfill",
                                           "enqueue, allocate, preempt, reclaim, backfill",
                                           "enqueue, preempt, allocate, backfill",
                                           "enqueue, allocate, gangpreempt, gangreclaim, backfill"};
  constexpr std::string_view kQueues[] = {"{name: proportion}",
                                          "{name: proportion, enableJobEnqueued: false}",
                                          "{name: proportion, enabledAllocatable: false}",
                                          "{name: capacity}",
                                          "{name: capacity, enableJobEnqueued: false}",
                                          "{name: capacity, enabledAllocatable: false}",
                                          "{name: capacity, enableHierarchy: true}",
                                          "{name: drf}"};
  constexpr std::string_view kMore[] = {"", "  - {name: nodegroup, arguments: {strict: false}}\n",
                                        "  - {name: resourcequota}\n", "  - {name: sla}\n"};
  return PolicyWith(kActions[rng.Below(6)], kQueues[rng.Below(8)], kMore[rng.Below(4)],
                    rng.Chance(0.3) ? kOvercommitFirst : kOvercommit);
}

// Fourteen cycles of a world, in which some are left alone and in which all are looked at.
struct Looks {
  int64_t considered = 0;
  int64_t all = 0;
};
void CompareLooks(const std::string& conf, Life& life, Looks* looks) {
  INFO(conf);
  PolicyBed keeps(conf);
  PolicyBed looks_at_all(conf);
  std::map<std::string, std::string> phases, words;  // As last told.
  for (int round = 0; round < 14; ++round) {
    INFO("round " << round);
    const auto snapshot = life.Publish();
    CycleResult part = keeps.RunFully(snapshot);
    const CycleResult whole = looks_at_all.LookAtAll(snapshot);
    REQUIRE(part.violations == std::vector<std::string>());
    // Of those who are looked at for evictions alone stands what was said when they were refused.
    std::erase_if(part.words, [&words](const auto& told) {
      const bool is_new = std::exchange(words[told.first], told.second) != told.second;
      return !is_new;
    });
    REQUIRE(FirstContradiction(part, whole) == "");
    for (const auto& [group, phase] : part.phases) phases[group] = phase;
    for (const auto& [group, phase] : whole.phases) {
      INFO(group);
      REQUIRE(phases[group] == phase);
    }
    looks->considered += part.jobs_considered;
    looks->all += whole.jobs_considered;
    life.ComeAbout(whole);
    life.Change();
  }
}

TEST_CASE("unschedulable jobs: leaving them alone decides and tells as looking at every job",
          "[framework][property]") {
  Looks looks;
  ForEachWorld(1500, [&](Rng& rng) {
    const std::string conf = RandomPolicy(rng);
    Life life(rng);
    CompareLooks(conf, life, &looks);
  });
  // Many are left alone, or nothing was tried.
  CHECK((looks.considered < looks.all * 9 / 10 || FewSeeds()));
}

TEST_CASE("unschedulable jobs: the same where actions evict, whether anybody may go or not",
          "[framework][property]") {
  Looks looks;
  ForEachWorld(1500, [&](Rng& rng) {
    const std::string conf = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    Life life(rng, /*ranks=*/true);
    CompareLooks(conf, life, &looks);
  });
  CHECK((looks.considered < looks.all * 9 / 10 || FewSeeds()));
}

TEST_CASE("unschedulable jobs: the same of gangs that must be near to one another",
          "[framework][topology][property]") {
  Looks looks;
  ForEachWorld(1500, [&](Rng& rng) {
    const bool evicts = rng.Chance(0.4);
    constexpr std::string_view kNetwork = "network-topology-aware";
    const std::string conf =
        evicts ? absl::StrReplaceAll(RandomEvictingPolicy(rng, RandomEvictingActions(rng)),
                                     {{"{name: binpack}", StrCat("{name: ", kNetwork, "}")}})
               : PolicyWith(rng.Chance(0.5) ? "enqueue, allocate, backfill" : "allocate, backfill",
                            rng.Chance(0.5) ? "{name: proportion}" : "{name: capacity}",
                            StrCat("  - {name: ", kNetwork, "}\n"));
    WorldSpec world = RandomWorld(rng);
    if (rng.Chance(0.8)) AddRanks(rng, &world);
    if (rng.Chance(0.3)) MakeAlike(rng, &world);
    AddNetwork(rng, &world);
    for (JobSpec& job : world.jobs) {
      if (rng.Chance(0.4)) job.minimum_cpu_milli = static_cast<int64_t>(1 + rng.Below(12)) * 500;
    }
    Life life(rng, std::move(world));
    CompareLooks(conf, life, &looks);
  });
  CHECK((looks.considered < looks.all * 9 / 10 || FewSeeds()));
}

}  // namespace
}  // namespace bth::test
