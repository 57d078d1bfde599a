#include "framework/peers/term_counters.h"

#include <algorithm>

#include "api/model/node_affinity.h"
#include "api/model/taints.h"
#include "base/strings.h"

namespace bth::framework {

using model::PodAffinityTerm;
using model::PodConstraints;
using model::PodLabels;
using model::PodPeerTerms;
using model::Snapshot;
using model::SpreadConstraint;
using model::TaskId;

namespace {

const std::shared_ptr<const PodConstraints>& ConstraintsOf(const Session& session, TaskId task) {
  return session.base().constraints[session.shape(session.task(task).shape).constraints];
}

// Null: the pod asks nothing of others.
const PodPeerTerms* TermsOf(const Session& session, TaskId task) {
  return ConstraintsOf(session, task)->peer_terms.get();
}

// Whose constraints of spread hold for the task; null: it has none. A default is given to those
// alone that have none of their own.
const std::shared_ptr<const PodPeerTerms>& SpreadTermsOf(const PodConstraints& constraints,
                                                         const model::TaskRow& task) {
  return task.default_spread != nullptr ? task.default_spread : constraints.peer_terms;
}

bool MatchesItself(const Session& session, const PodPeerTerms& peer_terms) {
  return std::all_of(peer_terms.required_affinity.begin(), peer_terms.required_affinity.end(),
                     [&](const PodAffinityTerm& term) {
                       return model::Matches(term, *peer_terms.own,
                                             session.base().namespaces.get());
                     });
}

// The pairs that every pod of the namespace has which the selector matches.
std::vector<LabelIndex::Anchor> AnchorsOf(Symbol ns, const model::PodSelector& selector) {
  std::vector<LabelIndex::Anchor> anchors;
  for (const model::NodeRequirement& requirement : selector.requirements) {
    if (requirement.op != model::SelectorOp::kIn || requirement.values.size() != 1) continue;
    anchors.push_back({ns, {requirement.key, requirement.values[0]}});
  }
  return anchors;
}

}  // namespace

void TermCounters::Begin(const Session& session) {
  session_ = &session;
  ++serial_;
  if (serial_ % kSessionsKept == 0) Sweep();
}

// A counter holds on to the snapshot that it was last in step with: those that nobody asks any more
// must not keep old ones alive.
void TermCounters::Sweep() {
  const uint64_t oldest = serial_ - std::min(serial_, kSessionsKept);
  absl::erase_if(profiles_,
                 [oldest](const auto& entry) { return entry.second->last_session < oldest; });
  carried_.ForgetCountersBefore(oldest);
  labels_.ForgetBefore(oldest);
  absl::erase_if(counters_, [](const auto& entry) { return entry.second.expired(); });
  absl::erase_if(topologies_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

TermCounters::Asked TermCounters::AskedBy(const Session& session, TaskId task) {
  if (session_ != &session) Begin(session);
  const model::TaskRow& row = session.task(task);
  return {.constraints = session.shape(row.shape).constraints,
          .default_spread = row.default_spread.get(),
          .labels = row.labels,
          .serial = serial_,
          .moves = session.placements().pod_moves().size()};
}

const SelectingTerms* TermCounters::Selecting(const Session& session, TaskId task) {
  if (session_ != &session) Begin(session);
  const model::LabelsId labels = session.task(task).labels;
  if (!labels.valid()) return nullptr;
  carried_.CatchUp(session, serial_);
  return carried_.empty() ? nullptr : &carried_.ThatSelect(session, labels);
}

bool TermCounters::OthersHave(const Session& session, TaskId task,
                              std::vector<uint32_t> SelectingTerms::*terms) {
  const SelectingTerms* selecting = Selecting(session, task);
  return selecting != nullptr &&
         std::any_of((selecting->*terms).begin(), (selecting->*terms).end(),
                     [this](uint32_t index) { return carried_.at(index).pods > 0; });
}

bool TermCounters::HasRequired(const Session& session, TaskId task) {
  const PodPeerTerms* own = TermsOf(session, task);
  return (own != nullptr && own->has_required()) ||
         OthersHave(session, task, &SelectingTerms::required);
}

bool TermCounters::HasPreferred(const Session& session, TaskId task) {
  const PodPeerTerms* own = TermsOf(session, task);
  return (own != nullptr && own->has_preferred()) ||
         OthersHave(session, task, &SelectingTerms::preferred);
}

bool TermCounters::HasSpread(const Session& session, TaskId task, bool required) {
  const auto& peer_terms = SpreadTermsOf(*ConstraintsOf(session, task), session.task(task));
  return peer_terms != nullptr &&
         std::any_of(peer_terms->spread.begin(), peer_terms->spread.end(),
                     [required](const SpreadConstraint& c) { return c.required == required; });
}

const RequiredCounters& TermCounters::Required(const Session& session, TaskId task) {
  const PodPeerTerms* peer_terms = TermsOf(session, task);
  if (peer_terms != nullptr && !peer_terms->required_affinity.empty()) {
    session.placements().BeholdAs(session.task(task).job);
  }
  const Asked asked = AskedBy(session, task);
  if (asked_required_ == asked) return required_;
  required_.affinity.clear();
  required_.anti_affinity.clear();
  required_.avoiding.clear();
  required_.is_first_of_group = false;
  if (peer_terms != nullptr) {
    Profile& profile = ProfileOf(session, task);
    int64_t matching = 0;
    for (const auto& counter : profile.affinity) {
      required_.affinity.push_back(Ready(session, *counter));
      matching += counter->settled();
    }
    required_.is_first_of_group =
        !profile.affinity.empty() && matching == 0 && MatchesItself(session, *peer_terms);
    for (const auto& counter : profile.anti_affinity) {
      required_.anti_affinity.push_back(Ready(session, *counter));
    }
  }
  if (const SelectingTerms* selecting = Selecting(session, task); selecting != nullptr) {
    for (uint32_t index : selecting->required) {
      if (carried_.at(index).pods == 0) continue;
      required_.avoiding.push_back(Ready(session, *CarriedCounter(index)));
    }
  }
  asked_required_ = asked;
  return required_;
}

const PreferredCounters& TermCounters::Preferred(const Session& session, TaskId task) {
  const Asked asked = AskedBy(session, task);
  if (asked_preferred_ == asked) return preferred_;
  preferred_.weighted.clear();
  if (TermsOf(session, task) != nullptr) {
    for (const auto& [counter, weight] : ProfileOf(session, task).preferred) {
      preferred_.weighted.emplace_back(Ready(session, *counter), weight);
    }
  }
  if (const SelectingTerms* selecting = Selecting(session, task); selecting != nullptr) {
    for (uint32_t index : selecting->preferred) {
      const CarriedTerm& carried = carried_.at(index);
      if (carried.pods == 0) continue;
      preferred_.weighted.emplace_back(Ready(session, *CarriedCounter(index)), carried.weight);
    }
  }
  asked_preferred_ = asked;
  return preferred_;
}

const std::vector<CountedSpread>& TermCounters::Spread(const Session& session, TaskId task,
                                                       bool required) {
  if (required) session.placements().BeholdAs(session.task(task).job);
  const Asked asked = AskedBy(session, task);
  std::vector<CountedSpread>& spread = spread_[required ? 1 : 0];
  if (asked_spread_[required ? 1 : 0] == asked) return spread;
  spread.clear();
  const auto& peer_terms = SpreadTermsOf(*ConstraintsOf(session, task), session.task(task));
  if (peer_terms != nullptr) {
    const Profile& profile = ProfileOf(session, task);
    for (size_t i = 0; i < peer_terms->spread.size(); ++i) {
      const SpreadConstraint& constraint = peer_terms->spread[i];
      if (constraint.required != required) continue;
      spread.push_back(
          {.constraint = &constraint,
           .counter = Ready(session, *profile.spread[i]),
           .selects_itself = model::Matches(constraint.selector, peer_terms->own->labels)});
    }
  }
  asked_spread_[required ? 1 : 0] = asked;
  return spread;
}

const DomainCounter* TermCounters::Ready(const Session& session, DomainCounter& counter) {
  counter.CatchUp(session, serial_, memo_, labels_);
  return &counter;
}

DomainCounter* TermCounters::CarriedCounter(uint32_t index) {
  CarriedTerm& carried = carried_.at(index);
  if (carried.counter == nullptr) {
    carried.counter = std::make_shared<DomainCounter>(
        ++counters_made_, CountedPods{.carries = carried_.CarriersOf(index)},
        Topology(carried.term->topology_key));
  }
  return carried.counter.get();
}

TermCounters::Profile& TermCounters::ProfileOf(const Session& session, TaskId task) {
  const Constraints& constraints = ConstraintsOf(session, task);
  const Terms& default_spread = session.task(task).default_spread;
  std::unique_ptr<Profile>& slot = profiles_[{constraints.get(), default_spread.get()}];
  if (slot == nullptr) {
    slot = std::make_unique<Profile>();
    slot->constraints = constraints;
    slot->default_spread = default_spread;
    Fill(*slot);
  }
  Profile& profile = *slot;
  profile.last_used = ++clock_;
  profile.last_session = serial_;
  if (profiles_.size() > kProfilesMax) EvictOldest();
  return profile;
}

void TermCounters::Fill(Profile& profile) {
  const Constraints& pod = profile.constraints;
  const Terms& spread =
      profile.default_spread != nullptr ? profile.default_spread : pod->peer_terms;
  if (spread != nullptr) {
    for (const SpreadConstraint& constraint : spread->spread) {
      profile.spread.push_back(SpreadCounter(pod, spread, constraint));
    }
  }
  if (pod->peer_terms == nullptr) return;
  const PodPeerTerms& peer_terms = *pod->peer_terms;
  for (const PodAffinityTerm& term : peer_terms.required_affinity) {
    profile.affinity.push_back(AllTermsCounter(pod, term));
  }
  for (const PodAffinityTerm& term : peer_terms.required_anti_affinity) {
    profile.anti_affinity.push_back(TermCounter(pod, term));
  }
  for (const PodAffinityTerm& term : peer_terms.preferred_affinity) {
    profile.preferred.emplace_back(TermCounter(pod, term), term.weight);
  }
  for (const PodAffinityTerm& term : peer_terms.preferred_anti_affinity) {
    profile.preferred.emplace_back(TermCounter(pod, term), -int64_t{term.weight});
  }
}

void TermCounters::EvictOldest() {
  auto oldest = profiles_.begin();
  for (auto it = profiles_.begin(); it != profiles_.end(); ++it) {
    if (it->second->last_used < oldest->second->last_used) oldest = it;
  }
  profiles_.erase(oldest);
  // Answers may show its counters.
  asked_required_ = asked_preferred_ = asked_spread_[0] = asked_spread_[1] = Asked();
}

std::shared_ptr<TopologyColumn> TermCounters::Topology(Symbol key) {
  std::shared_ptr<TopologyColumn>& column = topologies_[key];
  if (column == nullptr) column = std::make_shared<TopologyColumn>(key);
  return column;
}

std::shared_ptr<DomainCounter> TermCounters::Counter(std::string key, Symbol topology_key,
                                                     CountedPods question) {
  std::weak_ptr<DomainCounter>& slot = counters_[std::move(key)];
  std::shared_ptr<DomainCounter> counter = slot.lock();
  if (counter == nullptr) {
    counter = std::make_shared<DomainCounter>(++counters_made_, std::move(question),
                                              Topology(topology_key));
    slot = counter;
  }
  return counter;
}

std::shared_ptr<DomainCounter> TermCounters::TermCounter(const Constraints& pod,
                                                         const PodAffinityTerm& term) {
  CountedPods question;
  question.asks_namespaces = term.namespace_selector.has_value();
  if (!question.asks_namespaces && term.namespaces.size() == 1) {
    question.anchors = AnchorsOf(term.namespaces[0], term.selector);
  }
  question.selects = [pod, &term](const Snapshot& snapshot, const PodLabels& labels) {
    return model::Matches(term, labels, snapshot.namespaces.get());
  };
  return Counter(TextOf(term), term.topology_key, std::move(question));
}

// Only pods that match every required affinity term of the pod count, for each of them.
std::shared_ptr<DomainCounter> TermCounters::AllTermsCounter(const Constraints& pod,
                                                             const PodAffinityTerm& term) {
  const std::vector<PodAffinityTerm>& all = pod->peer_terms->required_affinity;
  if (all.size() == 1) return TermCounter(pod, term);
  std::string key = StrCat("all ", TextOf(term));
  CountedPods question;
  for (const PodAffinityTerm& one : all) {
    StrAppend(&key, "&", TextOf(one));
    question.asks_namespaces |= one.namespace_selector.has_value();
  }
  question.selects = [pod, &all](const Snapshot& snapshot, const PodLabels& labels) {
    return std::all_of(all.begin(), all.end(), [&](const PodAffinityTerm& one) {
      return model::Matches(one, labels, snapshot.namespaces.get());
    });
  };
  return Counter(std::move(key), term.topology_key, std::move(question));
}

// Pods of the own namespace, on nodes that have the keys of all constraints of the same kind (but
// for a default, with which those that a node has count) and that the pod could go to as far as the
// policies say. An empty selector counts no pods.
std::shared_ptr<DomainCounter> TermCounters::SpreadCounter(const Constraints& pod,
                                                           const Terms& terms,
                                                           const SpreadConstraint& constraint) {
  CountedPods question;
  question.skips_terminating = true;
  question.anchors = AnchorsOf(terms->own->ns, constraint.selector);
  question.selects = [terms, &constraint](const Snapshot&, const PodLabels& labels) {
    return labels.ns == terms->own->ns && !constraint.selector.requirements.empty() &&
           model::Matches(constraint.selector, labels.labels);
  };
  std::string key = StrCat("spread ", constraint.topology_key.value(), " ", terms->own->ns.value(),
                           " ", TextOf(constraint.selector));
  // A preference between hosts counts what is on the host, whatever else is said of it.
  if (constraint.per_host && !constraint.required) {
    return Counter(key + " host", constraint.topology_key, std::move(question));
  }
  std::vector<Symbol> keys;
  if (!constraint.by_default) {
    for (const SpreadConstraint& other : terms->spread) {
      if (other.required == constraint.required) keys.push_back(other.topology_key);
    }
  }
  for (Symbol symbol : keys) StrAppend(&key, " ", symbol.value());
  const bool asks_affinity =
      constraint.honor_node_affinity && (pod->has_required_terms || !pod->node_selector.empty());
  if (asks_affinity || constraint.honor_node_taints) {
    StrAppend(&key, " of ", reinterpret_cast<uintptr_t>(pod.get()), asks_affinity ? "a" : "",
              constraint.honor_node_taints ? "t" : "");
  }
  if (keys.empty() && !asks_affinity && !constraint.honor_node_taints) {
    return Counter(std::move(key), constraint.topology_key, std::move(question));
  }
  question.counts_node = [pod, terms, &constraint, keys,
                          asks_affinity](const model::NodeFacts& node) {
    return std::all_of(keys.begin(), keys.end(),
                       [&node](Symbol symbol) { return node.FindLabel(symbol) != nullptr; }) &&
           (!asks_affinity || model::MatchesRequired(*pod, node)) &&
           (!constraint.honor_node_taints || model::FirstUntolerated(*pod, node) == nullptr);
  };
  return Counter(std::move(key), constraint.topology_key, std::move(question));
}

}  // namespace bth::framework
