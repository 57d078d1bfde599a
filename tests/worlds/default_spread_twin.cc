// The slow twin of the spread that pods have by default.
#include <cmath>
#include <set>

#include "base/strings.h"
#include "tests/worlds/peer_twin.h"

namespace bth::test {
namespace {

// What a pod's services and its owner ask of its siblings.
struct Siblings {
  LabelsOfPod pairs;
  std::vector<SelectorSpec> demands;

  bool Includes(const LabelsOfPod& labels) const {
    for (const auto& [key, value] : pairs) {
      const auto found = labels.find(key);
      if (found == labels.end() || found->second != value) return false;
    }
    for (const SelectorSpec& demand : demands) {
      if (!demand.Matches(labels)) return false;
    }
    return true;
  }
};

Siblings SiblingsOf(const WorldSpec& world, const PodSpec& pod) {
  Siblings out;
  for (const ServiceSpec& service : world.services) {
    const Siblings selected{.pairs = service.selector, .demands = {}};
    if (service.ns != pod.ns || !selected.Includes(pod.peers.labels)) continue;
    out.pairs.insert(service.selector.begin(), service.selector.end());
  }
  for (const WorkloadSpec& workload : world.workloads) {
    if (workload.ns != pod.ns || StrCat(workload.kind, " ", workload.name) != pod.owner) {
      continue;
    }
    for (const auto& [key, value] : workload.pairs) out.pairs[key] = value;
    out.demands = workload.demands;
  }
  return out;
}

}  // namespace

std::vector<int64_t> PeerTwin::DefaultSpreadScores(const PodSpec& pod,
                                                   const std::vector<std::string>& nodes) const {
  const Siblings siblings = SiblingsOf(world_, pod);
  if (siblings.pairs.empty() && siblings.demands.empty()) return {};
  std::map<std::string, int64_t> on_node;
  std::map<std::string, int64_t> in_zone;
  for (const Standing& other : standing_) {
    if (other.terminating || other.pod->ns != pod.ns) continue;
    if (!siblings.Includes(other.pod->peers.labels)) continue;
    ++on_node[other.node];
    const std::string zone = Label(other.node, "zone").value_or("");
    if (pod.zone.empty() || pod.zone == zone) ++in_zone[zone];
  }
  std::set<std::string> zones;
  for (const std::string& node : nodes) zones.insert(Label(node, "zone").value_or(""));
  const double host_weight = std::log(static_cast<double>(nodes.size() + 2));
  const double zone_weight = std::log(static_cast<double>(zones.size() + 2));
  std::map<std::string, int64_t> raw;
  for (const std::string& node : nodes) {
    double sum = 0;
    if (Label(node, kHostKey)) sum += static_cast<double>(on_node[node]) * host_weight + 2;
    if (const auto zone = Label(node, "zone")) {
      sum += static_cast<double>(in_zone[*zone]) * zone_weight + 4;
    }
    raw[node] = static_cast<int64_t>(std::round(sum));
  }
  return FewestFirst(raw, nodes);
}

}  // namespace bth::test
