#include "cache/cluster/pod_label_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"

namespace bth::cache {

using model::LabelledPods;
using model::LabelPair;
using model::LabelsId;
using model::NodeId;
using model::PodLabels;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

bool SeeksOthers(const model::PodPeerTerms& peer_terms) {
  return !peer_terms.required_affinity.empty() ||
         std::any_of(peer_terms.spread.begin(), peer_terms.spread.end(),
                     [](const model::SpreadConstraint& spread) { return spread.required; });
}

bool Before(const LabelledPods& a, const LabelledPods& b) {
  return std::tie(a.labels, a.terms, a.terminating) < std::tie(b.labels, b.terms, b.terminating);
}

template <typename Visit>
void ForEachKey(const model::PodPeerTerms& terms, const Visit& visit) {
  const auto of_selector = [&visit](const model::PodSelector& selector) {
    for (const model::NodeRequirement& requirement : selector.requirements) visit(requirement.key);
  };
  for (const auto* list : {&terms.required_affinity, &terms.required_anti_affinity,
                           &terms.preferred_affinity, &terms.preferred_anti_affinity}) {
    for (const model::PodAffinityTerm& term : *list) of_selector(term.selector);
  }
  for (const model::SpreadConstraint& spread : terms.spread) of_selector(spread.selector);
}

}  // namespace

size_t PodLabelBook::Hash::operator()(const PodLabels& labels) const {
  return absl::HashOf(labels.ns, labels.labels);
}

void PodLabelBook::AskFor(const model::PodPeerTerms& terms, Interner& symbols) {
  ForEachKey(terms, [&](Symbol symbol) {
    const auto [known, fresh] = keys_.try_emplace(symbol);
    Key& key = known->second;
    if (fresh) {
      const auto hold = std::make_shared<SymbolHold>(symbols);
      hold->Keep(symbol);
      key.symbols = hold;
      fresh_keys_.insert(symbol);
    } else if (key.selectors == 0) {
      --idle_keys_;
    }
    ++key.selectors;
  });
}

void PodLabelBook::AskNoMore(const model::PodPeerTerms& terms) {
  ForEachKey(terms, [this](Symbol symbol) {
    if (--keys_.find(symbol)->second.selectors == 0) ++idle_keys_;
  });
  if (idle_keys_ > kIdleKeysMax) DropIdleKeys();
}

// Rows that have such a label keep it as long as they live, which does not matter.
void PodLabelBook::DropIdleKeys() {
  absl::erase_if(keys_, [this](const auto& entry) {
    if (entry.second.selectors > 0) return false;
    fresh_keys_.erase(entry.first);
    return true;
  });
  idle_keys_ = 0;
}

bool PodLabelBook::HasFreshKey(const PodIdentity& pod, const Interner& symbols) const {
  return std::any_of(pod.labels.begin(), pod.labels.end(), [&](const auto& label) {
    const Symbol key = symbols.Find(label.first);
    return key.valid() && fresh_keys_.contains(key);
  });
}

std::optional<PodLabels> PodLabelBook::Known(const PodIdentity& pod,
                                             const Interner& symbols) const {
  PodLabels labels{.ns = symbols.Find(pod.names.ns)};
  if (!labels.ns.valid()) return std::nullopt;
  for (const auto& [key, value] : pod.labels) {
    const Symbol symbol = symbols.Find(key);
    if (!Asks(symbol)) continue;
    labels.labels.emplace_back(symbol, symbols.Find(value));
    if (!labels.labels.back().second.valid()) return std::nullopt;
  }
  std::sort(labels.labels.begin(), labels.labels.end());
  return labels;
}

PodLabels PodLabelBook::Make(const PodIdentity& pod, Interner& symbols) const {
  const auto hold = std::make_shared<SymbolHold>(symbols);
  PodLabels labels{.ns = hold->Intern(pod.names.ns)};
  for (const auto& [key, value] : pod.labels) {
    if (!Asks(hold->Find(key))) continue;
    labels.labels.emplace_back(hold->Intern(key), hold->Intern(value));
  }
  std::sort(labels.labels.begin(), labels.labels.end());
  labels.symbols = hold;
  return labels;
}

