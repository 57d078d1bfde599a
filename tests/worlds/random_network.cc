#include "tests/worlds/random_network.h"

#include "base/strings.h"

namespace bth::test {
namespace {

// Tier names are those of AddNetwork, and now and then one that no HyperNode has.
void BindAtRandom(Rng& rng, model::NetworkTopologySpec* spec) {
  if (rng.Chance(0.2)) {
    spec->highest_tier_name = Pick(rng, {"rack", "row", "hall", "aisle"});
  } else {
    spec->highest_tier = static_cast<int32_t>(1 + rng.Below(3));
  }
}

}  // namespace

void AddNetwork(Rng& rng, WorldSpec* world) {
  const auto add = [&](int32_t tier, const char* kind, uint64_t number) {
    world->hyper_nodes.push_back({.name = StrCat(kind, number), .tier = tier, .tier_name = kind});
  };
  const uint64_t racks = 1 + rng.Below(4);
  const uint64_t rows = 1 + rng.Below(2);
  for (uint64_t r = 0; r < racks; ++r) add(1, "rack", r);
  for (uint64_t r = 0; r < rows; ++r) add(2, "row", r);
  add(3, "hall", 0);
  for (const NodeSpec& node : world->nodes) {
    if (rng.Chance(0.95)) world->hyper_nodes[rng.Below(racks)].nodes.push_back(node.name);
    if (rng.Chance(0.05)) world->hyper_nodes[rng.Below(racks + rows)].nodes.push_back(node.name);
  }
  for (uint64_t r = 0; r < racks; ++r) {
    if (rng.Chance(0.9)) {
      world->hyper_nodes[racks + rng.Below(rows)].hyper_nodes.push_back(StrCat("rack", r));
    }
  }
  for (uint64_t r = 0; r < rows; ++r) {
    if (rng.Chance(0.9)) world->hyper_nodes.back().hyper_nodes.push_back(StrCat("row", r));
  }
  for (JobSpec& job : world->jobs) {
    model::NetworkTopologySpec spec;
    if (rng.Chance(0.3)) continue;
    spec.mode = rng.Chance(0.3) ? model::NetworkTopologySpec::Mode::kSoft
                                : model::NetworkTopologySpec::Mode::kHard;
    if (spec.mode == model::NetworkTopologySpec::Mode::kHard) BindAtRandom(rng, &spec);
    job.topology = {spec};
  }
}

std::string SubGroupLabel(size_t policy) {
  return StrCat("part", policy);
}

void AddSubGroups(Rng& rng, WorldSpec* world) {
  using Mode = model::NetworkTopologySpec::Mode;
  for (JobSpec& job : world->jobs) {
    if (job.topology.empty() || rng.Chance(0.3)) continue;
    const bool rigid = rng.Chance(0.5);  // Each sub-job wants all its pods.
    for (uint64_t policies = 1 + rng.Below(2); policies > 0; --policies) {
      job.sub_groups.push_back({.size = static_cast<int32_t>(1 + rng.Below(3)),
                                .least = static_cast<int32_t>(rng.Below(3))});
      model::NetworkTopologySpec spec;
      if (rng.Chance(0.8)) spec.mode = rng.Chance(0.3) ? Mode::kSoft : Mode::kHard;
      if (spec.mode == Mode::kHard) BindAtRandom(rng, &spec);
      job.topology.push_back(spec);
    }
    uint64_t number = 0;
    for (PodSpec& pod : world->pods) {
      if (pod.job != job.name || rng.Chance(0.05)) continue;
      const size_t policy = rng.Below(job.sub_groups.size());
      const auto size = static_cast<uint64_t>(job.sub_groups[policy].size);
      const uint64_t value = rigid ? number++ / size : rng.Below(3);
      pod.peers.labels[SubGroupLabel(policy)] = StrCat("v", value);
    }
    if (rng.Chance(0.3)) job.topology.front() = {};
  }
}

}  // namespace bth::test
