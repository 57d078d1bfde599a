// The taints by which schedulers learn that a node is down or cordoned.
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "api/types/node.h"

namespace bth::nodesim {

struct NodeState {
  bool down = false;           // Its kubelet is silent.
  bool unschedulable = false;  // spec.unschedulable: it is cordoned.
};

// `present` as Kubernetes' node lifecycle controller would leave it: a node that is down has
// node.kubernetes.io/unreachable (NoSchedule, NoExecute), a cordoned one
// node.kubernetes.io/unschedulable, and both go with their reason; so does not-ready, which new
// nodes begin with. Taints of others stay as they are, in their order.
std::vector<types::Taint> TaintsFor(NodeState state, const std::vector<types::Taint>& present,
                                    absl::Time now);

}  // namespace bth::nodesim
