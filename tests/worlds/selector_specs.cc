#include "tests/worlds/selector_specs.h"

#include "base/strings.h"
#include "cache/intake/compile_selectors.h"

namespace bth::test {
namespace {

LabelsOfPod RandomPairs(Rng& rng) {
  LabelsOfPod pairs;
  if (rng.Chance(0.8)) pairs["app"] = Pick(rng, {"x", "y"});
  if (rng.Chance(0.2)) pairs["tier"] = Pick(rng, {"x", "y"});
  if (rng.Chance(0.1)) pairs["index"] = Pick(rng, {"0", "1"});
  return pairs;
}

cache::Labels LabelsOf(const LabelsOfPod& pairs) {
  return {pairs.begin(), pairs.end()};
}

std::string KeyOf(const WorkloadSpec& spec) {
  return cache::WorkloadKey(spec.kind, spec.ns, spec.name);
}

}  // namespace

ServiceSpec RandomService(Rng& rng) {
  return {.name = StrCat("s", rng.Below(3)),
          .ns = rng.Chance(0.8) ? "ns" : "other",
          .selector = RandomPairs(rng)};
}

WorkloadSpec RandomWorkload(Rng& rng) {
  WorkloadSpec spec;
  spec.kind = Pick(rng, {"ReplicationController", "ReplicaSet", "StatefulSet"});
  spec.name = StrCat("w", rng.Below(2));
  if (spec.kind == "ReplicationController") {
    spec.pairs = RandomPairs(rng);
    return spec;
  }
  for (uint64_t i = rng.Below(3); i > 0; --i) {
    spec.demands.push_back({.label = Pick(rng, {"app", "tier", "index"}),
                            .value = Pick(rng, {"x", "y", "0"}),
                            .negated = rng.Chance(0.4)});
  }
  return spec;
}

std::string RandomOwner(Rng& rng) {
  if (rng.Chance(0.6)) return "";
  return StrCat(Pick(rng, {"ReplicationController", "ReplicaSet", "StatefulSet"}), " w",
                rng.Below(3));
}

void Put(const ServiceSpec& spec, cache::Mirror& mirror) {
  mirror.selectors().Put(cache::CompiledService{
      .ns = spec.ns, .name = spec.name, .selector = LabelsOf(spec.selector)});
}

void Remove(const ServiceSpec& spec, cache::Mirror& mirror) {
  mirror.selectors().RemoveService(spec.ns, spec.name);
}

void Put(const WorkloadSpec& spec, cache::Mirror& mirror) {
  cache::CompiledWorkload workload;
  workload.ns = spec.ns;
  workload.key = KeyOf(spec);
  workload.pairs = LabelsOf(spec.pairs);
  for (const SelectorSpec& demand : spec.demands) {
    workload.selector.push_back(
        {.key = demand.label,
         .op = demand.negated ? model::SelectorOp::kNotIn : model::SelectorOp::kIn,
         .values = {demand.value}});
  }
  mirror.selectors().Put(std::move(workload));
}

void Remove(const WorkloadSpec& spec, cache::Mirror& mirror) {
  mirror.selectors().RemoveWorkload(KeyOf(spec));
}

}  // namespace bth::test
