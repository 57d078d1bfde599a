#include "actions/eviction/protection.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace bth::actions::eviction {

void CountProtected(const framework::Session& session, const Ask& ask,
                    absl::Span<const model::TaskId> asked, framework::VictimSearch* counts) {
  counts->candidates += static_cast<int64_t>(asked.size());
  ++counts->candidate_nodes;
  for (const auto& entry : VictimHooks(session, ask.reach)) {
    const framework::Verdict verdict = entry.fn(ask.task, asked);
    if (verdict.vote == framework::Vote::kAbstain) continue;
    const auto spared = static_cast<int64_t>(asked.size()) -
                        static_cast<int64_t>(std::min(verdict.victims.size(), asked.size()));
    if (spared > 0) counts->by_plugin[std::string(entry.origin.plugin)] += spared;
  }
}

std::string WhyNoDemand(const framework::Session& session, model::QueueId queue,
                        absl::Span<const model::TaskId> tasks) {
  for (const auto& entry : session.hooks().preemptive) {
    if (entry.fn(queue, tasks)) continue;
    return absl::StrCat("by ", ToAbsl(entry.origin.plugin), " the queue ",
                        *session.queue(queue).name, " may not demand so much from others");
  }
  return "";
}

}  // namespace bth::actions::eviction
