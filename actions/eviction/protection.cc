#include "actions/eviction/protection.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace bth::actions::eviction {

void Protection::Add(const framework::Session& session, const Ask& ask,
                     absl::Span<const model::TaskId> asked) {
  candidates += static_cast<int64_t>(asked.size());
  ++candidate_nodes;
  for (const auto& entry : VictimHooks(session, ask.reach)) {
    const framework::Verdict verdict = entry.fn(ask.task, asked);
    if (verdict.vote == framework::Vote::kAbstain) continue;
    const auto spared = static_cast<int64_t>(asked.size()) -
                        static_cast<int64_t>(std::min(verdict.victims.size(), asked.size()));
    if (spared > 0) by_plugin[entry.origin.plugin] += spared;
  }
}

std::string Protection::Text() const {
  if (!ineligible.empty()) return ineligible;
  if (candidates == 0) return "";
  std::string text =
      absl::StrCat(candidates, candidates == 1 ? " candidate on " : " candidates on ",
                   candidate_nodes, candidate_nodes == 1 ? " node" : " nodes");
  std::string_view separator = "; protected: ";
  for (const auto& [plugin, count] : by_plugin) {
    absl::StrAppend(&text, ToAbsl(separator), count, " by ", ToAbsl(plugin));
    separator = ", ";
  }
  if (nodes_too_small > 0) {
    absl::StrAppend(&text, "; too little to gain on ", nodes_too_small,
                    nodes_too_small == 1 ? " node" : " nodes");
  }
  if (nodes_refusing > 0) {
    absl::StrAppend(&text, "; refused all the same by ", nodes_refusing,
                    nodes_refusing == 1 ? " node" : " nodes");
  }
  return text;
}

}  // namespace bth::actions::eviction
