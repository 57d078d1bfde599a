#include "sim/world/promises/single_pods.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/programs.h"

namespace bth::sim {
namespace {

bool IsAgents(const types::Pod& pod) {
  return pod.spec.scheduler_name == kAgentName;
}

// It writes to its own pods only, while it leads, and leaves none of them waiting for nothing.
class SinglePods final : public Promise {
 public:
  explicit SinglePods(const Sight& sight) : Promise("single-pods", sight) {}

  void OnWrite(const Process& from, const net::Request& request, absl::Duration sent_at) override {
    if (!absl::StartsWith(from.name(), "agent-")) return;
    const apiserver::ResourcePath path = PathOf(request);
    const std::string words = StrCat(from.name(), ": ", request.method, " ", request.target);
    if (path.plural == "podgroups" || path.plural == "queues" || path.plural == "jobs") {
      Break(StrCat(words, ": none of its business"));
    }
    if (path.plural == "pods" && !path.name.empty()) {
      Look();
      const types::Pod* const pod = Ledger::Find(ledger().pods(), KeyOf(path));
      if (pod != nullptr && !IsAgents(*pod)) {
        Break(StrCat(words, " is about a pod of ", pod->spec.scheduler_name));
      }
    }
    if (path.plural == "leases" || now() - sent_at > absl::Seconds(4)) return;
    const types::Lease* const lease =
        Ledger::Find(ledger().leases(), StrCat(kWorldNamespace, "/", kAgentName));
    Look();
    if (lease != nullptr && lease->spec.holder_identity == from.name()) return;
    Break(StrCat(words, ", while ", lease == nullptr ? "nobody" : lease->spec.holder_identity,
                 " leads"));
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
