// Why a search for victims failed, in numbers and in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "actions/eviction/victims.h"
#include "framework/session.h"

namespace bth::actions::eviction {

// Counts of one search over nodes. A candidate counts for each plugin that protects it.
struct Protection {
  int64_t candidates = 0;
  int64_t candidate_nodes = 0;
  std::map<std::string_view, int64_t> by_plugin;
  int64_t nodes_too_small = 0;  // Who may be evicted does not free enough.
  int64_t nodes_refusing = 0;   // With all of them gone, queue or filters still refuse.
  std::string ineligible;       // The task may not evict anybody; the rest does not count.

  // Asks each plugin alone about candidates whose eviction was not enough.
  void Add(const framework::Session& session, const Ask& ask,
           absl::Span<const model::TaskId> asked);
  // "12 candidates on 4 nodes; protected: 8 by gang, 4 by priority"; empty when there is nothing
  // to say.
  std::string Text() const;
};

}  // namespace bth::actions::eviction
