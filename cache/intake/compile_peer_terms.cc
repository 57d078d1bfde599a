#include "cache/intake/compile_peer_terms.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::cache {
namespace {

using model::LabelPair;
using model::NodeRequirement;
using model::PodAffinityTerm;
using model::PodPeerTerms;
using model::PodSelector;
using model::SelectorOp;
using model::SpreadConstraint;

PodSelector CompilePodSelector(const std::optional<types::LabelSelector>& in, SymbolHold& symbols) {
  PodSelector out;
  out.never = !in || !in->Check().ok();
  if (out.never) return out;
  const auto add = [&](const std::string& key, SelectorOp op, const auto& values) {
    NodeRequirement requirement{.key = symbols.Intern(key), .op = op};
    for (const std::string& value : values) requirement.values.push_back(symbols.Intern(value));
    std::sort(requirement.values.begin(), requirement.values.end());
    out.requirements.push_back(std::move(requirement));
  };
  for (const auto& [key, value] : in->match_labels) add(key, SelectorOp::kIn, std::vector{value});
  for (const types::Requirement& r : in->match_expressions) {
    add(r.key, static_cast<SelectorOp>(static_cast<int>(r.op)), r.values);
  }
  return out;
}

// The values that the pod itself has under `keys` become requirements. A server that did so when
// the pod was made has left one with that key and operator: then nothing is added.
void MergeKeys(const types::Pod& pod, const std::vector<std::string>& keys, SelectorOp op,
               PodSelector* selector, SymbolHold& symbols) {
  if (selector->never) return;
  for (const std::string& key : keys) {
    const std::string* value = pod.meta.labels.Find(key);
    if (value == nullptr) continue;
    const Symbol symbol = symbols.Intern(key);
    const bool merged =
        std::any_of(selector->requirements.begin(), selector->requirements.end(),
                    [&](const NodeRequirement& r) { return r.key == symbol && r.op == op; });
    if (merged) continue;
    selector->requirements.push_back({.key = symbol, .op = op, .values = {symbols.Intern(*value)}});
  }
}

PodAffinityTerm CompilePodTerm(const types::Pod& pod, const types::PodAffinityTerm& in,
                               SymbolHold& symbols) {
  PodAffinityTerm out;
  out.topology_key = symbols.Intern(in.topology_key);
  for (const std::string& ns : in.namespaces) out.namespaces.push_back(symbols.Intern(ns));
  if (in.namespace_selector) {
    out.namespace_selector = CompilePodSelector(in.namespace_selector, symbols);
    Sort(&*out.namespace_selector);
  } else if (in.namespaces.empty()) {
    out.namespaces.push_back(symbols.Intern(pod.meta.ns));
  }
  std::sort(out.namespaces.begin(), out.namespaces.end());
  out.selector = CompilePodSelector(in.label_selector, symbols);
  MergeKeys(pod, in.match_label_keys, SelectorOp::kIn, &out.selector, symbols);
  MergeKeys(pod, in.mismatch_label_keys, SelectorOp::kNotIn, &out.selector, symbols);
  Sort(&out.selector);
  return out;
}

struct AffinityTerms {
  std::vector<PodAffinityTerm> required;
  std::vector<PodAffinityTerm> preferred;
};

AffinityTerms CompileAffinity(const types::Pod& pod, const std::optional<types::PodAffinity>& in,
                              bool with_required, SymbolHold& symbols) {
  AffinityTerms out;
  if (!in) return out;
  for (const types::PodAffinityTerm& term : in->required) {
    if (!with_required) break;
    out.required.push_back(CompilePodTerm(pod, term, symbols));
  }
  for (const types::WeightedPodAffinityTerm& weighted : in->preferred) {
    if (weighted.weight == 0) continue;
    out.preferred.push_back(CompilePodTerm(pod, weighted.term, symbols));
    out.preferred.back().weight = weighted.weight;
  }
  return out;
}

SpreadConstraint CompileSpread(const types::Pod& pod, const types::TopologySpreadConstraint& in,
                               SymbolHold& symbols) {
  SpreadConstraint out;
  out.topology_key = symbols.Intern(in.topology_key);
  out.per_host = in.topology_key == "kubernetes.io/hostname";
  out.selector = CompilePodSelector(in.label_selector, symbols);
  MergeKeys(pod, in.match_label_keys, SelectorOp::kIn, &out.selector, symbols);
  Sort(&out.selector);
  // Pods are added to it; no cluster has so many.
  constexpr int32_t kSkewMax = 1 << 30;
  out.skew_max = std::clamp(in.max_skew, 1, kSkewMax);
  out.domains_min = in.min_domains.value_or(0);
  out.required = in.when_unsatisfiable != "ScheduleAnyway";
  out.honor_node_affinity = in.node_affinity_policy != "Ignore";
  out.honor_node_taints = in.node_taints_policy == "Honor";
  return out;
}

void AddKeys(const PodSelector& selector, std::vector<Symbol>* keys) {
  for (const NodeRequirement& r : selector.requirements) keys->push_back(r.key);
}

// Of the pod's own labels those by which it may match its own terms; with all of them, every pod of
// a gang that has a label of its own would be a kind of its own.
std::shared_ptr<const model::PodLabels> OwnLabels(const types::Pod& pod, const PodPeerTerms& terms,
                                                  SymbolHold& symbols) {
  std::vector<Symbol> keys;
  for (const PodAffinityTerm& term : terms.required_affinity) AddKeys(term.selector, &keys);
  for (const SpreadConstraint& spread : terms.spread) AddKeys(spread.selector, &keys);
  auto own = std::make_shared<model::PodLabels>();
  own->ns = symbols.Intern(pod.meta.ns);
  for (const auto& [key, value] : pod.meta.labels) {
    const Symbol symbol = symbols.Find(key);
    if (!symbol.valid() || std::find(keys.begin(), keys.end(), symbol) == keys.end()) continue;
    own->labels.emplace_back(symbol, symbols.Intern(value));
  }
  std::sort(own->labels.begin(), own->labels.end());
  return own;
}

class PeerKeyWriter {
 public:
  void Add(int64_t number) { StrAppend(&key_, number, ","); }
  void Add(Symbol symbol) { Add(symbol.valid() ? int64_t{symbol.value()} : -1); }
  void Add(const PodSelector& selector) {
    Add(static_cast<int64_t>(selector.never));
    for (const NodeRequirement& r : selector.requirements) {
      Add(r.key);
      Add(static_cast<int64_t>(r.op));
      for (Symbol value : r.values) Add(value);
      key_ += '/';
    }
    key_ += ';';
  }
  void Add(const std::vector<PodAffinityTerm>& terms) {
    for (const PodAffinityTerm& term : terms) {
      Add(term.topology_key);
      Add(term.weight);
      for (Symbol ns : term.namespaces) Add(ns);
      key_ += 'n';
      if (term.namespace_selector) Add(*term.namespace_selector);
      key_ += 's';
      Add(term.selector);
    }
    key_ += '|';
  }
  void Add(const SpreadConstraint& spread) {
    Add(spread.topology_key);
    Add(spread.selector);
    Add(spread.skew_max);
    Add(spread.domains_min);
    Add(spread.required * 4 + spread.honor_node_affinity * 2 + spread.honor_node_taints);
  }
  std::string Take() { return std::move(key_); }

