// The slow twin of inter-pod affinity and topology spread: strings, maps and every pod each time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/session/session.h"
#include "tests/worlds/random_world.h"

namespace bth::test {

// Judges on the pods of a world as they stand in a session now.
class PeerTwin {
 public:
  PeerTwin(const WorldSpec& world, const framework::Session& session);

  // What speaks against the pod on the node: of affinity and of spread at most one reason each.
  std::vector<std::string> Reasons(const PodSpec& pod, const std::string& node) const;
  // Scores from 0 to 100, by node in the order given.
  std::vector<int64_t> AffinityScores(const PodSpec& pod,
                                      const std::vector<std::string>& nodes) const;
  // Empty when the pod has no soft constraints, not by default either.
  std::vector<int64_t> SpreadScores(const PodSpec& pod,
                                    const std::vector<std::string>& nodes) const;

 private:
  struct Standing {
    const PodSpec* pod = nullptr;
    std::string node;
    bool terminating = false;
    bool committed = true;
  };

  std::optional<std::string> Label(const std::string& node, const std::string& key) const;
  bool Matches(const AffinitySpec& term, const PodSpec& owner, const PodSpec& other) const;
  // Pods of other jobs that are not committed may never come.
  static bool IsTentative(const PodSpec& pod, const Standing& other) {
    return !other.committed && other.pod->job != pod.job;
  }
  std::string AffinityReason(const PodSpec& pod, const std::string& node) const;
  std::string SpreadReason(const PodSpec& pod, const std::string& node) const;
  bool Counts(const PodSpec& pod, const SpreadSpec& spread, const std::string& node) const;
  // default_spread_twin.cc
  std::vector<int64_t> DefaultSpreadScores(const PodSpec& pod,
                                           const std::vector<std::string>& nodes) const;
  // 0 for nodes that were not rated.
  static std::vector<int64_t> FewestFirst(const std::map<std::string, int64_t>& raw,
                                          const std::vector<std::string>& nodes);
  // Settled: without what is tentative of other jobs.
  int64_t PodsOn(const PodSpec& pod, const SpreadSpec& spread, const std::string& node,
                 bool settled) const;

  const WorldSpec& world_;
  std::map<std::string, const NodeSpec*> nodes_;  // Ready ones.
  std::vector<Standing> standing_;
};

}  // namespace bth::test
