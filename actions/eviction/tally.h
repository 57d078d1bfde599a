// What became of those whom a search for victims met: counted while it runs, told at its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/report/fit_report.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// Why an action does not ask plugins about a pod, or does not evict it all the same.
enum class SparedBy : uint8_t {
  kMarked,         // It is marked as not preemptable, or its eviction was refused just now.
  kOutside,        // No PodGroup in a queue claims it.
  kLeaving,        // It goes already, for somebody else.
  kNotRunning,     // Queues give back what runs.
  kOwnJob,         // Of the job for which room is made.
  kOtherJob,       // The search is among the job's own.
  kOwnQueue,       // Of its queue.
  kOtherQueue,     // The search is inside the queue.
  kUnreclaimable,  // Of a queue with `reclaimable: false`.
  kNotLower,       // Its job's priority is not lower.
  kOptsOut,        // Its PodGroup says that gang actions must not evict from it.
  kNothingToGain,  // The pod that waits asks for nothing but a place.
  kNoConsent,      // No plugin has an opinion, so that nobody grants it.
  kNone,           // Nothing: plugins are asked.
};
inline constexpr size_t kSparedByRules = static_cast<size_t>(SparedBy::kNone);
// As it stands behind a number of pods: "of the same job".
std::string_view RuleText(SparedBy rule);

// Counts of pods by rule.
class SparedCounts {
 public:
  void Add(SparedBy rule, int64_t pods = 1) {
    if (rule != SparedBy::kNone) counts_[static_cast<size_t>(rule)] += pods;
  }
  void Render(framework::VictimSearch::Counts* out) const;

 private:
  std::array<int64_t, kSparedByRules> counts_{};
};

// Pods of how many jobs could demand their room right back.
class RivalCounts {
 public:
  void Add(model::JobId job, int64_t pods = 1);
  bool empty() const { return by_job_.empty(); }
  // By job, or by queue when `by_queue`: the first ones by name, and the others together.
  void Render(const framework::Session& session, bool by_queue,
              framework::VictimSearch::Counts* out) const;

 private:
  static constexpr size_t kNamesMax = 3;
  std::vector<std::pair<model::JobId, int64_t>> by_job_;
};

// Nodes by what refuses them.
class ReasonTally {
 public:
  void Add(framework::ReasonId reason);
  void Render(const framework::Session& session, framework::VictimSearch::Counts* out) const;

 private:
  std::vector<std::pair<framework::ReasonId, int64_t>> nodes_;
};

// Of one search. No texts: it is filled node by node, and kept for searches that would fail alike.
struct Tally {
  int64_t candidates = 0;
  int64_t candidate_nodes = 0;
  std::vector<std::pair<std::string_view, int64_t>> protected_by;  // By plugin asked.
  SparedCounts spared;
  RivalCounts rivals;
  int64_t nodes_too_small = 0;
  int64_t nodes_refusing = 0;
  int64_t nodes_refused_by_queue = 0;  // Of those that refuse.
  ReasonTally refusals;
  ReasonTally beyond_help;
  std::string_view preset;  // A constant.
};

}  // namespace bth::actions::eviction
