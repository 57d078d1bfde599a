#include "framework/peers/carried_terms.h"

#include <algorithm>
#include <utility>

#include "base/changed_rows.h"
#include "base/strings.h"

namespace bth::framework {

using model::NodeId;
using model::PodAffinityTerm;
using model::PodConstraints;
using model::PodSelector;
using model::Snapshot;

namespace {

void Append(std::string* out, Symbol symbol) {
  StrAppend(out, symbol.valid() ? int64_t{symbol.value()} : -1, ",");
}

}  // namespace

std::string TextOf(const PodSelector& selector) {
  std::string out = selector.never ? "!" : "";
  for (const model::NodeRequirement& requirement : selector.requirements) {
    Append(&out, requirement.key);
    StrAppend(&out, static_cast<int>(requirement.op), ":");
    for (Symbol value : requirement.values) Append(&out, value);
    out += '/';
  }
  return out;
}

std::string TextOf(const PodAffinityTerm& term) {
  std::string out;
  Append(&out, term.topology_key);
  out += '@';
  for (Symbol ns : term.namespaces) Append(&out, ns);
  if (term.namespace_selector) StrAppend(&out, "?", TextOf(*term.namespace_selector));
  return StrCat(out, "=", TextOf(term.selector));
}

void CarriedTerms::CatchUp(const Session& session, uint64_t serial) {
  if (serial_ != serial) {
    Refresh(session.base());
    serial_ = serial;
    moves_seen_ = 0;
  }
  const std::vector<PodMove>& moves = session.placements().pod_moves();
  for (; moves_seen_ < moves.size(); ++moves_seen_) {
    const PodMove& move = moves[moves_seen_];
    if (!move.terms.valid()) continue;
    const auto& pod = session.base().constraints[move.terms];
    Count(pod, move.sign);
    moved_.emplace_back(pod, move.sign);
  }
}

void CarriedTerms::Refresh(const Snapshot& snapshot) {
  for (const auto& [pod, sign] : moved_) Count(pod, -sign);
  moved_.clear();
  if (namespaces_ != snapshot.namespaces) known_.clear();
  namespaces_ = snapshot.namespaces;
  ForgetUnused();
  const auto count = [this](const model::PodsOnNode& pods, const auto& constraints, int32_t sign) {
    if (pods == nullptr) return;
    for (const model::LabelledPods& row : *pods) {
      if (row.terms.valid()) Count(constraints[row.terms], sign * row.pods);
    }
  };
  ForDifferentRows(snapshot.pods_on_nodes, pods_on_nodes_,
                   [&](NodeId, const auto& before, const auto& after) {
                     count(before, constraints_, -1);
                     count(after, snapshot.constraints, +1);
                   });
  pods_on_nodes_ = snapshot.pods_on_nodes;
  constraints_ = snapshot.constraints;
}

// Terms that no pod carries any more stay until they are many.
void CarriedTerms::ForgetUnused() {
  constexpr size_t kUnusedMax = 1024;
  constexpr size_t kLabelsMax = 65'536;
  if (known_.size() > kLabelsMax) known_.clear();
  const auto unused = static_cast<size_t>(
      std::count_if(terms_.begin(), terms_.end(), [](const auto& term) { return term.pods == 0; }));
  if (unused <= kUnusedMax && carriers_.size() <= 2 * kUnusedMax + 2 * terms_.size()) return;
  terms_.clear();
  by_text_.clear();
  carriers_.clear();
  known_.clear();
  pods_on_nodes_ = {};
}

void CarriedTerms::ForgetCountersBefore(uint64_t serial) {
  for (CarriedTerm& term : terms_) {
    if (term.counter != nullptr && term.counter->serial() < serial) term.counter.reset();
  }
}

void CarriedTerms::Count(const std::shared_ptr<const PodConstraints>& pod, int64_t pods) {
  for (uint32_t index : TermsOf(pod)) terms_[index].pods += pods;
}

const std::vector<uint32_t>& CarriedTerms::TermsOf(
    const std::shared_ptr<const PodConstraints>& pod) {
  Carrier& carrier = carriers_[pod.get()];
  if (carrier.terms != nullptr) return *carrier.terms;
  std::vector<uint32_t> indexes;
  const model::PodPeerTerms& peer_terms = *pod->peer_terms;
  for (const auto& term : peer_terms.required_anti_affinity) AddIndex(pod, term, 0, &indexes);
  for (const auto& term : peer_terms.preferred_affinity) AddIndex(pod, term, term.weight, &indexes);
  for (const auto& term : peer_terms.preferred_anti_affinity) {
    AddIndex(pod, term, -int64_t{term.weight}, &indexes);
  }
  carrier.constraints = pod;
  carrier.terms = std::make_shared<const std::vector<uint32_t>>(std::move(indexes));
  return *carrier.terms;
}

void CarriedTerms::AddIndex(const std::shared_ptr<const PodConstraints>& pod,
                            const PodAffinityTerm& term, int64_t weight,
                            std::vector<uint32_t>* indexes) {
  const std::string text = TextOf(term);
  for (int copy = 0;; ++copy) {
    const auto [it, fresh] = by_text_.try_emplace(StrCat(copy, "*", weight, "*", text),
                                                  static_cast<uint32_t>(terms_.size()));
    if (fresh) terms_.push_back({.owner = pod, .term = &term, .weight = weight});
    if (std::find(indexes->begin(), indexes->end(), it->second) != indexes->end()) continue;
    indexes->push_back(it->second);
    return;
  }
}

std::function<bool(const std::shared_ptr<const PodConstraints>&)> CarriedTerms::CarriersOf(
    uint32_t index) {
  return [this, index](const std::shared_ptr<const PodConstraints>& pod) {
    const std::vector<uint32_t>& terms = TermsOf(pod);
    return std::find(terms.begin(), terms.end(), index) != terms.end();
  };
}

const SelectingTerms& CarriedTerms::ThatSelect(const Session& session, model::LabelsId labels) {
  Known& known = known_[labels];
  const auto& present = session.base().labels[labels];
  if (known.labels != present) known = {.labels = present};
  for (; known.seen < terms_.size(); ++known.seen) {
    const CarriedTerm& carried = terms_[known.seen];
    if (!model::Matches(*carried.term, *present, session.base().namespaces.get())) continue;
    const auto index = static_cast<uint32_t>(known.seen);
    (carried.weight == 0 ? known.selecting.required : known.selecting.preferred).push_back(index);
  }
  return known.selecting;
}

}  // namespace bth::framework
