#include "plugins/predicates/peer_filters.h"

#include <algorithm>
#include <vector>

#include "framework/peers/term_counters.h"

namespace bth::plugins::predicates {
namespace {

using framework::CountedSpread;
using framework::DomainCounter;
using framework::FitCode;
using framework::kFits;
using framework::ReasonId;
using framework::RequiredCounters;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

struct AffinityReasons {
  ReasonId lacks_peers = kFits;
  ReasonId meets_avoided = kFits;
  ReasonId is_avoided = kFits;
};

// In the domain of each term stands a pod that matches all terms; tentative pods of other
// jobs may never come, and are no company. The first of a group of pods that
// seek each other may go to any node that has the keys.
bool FindsPeers(const RequiredCounters& peers, NodeId node) {
  bool finds_all = true;
  for (const DomainCounter* counter : peers.affinity) {
    if (!counter->HasDomain(node)) return false;
    finds_all &= counter->SettledInDomainOf(node) > 0;
  }
  return finds_all || peers.is_first_of_group;
}

bool AnyInDomain(const std::vector<const DomainCounter*>& counters, NodeId node) {
  return std::any_of(counters.begin(), counters.end(), [node](const DomainCounter* counter) {
    return counter->InDomainOf(node) > 0;
  });
}

ReasonId Judge(const RequiredCounters& peers, NodeId node, const AffinityReasons& reasons) {
  if (!FindsPeers(peers, node)) return reasons.lacks_peers;
  if (AnyInDomain(peers.anti_affinity, node)) return reasons.meets_avoided;
  if (AnyInDomain(peers.avoiding, node)) return reasons.is_avoided;
  return kFits;
}

struct SpreadReasons {
  ReasonId lacks_key = kFits;
  ReasonId skews = kFits;
};

// The fewest pods in any domain that counts, but for tentative ones of other jobs; too few domains
// count as having an empty one.
int64_t LeastOf(const CountedSpread& peers) {
  const int32_t wanted = std::max(peers.constraint->domains_min, 1);
  return peers.counter->domains() < wanted ? 0 : peers.counter->LeastSettledInDomain();
}

// The constraints of one task with what all nodes have in common.
struct Limit {
  const DomainCounter* counter = nullptr;
  int64_t most = 0;  // Pods that a domain may hold beside the task.
};

ReasonId Judge(const std::vector<Limit>& limits, NodeId node, const SpreadReasons& reasons) {
  for (const Limit& limit : limits) {
    if (!limit.counter->HasDomain(node)) return reasons.lacks_key;
    if (limit.counter->InDomainOf(node) > limit.most) return reasons.skews;
  }
  return kFits;
}

}  // namespace

void AddPodAffinityFilter(Session& session, framework::HookRegistrar& hooks) {
  framework::ReasonTable& table = session.reasons();
  const AffinityReasons reasons{
      .lacks_peers =
          table.Register(FitCode::kUnresolvable, "node(s) didn't match pod affinity rules"),
      .meets_avoided =
          table.Register(FitCode::kUnschedulable, "node(s) didn't match pod anti-affinity rules"),
      .is_avoided = table.Register(FitCode::kUnschedulable,
                                   "node(s) didn't satisfy existing pods anti-affinity rules")};
  const auto judge = [&session, reasons](TaskId task, NodeRange block, absl::Span<ReasonId> out) {
    const RequiredCounters& peers = session.term_counters().Required(session, task);
    for (NodeId node : block) {
      if (const ReasonId reason = Judge(peers, node, reasons); reason != kFits) {
        out[block.Offset(node)] = reason;
      }
    }
  };
  hooks.FilterGlobal({judge, [&session](TaskId task) {
                        return session.term_counters().HasRequired(session, task);
                      }});
}

void AddSpreadFilter(Session& session, framework::HookRegistrar& hooks) {
  framework::ReasonTable& table = session.reasons();
  const SpreadReasons reasons{
      .lacks_key = table.Register(
          FitCode::kUnresolvable,
          "node(s) didn't match pod topology spread constraints (missing required label)"),
      .skews = table.Register(FitCode::kUnschedulable,
                              "node(s) didn't match pod topology spread constraints")};
  const auto judge = [&session, reasons, limits = std::vector<Limit>()](
                         TaskId task, NodeRange block, absl::Span<ReasonId> out) mutable {
    limits.clear();
    for (const CountedSpread& peers : session.term_counters().Spread(session, task, true)) {
      limits.push_back(
          {.counter = peers.counter,
           .most = peers.constraint->skew_max + LeastOf(peers) - (peers.selects_itself ? 1 : 0)});
    }
    for (NodeId node : block) {
      if (const ReasonId reason = Judge(limits, node, reasons); reason != kFits) {
        out[block.Offset(node)] = reason;
      }
    }
  };
  hooks.FilterGlobal({judge, [&session](TaskId task) {
                        return framework::TermCounters::HasSpread(session, task, true);
                      }});
}

}  // namespace bth::plugins::predicates
