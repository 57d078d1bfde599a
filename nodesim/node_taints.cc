#include "nodesim/node_taints.h"

#include <algorithm>
#include <string_view>

namespace bth::nodesim {
namespace {

struct StateTaint {
  std::string_view key;
  std::string_view effect;
  bool NodeState::*reason;
};
constexpr StateTaint kStateTaints[] = {
    {"node.kubernetes.io/unreachable", "NoSchedule", &NodeState::down},
    {"node.kubernetes.io/unreachable", "NoExecute", &NodeState::down},
    {"node.kubernetes.io/unschedulable", "NoSchedule", &NodeState::unschedulable},
};

bool Is(const types::Taint& taint, const StateTaint& of) {
  return taint.key == of.key && taint.effect == of.effect;
}

bool LostItsReason(const types::Taint& taint, NodeState state) {
  if (taint.key == "node.kubernetes.io/not-ready") return true;
  return std::any_of(std::begin(kStateTaints), std::end(kStateTaints),
                     [&](const StateTaint& one) { return Is(taint, one) && !(state.*one.reason); });
}

}  // namespace

std::vector<types::Taint> TaintsFor(NodeState state, const std::vector<types::Taint>& present,
                                    absl::Time now) {
  std::vector<types::Taint> taints;
  for (const types::Taint& taint : present) {
    if (!LostItsReason(taint, state)) taints.push_back(taint);
  }
  for (const StateTaint& one : kStateTaints) {
    const auto same = [&](const types::Taint& taint) { return Is(taint, one); };
    if (!(state.*one.reason) || std::any_of(taints.begin(), taints.end(), same)) continue;
    types::Taint added;
    added.key = one.key;
    added.effect = one.effect;
    added.time_added = now;
    taints.push_back(std::move(added));
  }
  return taints;
}

}  // namespace bth::nodesim
