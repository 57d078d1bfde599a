// HyperNodes in which room grew between two sessions.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/usage.h"
#include "framework/session/session.h"
#include "framework/topology/domain_sums.h"
#include "framework/unschedulable/domain_lack.h"

namespace bth::framework {

// The HyperNodes of nodes whose room grew, beside what they had free together before. Lives while
// a session opens; thread: scheduling. Cost: the nodes of the HyperNodes that are asked about,
// once.
class GrownDomains {
 public:
  // `before` is what the last session left.
  GrownDomains(const Session& session, const model::Usage& before,
               absl::Span<const model::NodeId> grown);
  // One of them may hold the gang, and its sums did not hold what they must.
  bool Help(const DomainLack& lack);

 private:
  bool HeldBefore(const DomainLack& lack, model::HyperNodeId id);

  const Session& session_;
  const model::Usage& before_;
  std::vector<model::HyperNodeId> ids_;
  absl::flat_hash_map<model::HyperNodeId, DomainSum> sums_;  // Before.
};

}  // namespace bth::framework
