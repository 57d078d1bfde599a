// Random networks through whole cycles: gangs with hard bounds stay inside one HyperNode, whatever
// is placed, pipelined, evicted or changed, and get the best one there is.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "actions/builtin.h"
#include "api/types/pod.h"
#include "base/rng.h"
#include "base/strings.h"
#include "conf/load.h"
#include "plugins/builtin.h"
#include "sim/short_form.h"
#include "sim/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::sim {
namespace {

using types::Json;
using NodeSet = std::set<std::string>;

const framework::Registry& Everything() {
  static const auto* const kRegistry = [] {
    auto* registry = new framework::Registry();
    plugins::RegisterBuiltinPlugins(*registry);
    actions::RegisterBuiltinActions(*registry);
    return registry;
  }();
  return *kRegistry;
}

std::shared_ptr<const conf::Policy> PolicyOf(const std::string& actions) {
  const std::string text = StrCat("actions: \"", actions, R"("
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: network-topology-aware
)");
  auto loaded = conf::ParsePolicy(text, Everything().Names());
  REQUIRE(loaded.ok());
  return std::make_shared<const conf::Policy>(std::move(loaded->policy));
}

// A tree of HyperNodes: name, tier and the nodes below.
struct Domain {
  int tier = 0;
  NodeSet nodes;
};
using Network = std::map<std::string, Domain>;

// Whether some HyperNode of the tier or below, or the cluster, has them all.
bool IsInside(const Network& network, const NodeSet& nodes, int tier) {
  int top = 0;
  for (const auto& [name, domain] : network) {
    top = std::max(top, domain.tier);
    const bool holds =
        std::includes(domain.nodes.begin(), domain.nodes.end(), nodes.begin(), nodes.end());
    if (domain.tier <= tier && holds) return true;
  }
  return nodes.empty() || tier > top;
}

struct World {
  std::vector<std::string> lines;
  Network network;
  std::map<std::string, int> job_tiers;      // Hard bounds by job.
  std::map<std::string, int> sub_job_tiers;  // Of its sub-jobs, by job.
  std::map<std::string, int> tier_names;     // Of HyperNodes.

