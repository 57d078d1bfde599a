#include "cache/peer_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"

namespace bth::cache {

using model::LabelPair;
using model::LabelsId;
using model::NodeId;
using model::PeerCount;
using model::PodLabels;

namespace {

bool Before(const PeerCount& a, const PeerCount& b) {
  return std::tie(a.labels, a.terms, a.terminating) < std::tie(b.labels, b.terms, b.terminating);
}

}  // namespace

size_t PeerBook::Hash::operator()(const PodLabels& labels) const {
  return absl::HashOf(labels.ns, labels.labels);
}

void PeerBook::AskFor(const model::PodPeerTerms& terms) {
  for (const auto* list : {&terms.required_affinity, &terms.required_anti_affinity,
                           &terms.preferred_affinity, &terms.preferred_anti_affinity}) {
    for (const model::PodAffinityTerm& term : *list) AskFor(term.selector);
  }
  for (const model::SpreadConstraint& spread : terms.spread) AskFor(spread.selector);
}

void PeerBook::AskFor(const model::PodSelector& selector) {
  for (const model::NodeRequirement& requirement : selector.requirements) {
    if (all_keys_ || keys_.contains(requirement.key)) continue;
    keys_grew_ = true;
    if (keys_.size() < kKeysMax) {
      keys_.insert(requirement.key);
    } else {
      all_keys_ = true;
    }
  }
}

LabelsId PeerBook::Acquire(const CompiledPod& pod, Interner& symbols, model::Snapshot* now) {
  PodLabels labels{.ns = symbols.Intern(pod.names.ns)};
  for (const auto& [key, value] : pod.labels) {
    const Symbol symbol = all_keys_ ? symbols.Intern(key) : symbols.Find(key);
    if (!symbol.valid() || (!all_keys_ && !keys_.contains(symbol))) continue;
    labels.labels.emplace_back(symbol, symbols.Intern(value));
  }
  std::sort(labels.labels.begin(), labels.labels.end());
  const auto [it, fresh] = ids_.try_emplace(std::move(labels));
  if (fresh) {
    it->second = slots_.Take();
    pods_.EnsureContains(it->second);
    now->labels.EnsureContains(it->second);
    now->labels.Mutable(it->second) = std::make_shared<const PodLabels>(it->first);
  }
  ++pods_[it->second];
  return it->second;
}

void PeerBook::Release(LabelsId labels, model::Snapshot* now) {
  if (--pods_[labels] > 0) return;
  ids_.erase(*now->labels[labels]);
  now->labels.Mutable(labels) = nullptr;
  slots_.Free(labels);
}

void PeerBook::Count(NodeId node, const PeerCount& key) {
  on_node_.EnsureContains(node);
  std::vector<PeerCount>& rows = on_node_[node];
  auto it = std::lower_bound(rows.begin(), rows.end(), key, Before);
  if (it != rows.end() && !Before(key, *it)) {
    it->pods += key.pods;
    if (it->pods == 0) rows.erase(it);
  } else {
    rows.insert(it, key);
  }
  changed_.insert(node);
}

bool PeerBook::PutNamespace(Symbol name, std::vector<LabelPair> labels) {
  std::sort(labels.begin(), labels.end());
  const auto [it, fresh] = namespaces_.try_emplace(name);
  if (!fresh && it->second == labels) return false;
  it->second = std::move(labels);
  namespaces_changed_ = true;
  return true;
}

bool PeerBook::RemoveNamespace(Symbol name) {
  if (namespaces_.erase(name) == 0) return false;
  namespaces_changed_ = true;
  return true;
}

void PeerBook::Publish(model::Snapshot* now) {
  for (NodeId node : changed_) {
    now->peers.EnsureContains(node);
    const std::vector<PeerCount>& rows = on_node_[node];
    now->peers.Mutable(node) =
        rows.empty() ? nullptr : std::make_shared<const std::vector<PeerCount>>(rows);
  }
  changed_.clear();
  if (namespaces_changed_) {
    now->namespaces = std::make_shared<const model::NamespaceTable>(namespaces_);
    namespaces_changed_ = false;
  }
}

}  // namespace bth::cache
