#include "actions/eviction/tally.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/strings.h"

namespace bth::actions::eviction {

using framework::Session;
using Counts = framework::VictimSearch::Counts;

std::string_view RuleText(SparedBy rule) {
  constexpr std::string_view kTexts[] = {
      "marked as not preemptable, or refused by the API server just now",
      "of no PodGroup in a queue",
      "leaving already",
      "not running yet",
      "of the same job",
      "of other jobs",
      "of the same queue",
      "of other queues",
      "of a queue that is not reclaimable",
      "of jobs that are not lower",
      "of jobs that opt out",
      "whose room a pod without requests does not need",
      "for whose eviction no plugin speaks"};
  static_assert(std::size(kTexts) == kSparedByRules);
  return kTexts[static_cast<size_t>(rule)];
}

void SparedCounts::Render(Counts* out) const {
  for (size_t i = 0; i < kSparedByRules; ++i) {
    if (counts_[i] > 0) {
      (*out)[std::string(RuleText(static_cast<SparedBy>(i)))] += counts_[i];
    }
  }
}

void RivalCounts::Add(model::JobId job, int64_t pods) {
  const auto known = std::find_if(by_job_.begin(), by_job_.end(),
                                  [job](const auto& entry) { return entry.first == job; });
  if (known != by_job_.end()) {
    known->second += pods;
  } else {
    by_job_.emplace_back(job, pods);
  }
}

void RivalCounts::Render(const Session& session, bool by_queue, Counts* out) const {
  std::map<std::string, int64_t> by_name;
  for (const auto& [job, pods] : by_job_) {
    const model::JobRow& row = session.job(job);
    by_name[by_queue ? StrCat("queue ", *session.queue(row.queue).name)
                     : StrCat("job ", row.facts->Key())] += pods;
  }
  size_t named = 0;
  for (const auto& [name, pods] : by_name) {
    (*out)[named++ < kNamesMax ? name : std::string(by_queue ? "other queues" : "other jobs")] +=
        pods;
  }
}

void ReasonTally::Add(framework::ReasonId reason) {
  const auto known = std::find_if(nodes_.begin(), nodes_.end(),
                                  [reason](const auto& entry) { return entry.first == reason; });
  if (known != nodes_.end()) {
    ++known->second;
  } else {
    nodes_.emplace_back(reason, 1);
  }
}

void ReasonTally::Render(const Session& session, Counts* out) const {
  for (const auto& [reason, nodes] : nodes_) (*out)[session.reasons().text(reason)] += nodes;
}

}  // namespace bth::actions::eviction