  // A bound by number or name as in `topology=hard:…`, and the tier that it stands for: below all
  // where no HyperNode has the name.
  std::string DrawBound(Rng& rng, uint64_t tiers, int* tier) const {
    *tier = static_cast<int>(1 + rng.Below(tiers));
    if (!rng.Chance(0.3)) return StrCat(*tier);
    const std::vector<std::string> names = {"rack", "spine", "hall", "aisle"};
    const std::string& name = names[rng.Below(names.size())];
    const auto known = tier_names.find(name);
    *tier = known == tier_names.end() ? -1 : known->second;
    return name;
  }
};

// Three tiers; now and then a rack that is in no spine, or a HyperNode across the others.
World RandomNetwork(Rng& rng) {
  World world;
  world.tier_names["rack"] = 1;
  std::string spines;
  Domain top{.tier = 3, .nodes = {}};
  for (uint64_t s = 0; s < 1 + rng.Below(2); ++s) {
    std::string racks;
    Domain spine{.tier = 2, .nodes = {}};
    for (uint64_t r = 0; r < 1 + rng.Below(3); ++r) {
      const std::string rack = StrCat("r", s, r);
      Domain of_rack{.tier = 1, .nodes = {}};
      for (uint64_t n = 0; n < 1 + rng.Below(3); ++n) {
        const std::string node = StrCat(rack, "n", n);
        of_rack.nodes.insert(node);
        world.lines.push_back(StrCat("node ", node, " cpu=", 1 + rng.Below(4), " mem=8Gi"));
      }
      world.lines.push_back(StrCat("hypernode ", rack, " tier=1 tiername=rack match=^", rack, "n"));
      if (rng.Chance(0.9)) {
        StrAppend(&racks, racks.empty() ? "" : "|", rack);
        spine.nodes.insert(of_rack.nodes.begin(), of_rack.nodes.end());
      }
      world.network[rack] = of_rack;
    }
    if (racks.empty()) continue;
    world.lines.push_back(StrCat("hypernode s", s, " tier=2 tiername=spine above=", racks));
    world.tier_names["spine"] = 2;
    StrAppend(&spines, spines.empty() ? "s" : "|s", s);
    top.nodes.insert(spine.nodes.begin(), spine.nodes.end());
    world.network[StrCat("s", s)] = spine;
  }
  if (!spines.empty() && rng.Chance(0.7)) {
    world.lines.push_back(StrCat("hypernode top tier=3 tiername=hall above=", spines));
    world.tier_names["hall"] = 3;
    world.network["top"] = top;
  }
  if (rng.Chance(0.3)) {
    Domain across{.tier = static_cast<int>(1 + rng.Below(2)), .nodes = {}};
    for (const std::string& line : world.lines) {
      if (!line.starts_with("node ") || !rng.Chance(0.5)) continue;
      across.nodes.insert(line.substr(5, line.find(' ', 5) - 5));
    }
    if (across.nodes.empty()) return world;
    world.lines.push_back(
        StrCat("hypernode x tier=", across.tier, " nodes=", absl::StrJoin(across.nodes, "|")));
    world.network["x"] = across;
  }
  return world;
}

void AddJobs(Rng& rng, World* world) {
  world->lines.emplace_back("priority low value=1");
  world->lines.emplace_back("priority high value=100");
  world->lines.emplace_back("queue q0 weight=1");
  world->lines.emplace_back("queue q1 weight=3");
  for (uint64_t j = 0; j < 2 + rng.Below(4); ++j) {
    const std::string job = StrCat("j", j);
    const uint64_t tasks = 1 + rng.Below(5);
    std::string asks;
    std::string label;
    if (rng.Chance(0.6)) {
      const std::string bound = world->DrawBound(rng, 3, &world->job_tiers[job]);
      asks = StrCat(" topology=hard:", bound);
    } else if (rng.Chance(0.5)) {
      asks = " topology=soft";
    }
    const bool parts = rng.Chance(0.3);
    if (parts) {
      const std::string bound = world->DrawBound(rng, 2, &world->sub_job_tiers[job]);
      const uint64_t size = 1 + rng.Below(2);
      StrAppend(&asks, " group.g=", size, ":", rng.Below(2), ":part:hard:", bound);
    }
    world->lines.push_back(StrCat("job ", job, " queue=q", rng.Below(2),
                                  " min=", rng.Below(tasks) + 1,
                                  rng.Chance(0.5) ? " prio=high" : " prio=low",
                                  rng.Chance(0.3) ? " minres.cpu=2" : "", asks));
    for (uint64_t t = 0; t < tasks; ++t) {
      const std::string cpu = rng.Chance(0.1) ? "" : StrCat(" cpu=", 500 * (1 + rng.Below(4)), "m");
      world->lines.push_back(StrCat("pod ", job, "-", t, " job=", job, cpu,
                                    rng.Chance(0.5) ? " prio=100" : " prio=1",
                                    parts ? StrCat(" label.part=p", rng.Below(2)) : ""));
    }
  }
}

std::string JobOfPod(const std::string& pod) {
  const size_t from = pod.find('/') + 1;
  return pod.substr(from, pod.rfind('-') - from);
}

// Nodes that gangs, and their sub-jobs as "job part", have or are pipelined to.
std::map<std::string, NodeSet> Places(const Simulation& simulation) {
  std::map<std::string, NodeSet> places;
  std::map<std::string, std::string> nodes;
  if (!simulation.cycles().empty()) {
    for (const auto& [pod, node] : simulation.cycles().back()["pipelined"].members()) {
      nodes[pod] = std::string(node.AsString());
    }
  }
  for (const auto& [key, pod] : simulation.cluster().pods()) {
    std::string node = pod.spec.node_name;
    if (node.empty()) node = nodes[key];
    if (node.empty() || pod.meta.deletion_time) continue;
    places[JobOfPod(key)].insert(node);
    const std::string part(pod.meta.Label("part"));
    if (!part.empty()) places[StrCat(JobOfPod(key), " ", part)].insert(node);
  }
  return places;
}

std::optional<int> BoundOf(const World& world, const std::string& gang) {
  const size_t space = gang.find(' ');
  const auto& tiers = space == gang.npos ? world.job_tiers : world.sub_job_tiers;
  const auto known = tiers.find(gang.substr(0, space));
  return known == tiers.end() ? std::nullopt : std::optional<int>(known->second);
}

TEST_CASE("network topology: a hard gang is never outside of one HyperNode",
          "[sim][topology][property]") {
  int64_t gangs = 0;
  int64_t evictions = 0;
  test::ForEachSeed(150, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    World world = RandomNetwork(rng);
    AddJobs(rng, &world);
    CAPTURE(world.lines);
    Cluster cluster;
    // Most of what is more important comes when others have the room.
    std::vector<std::string> late;
    bool waits = false;
    for (const std::string& line : world.lines) {
      if (line.starts_with("job "))
        waits = absl::StrContains(line, " prio=high") && rng.Chance(0.7);
      if (waits && line.starts_with("pod ")) {
        late.push_back(line);
        continue;
      }
      const auto objects = ExpandShortForm(line);
      REQUIRE(objects.ok());
      for (const Json& object : *objects) {
        REQUIRE(cluster.Add(object, line, Cluster::Existing::kRefuse).ok());
      }
    }
    const std::vector<std::string> choices = {
        "enqueue, allocate, backfill", "enqueue, allocate, preempt, reclaim, backfill",
        "enqueue, allocate, gangpreempt, gangreclaim, backfill", "enqueue, reclaim, backfill",
        "enqueue, gangpreempt, allocate, preempt"};
    const auto policy = PolicyOf(choices[rng.Below(choices.size())]);
    std::vector<conf::Finding> findings;
    auto simulation =
        Simulation::Create(std::move(cluster), policy, Everything(), {.apply = true}, &findings);
    REQUIRE(simulation.ok());
    for (int cycle = 0; cycle < 6; ++cycle) {
      if (cycle == 2) {
        for (const std::string& line : late) {
          REQUIRE((*simulation)->Add(ExpandShortForm(line)->front(), line).ok());
        }
      }
      const absl::Status status = (*simulation)->RunCycle();
      INFO(status.message());
      REQUIRE(status.ok());
      evictions += static_cast<int64_t>((*simulation)->cycles().back()["evictions"].size());
      const std::map<std::string, NodeSet> after = Places(**simulation);
      for (const auto& [gang, nodes] : after) {
        const std::optional<int> bound = BoundOf(world, gang);
        if (!bound) continue;
        CAPTURE(cycle, gang, nodes, *bound);
        REQUIRE(IsInside(world.network, nodes, *bound));
        gangs += nodes.size() > 1 ? 1 : 0;
      }
      // Pods go, and come again in their gangs; the scheduler begins anew.
      std::vector<std::string> pods;
      for (const auto& [key, pod] : (*simulation)->cluster().pods()) pods.push_back(key);
      for (const std::string& pod : pods) {
        if (!rng.Chance(0.15)) continue;
        REQUIRE((*simulation)->Delete("pod", pod).ok());
        if (!rng.Chance(0.7)) continue;
        for (const std::string& line : world.lines) {
          if (!line.starts_with(StrCat("pod ", pod.substr(pod.find('/') + 1), " "))) continue;
          REQUIRE((*simulation)->Add(ExpandShortForm(line)->front(), line).ok());
        }
      }
      if (rng.Chance(0.3)) REQUIRE((*simulation)->SetPolicy(policy, &findings).ok());
    }
  });
  CAPTURE(gangs, evictions);
  CHECK((test::FewSeeds() || gangs > 100));
  CHECK((test::FewSeeds() || evictions > 10));
}

