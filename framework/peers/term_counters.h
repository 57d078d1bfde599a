// What the places of other pods mean for a task, as things stand in a session.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "framework/peers/carried_terms.h"
#include "framework/peers/domain_counter.h"
#include "framework/peers/label_index.h"
#include "framework/peers/topology_column.h"
#include "framework/session/session.h"

namespace bth::framework {

// What required terms count. Pods without a node that has the key of a term do not count for it.
struct RequiredCounters {
  // By required affinity term: pods that match all of these terms. Settled ones count.
  std::vector<const DomainCounter*> affinity;
  // No pod counts in `affinity`, and the task matches all of its own terms.
  bool is_first_of_group = false;
  // By required anti-affinity term: pods that match it.
  std::vector<const DomainCounter*> anti_affinity;
  // Pods with required anti-affinity to the task, by term.
  std::vector<const DomainCounter*> avoiding;
};

// Preferred terms of the task, and those of pods on nodes that select it.
struct PreferredCounters {
  std::vector<std::pair<const DomainCounter*, int64_t>> weighted;  // Negative: to avoid.
};

struct CountedSpread {
  const model::SpreadConstraint* constraint = nullptr;
  const DomainCounter* counter = nullptr;
  bool selects_itself = false;  // Of required ones.
};

// Counts are kept per question, not per task: tasks with the same terms share them, and pods that
// come or go change them in place. They live from session to session, as long as the policy; those
// not asked for longest go first. What is returned is valid until the next call.
// Thread: scheduling.
class TermCounters {
 public:
  // Pods whose questions are remembered.
  static constexpr size_t kProfilesMax = 512;
  // So many sessions after the last question, at most twice as many.
  static constexpr uint64_t kSessionsKept = 16;

  // Called by a session that opens; the one before is over.
  void Begin(const Session& session);

  // False: required terms, the task's own and those of others, let it go to any node.
  bool HasRequired(const Session& session, model::TaskId task);
  const RequiredCounters& Required(const Session& session, model::TaskId task);
  // False: there are no preferences between the task and other pods.
  bool HasPreferred(const Session& session, model::TaskId task);
  const PreferredCounters& Preferred(const Session& session, model::TaskId task);
  // Constraints that are required (DoNotSchedule), or those that are not; a task without any has
  // those of its default spread, which are not.
  static bool HasSpread(const Session& session, model::TaskId task, bool required);
  const std::vector<CountedSpread>& Spread(const Session& session, model::TaskId task,
                                           bool required);

  size_t profiles() const { return profiles_.size(); }
  size_t carried_terms() const { return carried_.size(); }

 private:
  using Constraints = std::shared_ptr<const model::PodConstraints>;
  using Terms = std::shared_ptr<const model::PodPeerTerms>;
  // The counters behind the terms of pods with the same constraints and the same default spread.
  struct Profile {
    Constraints constraints;
    Terms default_spread;  // Null: none.
    std::vector<std::shared_ptr<DomainCounter>> affinity;
    std::vector<std::shared_ptr<DomainCounter>> anti_affinity;
    std::vector<std::pair<std::shared_ptr<DomainCounter>, int64_t>> preferred;
    std::vector<std::shared_ptr<DomainCounter>> spread;
    uint64_t last_used = 0;
    uint64_t last_session = 0;
  };
  // For whom and when an answer was made.
  struct Asked {
    model::ConstraintsId constraints;
    const model::PodPeerTerms* default_spread = nullptr;
    model::LabelsId labels;
    uint64_t serial = 0;
    size_t moves = 0;
    friend bool operator==(const Asked&, const Asked&) = default;
  };

  Asked AskedBy(const Session& session, model::TaskId task);
  const SelectingTerms* Selecting(const Session& session, model::TaskId task);
  // Pods on nodes have terms of this sort that select the task.
  bool OthersHave(const Session& session, model::TaskId task,
                  std::vector<uint32_t> SelectingTerms::*terms);
  DomainCounter* CarriedCounter(uint32_t index);
  Profile& ProfileOf(const Session& session, model::TaskId task);
  void Fill(Profile& profile);
  void EvictOldest();
  void Sweep();
  const DomainCounter* Ready(const Session& session, DomainCounter& counter);

  std::shared_ptr<TopologyColumn> Topology(Symbol key);
  std::shared_ptr<DomainCounter> Counter(std::string key, Symbol topology_key,
                                         CountedPods question);
  std::shared_ptr<DomainCounter> TermCounter(const Constraints& pod,
                                             const model::PodAffinityTerm& term);
  std::shared_ptr<DomainCounter> AllTermsCounter(const Constraints& pod,
                                                 const model::PodAffinityTerm& term);
  // `constraint` is one of `terms`.
  std::shared_ptr<DomainCounter> SpreadCounter(const Constraints& pod, const Terms& terms,
                                               const model::SpreadConstraint& constraint);

  const Session* session_ = nullptr;
  uint64_t serial_ = 0;  // Of the session.
  uint64_t clock_ = 0;
  uint64_t counters_made_ = 0;
  MatchMemo memo_;
  LabelIndex labels_;
  CarriedTerms carried_;
  absl::flat_hash_map<Symbol, std::shared_ptr<TopologyColumn>> topologies_;
  absl::flat_hash_map<std::string, std::weak_ptr<DomainCounter>> counters_;
  // By constraints and default spread.
  absl::flat_hash_map<std::pair<const model::PodConstraints*, const model::PodPeerTerms*>,
                      std::unique_ptr<Profile>>
      profiles_;

  Asked asked_required_;
  RequiredCounters required_;
  Asked asked_preferred_;
  PreferredCounters preferred_;
  Asked asked_spread_[2];
  std::vector<CountedSpread> spread_[2];
};

}  // namespace bth::framework
