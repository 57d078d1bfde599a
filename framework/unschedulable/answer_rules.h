// What of a policy decides when a refused job must be looked at again.
#pragma once

#include <algorithm>
#include <vector>

#include "framework/prospects/grant_bounds.h"
#include "framework/unschedulable/answer_sources.h"

namespace bth::framework {

struct AnswerRules {
  AnswerSources sources = Bit(AnswerSource::kAnything);  // Of all its plugins.
  bool evicts = false;                                   // Some action makes room by evictions.
  bool follows_clock = false;
  // How its actions look for victims; unless some action that evicts does not say so.
  std::vector<VictimKind> victim_kinds = {};
  bool evicts_anybody = false;

  // Jobs may be given free room although their queue is overused.
  bool preempts() const {
    return evicts_anybody || std::find(victim_kinds.begin(), victim_kinds.end(),
                                       VictimKind::kPreempt) != victim_kinds.end();
  }
};

}  // namespace bth::framework