// How many pods of so many cores the nodes take, and the score of the fullest choice.
struct Chosen {
  std::string name;
  double score = -1;
};

TEST_CASE("network topology: a new gang gets the best HyperNode of the lowest tier that holds it",
          "[sim][topology][property]") {
  int64_t placed = 0;
  int64_t refused = 0;
  test::ForEachSeed(200, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    World world = RandomNetwork(rng);
    // Cores that each node has, and has left.
    std::map<std::string, int64_t> cores;
    std::map<std::string, int64_t> left;
    Cluster cluster;
    const auto add = [&](const std::string& line) {
      world.lines.push_back(line);
      const auto objects = ExpandShortForm(line);
      REQUIRE(objects.ok());
      for (const Json& object : *objects) {
        REQUIRE(cluster.Add(object, line, Cluster::Existing::kRefuse).ok());
      }
    };
    const std::vector<std::string> given = std::exchange(world.lines, {});
    for (const std::string& line : given) {
      add(line);
      if (!line.starts_with("node ")) continue;
      const std::string node = line.substr(5, line.find(' ', 5) - 5);
      cores[node] = std::stoll(line.substr(line.find("cpu=") + 4));
      left[node] = cores[node];
    }
    add("job busy min=0 phase=Running");
    for (auto& [node, free] : left) {
      if (free == 0 || !rng.Chance(0.3)) continue;
      add(StrCat("pod busy-", node, " job=busy cpu=1 node=", node));
      --free;
    }
    const auto pods = static_cast<int64_t>(1 + rng.Below(4));
    const auto each = static_cast<int64_t>(1 + rng.Below(2));
    int bound = 0;
    const std::string asked = world.DrawBound(rng, 3, &bound);
    add(StrCat("job a min=", pods, " tasks=", pods, " cpu=", each, " topology=hard:", asked));
    CAPTURE(world.lines);
    const auto policy = PolicyOf("enqueue, allocate");
    std::vector<conf::Finding> findings;
    auto simulation = Simulation::Create(std::move(cluster), policy, Everything(), {}, &findings);
    REQUIRE(simulation.ok());
    REQUIRE((*simulation)->RunCycle().ok());
    // The twin: every HyperNode, and the cluster above them.
    Network network = world.network;
    int top = 0;
    for (const auto& [name, domain] : network) top = std::max(top, domain.tier);
    Domain& all = network["~"];
    all.tier = top + 1;
    for (const auto& [node, free] : left) all.nodes.insert(node);
    std::optional<Chosen> best;
    for (int tier = 1; tier <= bound && !best; ++tier) {
      for (const auto& [name, domain] : network) {
        if (domain.tier != tier) continue;
        int64_t slots = 0;
        int64_t used = 0;
        int64_t has = 0;
        for (const std::string& node : domain.nodes) {
          slots += left[node] / each;
          used += cores[node] - left[node];
          has += cores[node];
        }
        if (slots < pods) continue;
        const double score = static_cast<double>(used + pods * each) / static_cast<double>(has);
        if (!best || score > best->score) best = Chosen{name, score};
      }
    }
    NodeSet got;
    for (const auto& [pod, node] : (*simulation)->cycles().back()["binds"].members()) {
      got.emplace(node.AsString());
    }
    if (!best) {
      ++refused;
      REQUIRE(got.empty());
      return;
    }
    ++placed;
    CAPTURE(best->name, got);
    REQUIRE((*simulation)->cycles().back()["binds"].size() == static_cast<size_t>(pods));
    const NodeSet& inside = network[best->name].nodes;
    REQUIRE(std::includes(inside.begin(), inside.end(), got.begin(), got.end()));
  });
  CAPTURE(placed, refused);
  CHECK((test::FewSeeds() || (placed > 50 && refused > 20)));
}

}  // namespace
}  // namespace bth::sim
