// Implementation part of framework/hooks/hooks.h.
#pragma once

#include <algorithm>

#include "framework/hooks/hooks.h"

namespace bth::framework::combine {

template <typename List, typename Evictor>
VictimChoice Victims(const List& list, const Evictor& evictor, absl::Span<const TaskId> candidates,
                     bool strict) {
  VictimChoice choice;
  size_t i = 0;
  while (i < list.size()) {
    const int tier = list[i].origin.tier;
    bool answered = false;
    std::vector<TaskId> victims;
    HookOrigin refuser;
    for (; i < list.size() && list[i].origin.tier == tier; ++i) {
      if (answered && victims.empty()) continue;
      Verdict verdict = list[i].fn(evictor, candidates);
      if (verdict.vote == Vote::kAbstain) continue;
      if (!answered) {
        victims = std::move(verdict.victims);
      } else {
        std::erase_if(victims, [&verdict](TaskId victim) {
          return std::find(verdict.victims.begin(), verdict.victims.end(), victim) ==
                 verdict.victims.end();
        });
      }
      answered = true;
      if (victims.empty()) refuser = list[i].origin;
    }
    if (!victims.empty()) {
      choice.victims = std::move(victims);
      choice.tier = tier;
      return choice;
    }
    if (answered) {
      choice.overruled.push_back(refuser);
      if (strict) return choice;
    }
  }
  return choice;
}

}  // namespace bth::framework::combine
