// Random policies with actions that evict.
#pragma once

#include <string>
#include <string_view>

#include "base/rng.h"
#include "base/strings.h"

namespace bth::test {

inline std::string_view RandomEvictingActions(Rng& rng) {
  constexpr std::string_view kActions[] = {
      "enqueue, allocate, preempt, reclaim, backfill",
      "enqueue, allocate, preempt, reclaim, backfill",
      "enqueue, preempt, allocate, backfill",
      "enqueue, allocate, reclaim",
      "enqueue, allocate, gangpreempt, gangreclaim, backfill",
      "enqueue, allocate, gangpreempt, preempt, gangreclaim, reclaim, backfill"};
  return kActions[rng.Below(6)];
}

inline std::string RandomEvictingPolicy(Rng& rng, std::string_view actions) {
  constexpr std::string_view kFirst[] = {
      "{name: priority}, {name: gang}, {name: conformance}",
      "{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}",
      "{name: priority}, {name: gang}, {name: pdb}"};
  constexpr std::string_view kShares[] = {"{name: drf}", "{name: drf, enablePreemptable: false}",
                                          "{name: drf, enablePreemptable: false}"};
  constexpr std::string_view kQueues[] = {"{name: proportion}", "{name: capacity}",
                                          "{name: capacity, enableHierarchy: true}",
                                          "{name: nodeorder}"};
  constexpr std::string_view kVetoes[] = {
      "", "", "", "configurations:\n- {name: session, arguments: {victimVeto: strict}}\n"};
  const std::string_view first = kFirst[rng.Below(3)];
  const std::string_view shares = kShares[rng.Below(3)];
  const std::string_view queues = kQueues[rng.Below(4)];
  const std::string_view veto = kVetoes[rng.Below(4)];
  return StrCat("actions: \"", actions, "\"\ntiers:\n- plugins: [", first,
                "]\n- plugins: [{name: overcommit}, ", shares, ", {name: predicates}, ", queues,
                ", {name: binpack}]\n", veto);
}

}  // namespace bth::test
