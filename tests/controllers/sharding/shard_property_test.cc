// No node is in two shards, whatever happens to nodes and their use.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "controllers/sharding/shard_plan.h"
#include "controllers/sharding/shard_policy.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::controllers {
namespace {

struct ShardWorld {
  std::vector<ShardNode> nodes;

  explicit ShardWorld(Rng& rng) {
    for (int i = 0; i < 150; ++i) {
      types::Node node;
      node.meta.name = StrCat("n", i);
      if (rng.Chance(0.2)) node.meta.labels.Set("node.volcano.sh/warmup", "true");
      nodes.push_back({std::make_shared<const types::Node>(std::move(node)), rng.Unit(), 0.0});
    }
  }
  void Change(Rng& rng) {
    for (uint64_t i = rng.Below(12); i > 0; --i) nodes[rng.Below(nodes.size())].cpu = rng.Unit();
    if (rng.Chance(0.3)) nodes.erase(nodes.begin() + static_cast<int64_t>(rng.Below(nodes.size())));
  }
  bool Has(const std::string& name) const {
    for (const ShardNode& node : nodes) {
      if (node.node->meta.name == name) return true;
    }
    return false;
  }
};

TEST_CASE("shards: no node is in two of them, none is gone", "[controllers][sharding][property]") {
  const std::vector<ShardScheduler> schedulers = {
      {"a", "", {{AllocationRate{0, 0.4}, 1}, {Warmup(), 2}, {NodeLimit{0, 30}, 1}}},
      {"b", "", {{AllocationRate{0.3, 0.8}, 1}, {NodeLimit{0, 40}, 1}}},
      {"c", "", {}}};
  test::ForEachSeed(40, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ShardWorld world(rng);
    ShardLists now;
    for (int step = 0; step < 30; ++step) {
      world.Change(rng);
      const auto lists = AssignNodes(schedulers, world.nodes);
      ShardLists wanted;
      for (size_t i = 0; i < lists.size(); ++i) wanted.emplace(schedulers[i].name, lists[i]);
      now =
          SettleShards(wanted, now, [&world](const std::string& name) { return world.Has(name); });
      std::set<std::string> seen;
      for (const auto& [scheduler, nodes] : now) {
        for (const std::string& node : nodes) {
          REQUIRE(seen.insert(node).second);
          REQUIRE(world.Has(node));
        }
      }
      REQUIRE(now.at("a").size() <= 30);
      REQUIRE(now.at("b").size() <= 40);
    }
  });
}

}  // namespace
}  // namespace bth::controllers
