// What the agent scheduler owes to the pods that are its own.
#include <string>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/programs.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

bool IsAgents(const types::Pod& pod) {
  return pod.spec.scheduler_name == kAgentName;
}

// It writes to its own pods only, while it leads, and leaves none of them waiting for nothing.
class SinglePods final : public Promise {
 public:
  explicit SinglePods(const Sight& sight) : Promise("single-pods", sight) {}

  void OnWrite(const Write& write) override {
    if (!absl::StartsWith(write.from.name(), "agent-")) return;
    const std::string& plural = write.path.plural;
    if (plural == "podgroups" || plural == "queues" || plural == "jobs") {
      Break(StrCat(write.Words(), ": none of its business"));
    }
    if (plural == "pods" && !write.path.name.empty()) Look();
    MustConcern(write, kAgentName);
    MustLead(write, kAgentName);
  }

  void AtRest() override {
    for (const auto& [key, pod] : ledger().pods()) {
      if (!IsAgents(*pod)) continue;
      Look();
      if (!pod->spec.node_name.empty() || HasEnded(*pod) || pod->meta.deletion_time.has_value()) {
        continue;
      }
      const std::string node = NodeFor(MilliCpuOf(*pod));
      if (!node.empty()) Break(StrCat("pod ", key, " waits, and ", node, " has room for it"));
    }
  }

 private:
  // Stories give every node enough of everything but CPUs, and at rest the labels that pods want.
  std::string NodeFor(int64_t cpu) const {
    for (const auto& [name, node] : ledger().nodes()) {
      if (node->meta.deletion_time.has_value() || node->spec.unschedulable) continue;
      if (sight().hard_shards && !ledger().IsDesired(kAgentName, name)) continue;
      int64_t free = MilliCpuOf(node->status.allocatable);
      for (const auto& [key, pod] : ledger().pods()) {
        if (pod->spec.node_name == name && HoldsRoom(*pod)) free -= MilliCpuOf(*pod);
      }
      if (free >= cpu) return name;
    }
    return "";
  }
};

}  // namespace

PromisePtr MakeSinglePods(const Sight& sight) {
  return std::make_unique<SinglePods>(sight);
}

}  // namespace bth::sim
