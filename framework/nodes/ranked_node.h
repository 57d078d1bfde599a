// A node with what decides between it and others.
#pragma once

#include <cstdint>
#include <limits>

#include "api/model/ids.h"

namespace bth::framework {

// The best of the nodes offered so far: the highest score, the first by name among equals.
struct RankedNode {
  model::NodeId node;
  double score = -std::numeric_limits<double>::infinity();
  uint32_t rank = std::numeric_limits<uint32_t>::max();  // Position by name.

  void Offer(model::NodeId candidate, double candidate_score, uint32_t candidate_rank) {
    if (candidate_score < score) return;
    if (candidate_score == score && candidate_rank >= rank) return;
    *this = {candidate, candidate_score, candidate_rank};
  }
  bool ComesBefore(const RankedNode& other) const {
    return score != other.score ? score > other.score : rank < other.rank;
  }
};

}  // namespace bth::framework