LabelsId PodLabelBook::Acquire(const PodIdentity& pod, Interner& symbols, model::Snapshot* now) {
  if (const std::optional<PodLabels> labels = Known(pod, symbols)) {
    if (const auto known = ids_.find(*labels); known != ids_.end()) {
      ++pods_[known->second];
      return known->second;
    }
  }
  const auto it = ids_.try_emplace(Make(pod, symbols)).first;
  it->second = slots_.Take();
  pods_.EnsureContains(it->second);
  now->labels.EnsureContains(it->second);
  now->labels.Mutable(it->second) = std::make_shared<const PodLabels>(it->first);
  ++pods_[it->second];
  return it->second;
}

void PodLabelBook::Release(LabelsId labels, model::Snapshot* now) {
  if (--pods_[labels] > 0) return;
  ids_.erase(*now->labels[labels]);
  now->labels.Mutable(labels) = nullptr;
  slots_.Free(labels);
}

void PodLabelBook::Count(NodeId node, const LabelledPods& key) {
  on_node_.EnsureContains(node);
  std::vector<LabelledPods>& rows = on_node_[node];
  auto it = std::lower_bound(rows.begin(), rows.end(), key, Before);
  if (it != rows.end() && !Before(key, *it)) {
    it->pods += key.pods;
    if (it->pods == 0) rows.erase(it);
  } else {
    rows.insert(it, key);
  }
  changed_.insert(node);
}

void PodLabelBook::Track(TaskId id, const TaskState& state, bool on, model::Snapshot* now) {
  const int32_t sign = on ? 1 : -1;
  const model::TaskRow& row = now->tasks[id];
  const model::PodPeerTerms* peer_terms = now->constraints_of(row.shape).peer_terms.get();
  if (state.status == TaskStatus::kPending && peer_terms != nullptr && SeeksOthers(*peer_terms)) {
    seekers_ += sign;
  }
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  LabelledPods key{
      .labels = row.labels,
      // Those that do not end in time are Unknown.
      .terminating = state.status == TaskStatus::kReleasing || state.status == TaskStatus::kUnknown,
      .pods = sign};
  if (peer_terms != nullptr && peer_terms->has_affinity()) {
    key.terms = now->shapes[row.shape].constraints;
    now->pods_with_preferred_terms += sign;
    if (!peer_terms->required_anti_affinity.empty()) now->pods_with_anti_affinity += sign;
  }
  Count(state.node, key);
}

bool PodLabelBook::PutNamespace(const std::string& name, const Labels& labels, Interner& symbols) {
  const auto hold = std::make_shared<SymbolHold>(symbols);
  const Symbol symbol = hold->Intern(name);
  std::vector<LabelPair> pairs;
  for (const auto& [key, value] : labels) {
    pairs.emplace_back(hold->Intern(key), hold->Intern(value));
  }
  std::sort(pairs.begin(), pairs.end());
  const auto [it, fresh] = namespaces_.try_emplace(symbol);
  if (!fresh && it->second == pairs) return false;
  it->second = std::move(pairs);
  namespace_symbols_[name] = {.symbol = symbol, .symbols = hold};
  namespaces_changed_ = true;
  return true;
}

bool PodLabelBook::RemoveNamespace(const std::string& name) {
  const auto known = namespace_symbols_.find(name);
  if (known == namespace_symbols_.end()) return false;
  namespaces_.erase(known->second.symbol);
  namespace_symbols_.erase(known);
  namespaces_changed_ = true;
  return true;
}

void PodLabelBook::Publish(model::Snapshot* now) {
  now->pods_on_nodes.Resize(now->nodes.size());
  for (NodeId node : changed_) {
    now->pods_on_nodes.EnsureContains(node);
    const std::vector<LabelledPods>& rows = on_node_[node];
    now->pods_on_nodes.Mutable(node) =
        rows.empty() ? nullptr : std::make_shared<const std::vector<LabelledPods>>(rows);
  }
  changed_.clear();
  if (namespaces_changed_) {
    now->namespaces = std::make_shared<const model::NamespaceTable>(namespaces_);
    namespaces_changed_ = false;
  }
}

}  // namespace bth::cache