 private:
  std::string key_;
};

}  // namespace

void Sort(PodSelector* selector) {
  std::sort(selector->requirements.begin(), selector->requirements.end(),
            [](const NodeRequirement& a, const NodeRequirement& b) {
              if (a.key != b.key) return a.key < b.key;
              if (a.op != b.op) return a.op < b.op;
              return a.values < b.values;
            });
}

std::shared_ptr<const PodPeerTerms> CompilePeerTerms(const types::Pod& pod, PodPart part,
                                                     SymbolHold& symbols) {
  auto out = std::make_shared<PodPeerTerms>();
  if (pod.spec.affinity) {
    // Whom a placed pod required beside it means nothing to those who come.
    const types::Affinity& affinity = *pod.spec.affinity;
    AffinityTerms seek = CompileAffinity(pod, affinity.pod, part == PodPart::kAll, symbols);
    AffinityTerms avoid = CompileAffinity(pod, affinity.pod_anti, true, symbols);
    out->required_affinity = std::move(seek.required);
    out->preferred_affinity = std::move(seek.preferred);
    out->required_anti_affinity = std::move(avoid.required);
    out->preferred_anti_affinity = std::move(avoid.preferred);
  }
  for (const types::TopologySpreadConstraint& spread : pod.spec.topology_spread_constraints) {
    if (part == PodPart::kPlaced) break;  // Nor how it was to be spread.
    out->spread.push_back(CompileSpread(pod, spread, symbols));
  }
  if (!out->has_affinity() && out->spread.empty()) return nullptr;
  out->own = OwnLabels(pod, *out, symbols);
  return out;
}

std::string KeyOf(const PodPeerTerms& peer_terms) {
  PeerKeyWriter key;
  key.Add(peer_terms.required_affinity);
  key.Add(peer_terms.required_anti_affinity);
  key.Add(peer_terms.preferred_affinity);
  key.Add(peer_terms.preferred_anti_affinity);
  for (const SpreadConstraint& spread : peer_terms.spread) key.Add(spread);
  key.Add(peer_terms.own->ns);
  for (const LabelPair& label : peer_terms.own->labels) {
    key.Add(label.first);
    key.Add(label.second);
  }
  return key.Take();
}

}  // namespace bth::cache
