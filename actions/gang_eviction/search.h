// Finds room for what a gang lacks at the cost of other gangs, for all of its tasks at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "actions/eviction/node_tasks.h"
#include "actions/eviction/plan.h"
#include "actions/eviction/tally.h"
#include "actions/gang_eviction/bundles.h"
#include "actions/gang_eviction/options.h"
#include "actions/gang_eviction/pending.h"
#include "actions/gang_eviction/victim_units.h"
#include "framework/nodes/node_picker.h"
#include "framework/prospects/victim_prospects.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "framework/session/victim_votes.h"

namespace bth::actions::gang_eviction {

// One run of a gang action. Thread: scheduling.
class Search {
 public:
  using Kind = framework::EvictionContext::Kind;

  // `action` must outlive the search.
  Search(framework::Session& session, std::string_view action, Kind kind, const Options& options);

  // The job gets room for all that it lacks, or nobody is evicted and the job's report says why.
  void PlaceJob(model::JobId job);

 private:
  // Part of the cluster.
  struct Domain {
    model::HyperNodeId id;
    std::vector<model::NodeId> nodes;  // By name.
  };
  // What is asked for in one domain.
  struct Ask {
    model::JobId job;
    const std::vector<PendingPart>* parts = nullptr;
    Claim claim;
    const Domain* domain = nullptr;
  };
  enum class Outcome : uint8_t {
    kDone,       // Committed.
    kRefused,    // The plan was found and may not be carried out: what was noted says why.
    kNoVictims,  // Nobody is left who may be evicted.
    kNotEnough,
  };

  // Where to make room, in turn.
  std::vector<model::HyperNodeId> DomainsFor(model::JobId job) const;
  std::vector<model::NodeId> NodesOf(model::HyperNodeId domain) const;
  // Some task would have room on a node with nobody on it.
  bool AnyFitsEmptyNode(const std::vector<PendingPart>& parts);
  bool MayAsk(model::JobId job, const std::vector<PendingPart>& parts, std::string* why) const;
  Outcome TryDomain(const Ask& ask);
  // What is said when no domain did; empty: what was counted is all.
  std::string WhyNone(const std::vector<PendingPart>& parts, bool any_domain,
                      bool any_victims) const;
  // What plugins approve of the bundles that they are asked about.
  struct Approval {
    std::vector<Bundle> bundles;  // In the order in which they go.
    framework::VictimChoice choice;
    size_t enough = 0;  // The least number of bundles, from the first on, that makes room; 0: none.
  };
  // Without jobs in `spared`. Where that does not make room, plugins are asked again without gangs
  // of which they approve only a part, for others may have what these use up.
  Approval Approve(const Ask& ask, const absl::flat_hash_set<model::JobId>& spared);
  Approval ApprovalOf(const Ask& ask, std::vector<Bundle> asked);
  // Takes whole gangs out of `asked` that plugins do not approve, with all their surplus, beside
  // all that they do; among them is one of which some tasks were approved in vain. False: there is
  // no such gang.
  bool LeaveOutVain(const Ask& ask, const Approval& approval, std::vector<Bundle>& asked) const;
  // Why the job's pods are no candidates; kNone: they are.
  eviction::SparedBy WhySpared(const Ask& ask, model::JobId job) const;
  std::vector<Bundle> CandidateBundles(const Ask& ask,
                                       const absl::flat_hash_set<model::JobId>& spared);
  // The least number of bundles, from the first on, with which the gang finds room; 0: none does.
  size_t ShortestPrefix(const Ask& ask, const std::vector<Bundle>& bundles);
  // Where the gang goes when these are evicted; nothing when it finds no room. A trial.
  std::optional<std::vector<VictimUnits::Placement>> PlacementsAfter(
      const Ask& ask, absl::Span<const Bundle> evicted);
  // Places parts until the gang stands; false: it does not.
  bool PlaceParts(const Ask& ask, framework::Statement& statement,
                  std::vector<VictimUnits::Placement>* out);
  // In the first HyperNode in which it finds room.
  bool PlacePartSomewhere(const Ask& ask, const PendingPart& part, framework::Statement& statement,
                          std::vector<VictimUnits::Placement>* out);
  bool PlacePart(const Ask& ask, const PendingPart& part, framework::Statement& statement,
                 std::vector<VictimUnits::Placement>* out);
  // The jobs among the victims that would demand their room right back.
  std::vector<model::JobId> Rivals(const VictimUnits& units, int tier);
  framework::VictimKind victim_kind() const;
  framework::VictimSeeker SeekerOf(model::JobId job) const;
  framework::VictimAsker AskerFor(model::JobId job) const {
    return {.kind = victim_kind(), .job = job};
  }
  // `dropped`: `why` tells of a plan that had been found.
  void Note(model::JobId job, model::TaskId task, std::string why, bool dropped = false);
  // Adds what kept those whom the last search met.
  void CountProtected(model::JobId job, framework::VictimSearch* counts) const;
  const eviction::NodeTasks& tasks();

  framework::Session& session_;
  const std::string_view action_;
  const Kind kind_;
  const Options options_;
  framework::NodePicker& picker_;
  const framework::NodeJudge& judge_;
  std::unique_ptr<eviction::NodeTasks> tasks_;  // Made when first needed.
  // Of the job at hand: who was asked about, and how many of those that plugins approve stay
  // because gangs go whole or not at all.
  std::vector<model::TaskId> asked_;
  int64_t kept_with_gangs_ = 0;
  // Nobody may go for it, so that nobody was asked about.
  std::optional<framework::Protection> hopeless_;
  eviction::SparedCounts spared_;
  eviction::RivalCounts rivals_;
};

}  // namespace bth::actions::gang_eviction
