#include "tests/worlds/peer_specs.h"

#include "api/types/pod.h"
#include "cache/intake/compile_peer_terms.h"

namespace bth::test {
namespace {

SelectorSpec RandomSelector(Rng& rng) {
  SelectorSpec selector;
  selector.label = rng.Chance(0.8) ? "app" : "tier";
  selector.value = Pick(rng, {"x", "y"});
  selector.negated = rng.Chance(0.15);
  selector.empty = rng.Chance(0.05);
  selector.absent = !selector.empty && rng.Chance(0.03);
  return selector;
}

types::LabelSelector Compile(const SelectorSpec& selector) {
  types::LabelSelector out;
  if (selector.empty) return out;
  out.match_expressions.push_back(
      {.key = selector.label,
       .op = selector.negated ? types::SelectorOp::kNotIn : types::SelectorOp::kIn,
       .values = {selector.value}});
  return out;
}

types::PodAffinityTerm Compile(const AffinitySpec& spec) {
  types::PodAffinityTerm term;
  term.topology_key = spec.topology_key;
  if (!spec.selector.absent) term.label_selector = Compile(spec.selector);
  term.namespaces = spec.namespaces;
  if (spec.team == "*") term.namespace_selector = types::LabelSelector();
  if (!spec.team.empty() && spec.team != "*") {
    term.namespace_selector = Compile(SelectorSpec{.label = "team", .value = spec.team});
  }
  return term;
}

}  // namespace

std::string Pick(Rng& rng, const std::vector<std::string>& from) {
  return from[rng.Below(from.size())];
}

bool SelectorSpec::Matches(const LabelsOfPod& labels) const {
  if (absent) return false;
  if (empty) return true;
  const auto found = labels.find(label);
  return (found != labels.end() && found->second == value) != negated;
}

PeerSpecs RandomPeers(Rng& rng) {
  PeerSpecs specs;
  if (rng.Chance(0.7)) specs.labels["app"] = Pick(rng, {"x", "y"});
  if (rng.Chance(0.3)) specs.labels["tier"] = Pick(rng, {"x", "y"});
  if (rng.Chance(0.3)) specs.labels["index"] = Pick(rng, {"0", "1", "2"});
  for (uint64_t i = rng.Chance(0.25) ? 1 + rng.Below(3) : 0; i > 0; --i) {
    AffinitySpec term;
    term.topology_key = Pick(rng, {"zone", "zone", kHostKey});
    term.selector = RandomSelector(rng);
    if (rng.Chance(0.2)) term.namespaces = {Pick(rng, {"ns", "other"})};
    if (rng.Chance(0.15)) term.team = Pick(rng, {"red", "blue", "*"});
    term.avoids = rng.Chance(0.6);
    if (rng.Chance(0.4)) term.weight = static_cast<int32_t>(1 + rng.Below(100));
    specs.affinity.push_back(term);
  }
  for (uint64_t i = rng.Chance(0.2) ? 1 + rng.Below(2) : 0; i > 0; --i) {
    SpreadSpec spread;
    spread.topology_key = Pick(rng, {"zone", kHostKey});
    spread.selector = RandomSelector(rng);
    spread.skew_max = static_cast<int32_t>(1 + rng.Below(3));
    spread.domains_min = rng.Chance(0.3) ? static_cast<int32_t>(rng.Below(5)) : 0;
    spread.required = rng.Chance(0.6);
    spread.honor_affinity = rng.Chance(0.7);
    spread.honor_taints = rng.Chance(0.3);
    specs.spread.push_back(spread);
  }
  return specs;
}

std::shared_ptr<const model::PodPeerTerms> CompileSpecs(const PeerSpecs& specs,
                                                        const std::string& ns, Interner& symbols,
                                                        std::string* key) {
  types::Pod pod;
  pod.meta.ns = ns;
  for (const auto& [name, value] : specs.labels) pod.meta.labels.Set(name, value);
  for (const AffinitySpec& spec : specs.affinity) {
    if (!pod.spec.affinity) pod.spec.affinity = types::Affinity();
    std::optional<types::PodAffinity>& kind =
        spec.avoids ? pod.spec.affinity->pod_anti : pod.spec.affinity->pod;
    if (!kind) kind = types::PodAffinity();
    if (spec.weight == 0) {
      kind->required.push_back(Compile(spec));
    } else {
      kind->preferred.push_back({.weight = spec.weight, .term = Compile(spec)});
    }
  }
  for (const SpreadSpec& spec : specs.spread) {
    types::TopologySpreadConstraint constraint;
    constraint.max_skew = spec.skew_max;
    constraint.topology_key = spec.topology_key;
    constraint.when_unsatisfiable = spec.required ? "DoNotSchedule" : "ScheduleAnyway";
    if (!spec.selector.absent) constraint.label_selector = Compile(spec.selector);
    if (spec.domains_min > 0) constraint.min_domains = spec.domains_min;
    constraint.node_affinity_policy = spec.honor_affinity ? "Honor" : "Ignore";
    constraint.node_taints_policy = spec.honor_taints ? "Honor" : "Ignore";
    pod.spec.topology_spread_constraints.push_back(constraint);
  }
  const auto hold = std::make_shared<SymbolHold>(symbols);
  const auto compiled = cache::CompilePeerTerms(pod, cache::PodPart::kAll, *hold);
  if (compiled == nullptr) return nullptr;
  *key += cache::KeyOf(*compiled);
  auto peers = std::make_shared<model::PodPeerTerms>(*compiled);
  peers->symbols = hold;
  return peers;
}

}  // namespace bth::test
