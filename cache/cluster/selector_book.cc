#include "cache/cluster/selector_book.h"

#include <algorithm>

#include "cache/intake/compile_peer_terms.h"

namespace bth::cache {

using model::NodeRequirement;
using model::PodPeerTerms;
using model::PodSelector;
using model::SelectorOp;
using model::TaskId;

namespace {

constexpr char kHostKey[] = "kubernetes.io/hostname";
constexpr char kZoneKey[] = "topology.kubernetes.io/zone";
constexpr int32_t kHostSkew = 3;
constexpr int32_t kZoneSkew = 5;

// Both lists are by key.
bool HasAll(const Labels& labels, const Labels& pairs) {
  return std::includes(labels.begin(), labels.end(), pairs.begin(), pairs.end());
}

NodeRequirement Requirement(const LabelRequirement& in, SymbolHold& symbols) {
  NodeRequirement out{.key = symbols.Intern(in.key), .op = in.op};
  for (const std::string& value : in.values) out.values.push_back(symbols.Intern(value));
  std::sort(out.values.begin(), out.values.end());
  return out;
}

PodSelector SelectorOf(const Labels& pairs, const CompiledWorkload* workload, SymbolHold& symbols) {
  PodSelector out;
  for (const auto& [key, value] : pairs) {
    out.requirements.push_back(
        {.key = symbols.Intern(key), .op = SelectorOp::kIn, .values = {symbols.Intern(value)}});
  }
  if (workload != nullptr) {
    for (const LabelRequirement& requirement : workload->selector) {
      out.requirements.push_back(Requirement(requirement, symbols));
    }
  }
  Sort(&out);
  const auto same = [](const NodeRequirement& a, const NodeRequirement& b) {
    return a.key == b.key && a.op == b.op && a.values == b.values;
  };
  out.requirements.erase(std::unique(out.requirements.begin(), out.requirements.end(), same),
                         out.requirements.end());
  return out;
}

model::SpreadConstraint Constraint(Symbol topology_key, const PodSelector& selector) {
  model::SpreadConstraint out;
  out.topology_key = topology_key;
  out.selector = selector;
  out.required = false;
  out.by_default = true;
  return out;
}

}  // namespace

// Nobody who waits: pods that come look for themselves.
void SelectorBook::NotePair(const std::string& ns, Namespace& place, const LabelText& pair) {
  if (place.waiting.empty()) return;
  place.changed_pairs.insert(pair);
  changed_.insert(ns);
}

void SelectorBook::NoteWorkload(const CompiledWorkload& workload) {
  const auto place = namespaces_.find(workload.ns);
  if (place == namespaces_.end() || place->second.waiting.empty()) return;
  place->second.changed_workloads.insert(workload.key);
  changed_.insert(workload.ns);
}

// Of its pairs, the one by which the fewest services are found till now.
void SelectorBook::Put(CompiledService service) {
  if (service.selector.empty()) {
    RemoveService(service.ns, service.name);
    return;
  }
  Namespace& place = namespaces_[service.ns];
  const auto known = place.services.find(service.name);
  if (known != place.services.end() && known->second.selector == service.selector) return;
  RemoveFrom(service.ns, place, service.name);
  const auto found_by = [&place](const LabelText& pair) {
    const auto anchored = place.anchored.find(pair);
    return anchored == place.anchored.end() ? size_t{0} : anchored->second.size();
  };
  const auto anchor = std::min_element(
      service.selector.begin(), service.selector.end(),
      [&](const LabelText& a, const LabelText& b) { return found_by(a) < found_by(b); });
  place.anchored[*anchor].push_back(service.name);
  NotePair(service.ns, place, *anchor);
  const auto index = static_cast<size_t>(anchor - service.selector.begin());
  place.services[service.name] = {.selector = std::move(service.selector), .anchor = index};
}

void SelectorBook::RemoveService(const std::string& ns, const std::string& name) {
  const auto place = namespaces_.find(ns);
  if (place == namespaces_.end()) return;
  RemoveFrom(ns, place->second, name);
  if (place->second.empty()) namespaces_.erase(place);
}

void SelectorBook::RemoveFrom(const std::string& ns, Namespace& place, const std::string& name) {
  const auto known = place.services.find(name);
  if (known == place.services.end()) return;
  const LabelText& anchor = known->second.selector[known->second.anchor];
  NotePair(ns, place, anchor);
  const auto siblings = place.anchored.find(anchor);
  std::erase(siblings->second, name);
  if (siblings->second.empty()) place.anchored.erase(siblings);
  place.services.erase(known);
}

void SelectorBook::Put(CompiledWorkload workload) {
  const auto [known, fresh] = workloads_.try_emplace(workload.key);
  if (!fresh && known->second == workload) return;
  NoteWorkload(workload);
  known->second = std::move(workload);
}

void SelectorBook::RemoveWorkload(const std::string& key) {
  const auto known = workloads_.find(key);
  if (known == workloads_.end()) return;
  NoteWorkload(known->second);
  workloads_.erase(known);
}

// Services that select the pod agree where they name the same label. A ReplicationController's
// pairs go before theirs.
Labels SelectorBook::PairsOf(const PodIdentity& pod, const CompiledWorkload* workload) const {
  Labels pairs = workload == nullptr ? Labels() : workload->pairs;
  const size_t first = pairs.size();
  if (const auto place = namespaces_.find(pod.names.ns); place != namespaces_.end()) {
    for (const LabelText& label : pod.labels) {
      const auto anchored = place->second.anchored.find(label);
      if (anchored == place->second.anchored.end()) continue;
      for (const std::string& name : anchored->second) {
        const Labels& selector = place->second.services.find(name)->second.selector;
        if (HasAll(pod.labels, selector)) {
          pairs.insert(pairs.end(), selector.begin(), selector.end());
        }
      }
    }
  }
  const auto overruled = [&](const LabelText& pair) {
    return std::any_of(pairs.begin(), pairs.begin() + static_cast<ptrdiff_t>(first),
                       [&pair](const LabelText& own) { return own.first == pair.first; });
  };
  pairs.erase(std::remove_if(pairs.begin() + static_cast<ptrdiff_t>(first), pairs.end(), overruled),
              pairs.end());
  return pairs;
}

std::shared_ptr<const PodPeerTerms> SelectorBook::SpreadOf(const PodIdentity& pod,
                                                           Interner& interner) {
  const CompiledWorkload* workload = nullptr;
  if (!pod.owner.empty()) {
    const auto known = workloads_.find(pod.owner);
    if (known != workloads_.end()) workload = &known->second;
  }
  const auto hold = std::make_shared<SymbolHold>(interner);
  SymbolHold& symbols = *hold;
  const PodSelector selector = SelectorOf(PairsOf(pod, workload), workload, symbols);
  if (selector.requirements.empty()) return nullptr;
  auto terms = std::make_shared<PodPeerTerms>();
  terms->symbols = hold;
  model::SpreadConstraint host = Constraint(symbols.Intern(kHostKey), selector);
  host.per_host = true;
  host.skew_max = kHostSkew;
  model::SpreadConstraint zone = Constraint(symbols.Intern(kZoneKey), selector);
  zone.skew_max = kZoneSkew;
  terms->spread = {std::move(host), std::move(zone)};
  auto own = std::make_shared<model::PodLabels>();
  own->ns = symbols.Intern(pod.names.ns);
  terms->own = std::move(own);
  return Shared(std::move(terms));
}

std::shared_ptr<const PodPeerTerms> SelectorBook::Shared(std::shared_ptr<PodPeerTerms> terms) {
  if (shared_.size() >= sweep_at_) {
    absl::erase_if(shared_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * shared_.size() + 64;
  }
  std::weak_ptr<const PodPeerTerms>& slot = shared_[KeyOf(*terms)];
  if (auto known = slot.lock(); known != nullptr) return known;
  slot = terms;
  return terms;
}

void SelectorBook::Enter(TaskId id, const PodIdentity& pod) {
  if (pod.labels.empty() && pod.owner.empty()) return;
  namespaces_[pod.names.ns].waiting.insert(id);
}

void SelectorBook::Leave(TaskId id, const std::string& ns) {
  const auto found = namespaces_.find(ns);
  if (found == namespaces_.end() || found->second.waiting.erase(id) == 0) return;
  Namespace& place = found->second;
  if (!place.waiting.empty()) return;
  place.changed_pairs.clear();
  place.changed_workloads.clear();
  changed_.erase(ns);
  if (place.empty()) namespaces_.erase(found);
}

std::vector<TaskId> SelectorBook::TakeAffected(absl::FunctionRef<PodIdentity(TaskId)> pod_of) {
  std::vector<TaskId> out;
  for (const std::string& ns : changed_) {
    Namespace& place = namespaces_.find(ns)->second;
    for (TaskId id : place.waiting) {
      const PodIdentity pod = pod_of(id);
      const bool affected =
          place.changed_workloads.contains(pod.owner) ||
          std::any_of(pod.labels.begin(), pod.labels.end(), [&place](const LabelText& label) {
            return place.changed_pairs.contains(label);
          });
      if (affected) out.push_back(id);
    }
    place.changed_pairs.clear();
    place.changed_workloads.clear();
  }
  changed_.clear();
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace bth::cache
