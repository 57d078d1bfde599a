// Which nodes take no more pods.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/nodes/node_follower.h"
#include "framework/session/session.h"

namespace bth::plugins::predicates {

// Pods that count against a node's limit are all that are there or pipelined, but for those that
// this session evicts. Keeps a verdict per node for questions about many; single nodes are judged
// afresh. Lives for one session. Thread: scheduling.
class PodLimits {
 public:
  explicit PodLimits(const framework::Session& session) : session_(session), follower_(session) {}

  void CatchUp();
  // Writes `reason` to the slots of full nodes.
  void Refuse(model::NodeRange block, framework::ReasonId reason,
              absl::Span<framework::ReasonId> out) const;

 private:
  bool IsFull(model::NodeId node) const;

  const framework::Session& session_;
  framework::NodeFollower follower_;
  std::vector<uint8_t> full_;  // By node index.
};

}  // namespace bth::plugins::predicates
