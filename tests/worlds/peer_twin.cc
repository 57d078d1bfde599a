#include "tests/worlds/peer_twin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace bth::test {

using model::TaskStatus;

PeerTwin::PeerTwin(const WorldSpec& world, const framework::Session& session) : world_(world) {
  std::map<std::string, const PodSpec*> pods;
  for (const PodSpec& pod : world.pods) pods[pod.Key()] = &pod;
  const model::Snapshot& base = session.base();
  for (const NodeSpec& node : world.nodes) {
    for (model::NodeId id : *base.nodes_by_name) {
      if (base.node_facts(id).name == node.name) nodes_[node.name] = &node;
    }
  }
  for (model::TaskId task : base.tasks.ids()) {
    if (base.tasks[task].names == nullptr) continue;
    const model::TaskState& state = session.state(task);
    if (!state.node.valid() || !base.nodes[state.node].has_object()) continue;
    const bool leaves = state.status == TaskStatus::kReleasing;
    const bool left = leaves && base.usage.tasks[task].status != TaskStatus::kReleasing;
    const bool there =
        model::InGroup(state.status, model::kOnNodeGroup) || state.status == TaskStatus::kPipelined;
    if (!there || left) continue;
    standing_.push_back({.pod = pods.at(base.tasks[task].names->Key()),
                         .node = base.node_facts(state.node).name,
                         .terminating = leaves,
                         .committed = state.status != TaskStatus::kAllocated &&
                                      state.status != TaskStatus::kPipelined});
  }
}

std::optional<std::string> PeerTwin::Label(const std::string& node, const std::string& key) const {
  const NodeSpec& spec = *nodes_.at(node);
  if (key == kHostKey) return spec.unnamed ? std::nullopt : std::optional(spec.name);
  return spec.zone.empty() ? std::nullopt : std::optional(spec.zone);
}

bool PeerTwin::Matches(const AffinitySpec& term, const PodSpec& owner, const PodSpec& other) const {
  const bool own_only = term.namespaces.empty() && term.team.empty();
  bool in_scope = own_only && other.ns == owner.ns;
  for (const std::string& ns : term.namespaces) in_scope |= other.ns == ns;
  if (term.team == "*") in_scope = true;
  if (const auto team = world_.teams.find(other.ns); team != world_.teams.end()) {
    in_scope |= term.team == team->second;
  }
  return in_scope && term.selector.Matches(other.peers.labels);
}

std::string PeerTwin::AffinityReason(const PodSpec& pod, const std::string& node) const {
  // Required affinity: in each term's domain a pod that matches all of them.
  std::vector<const AffinitySpec*> seeks;
  for (const AffinitySpec& term : pod.peers.affinity) {
    if (term.weight == 0 && !term.avoids) seeks.push_back(&term);
  }
  const auto matches_all = [&](const PodSpec& other) {
    return std::all_of(seeks.begin(), seeks.end(),
                       [&](const AffinitySpec* term) { return Matches(*term, pod, other); });
  };
  bool satisfied = true;
  bool anybody = false;
  for (const AffinitySpec* term : seeks) {
    const auto here = Label(node, term->topology_key);
    if (!here) return "node(s) didn't match pod affinity rules";
    bool found = false;
    for (const Standing& other : standing_) {
      const auto there = Label(other.node, term->topology_key);
      if (!there || !matches_all(*other.pod) || IsTentative(pod, other)) continue;
      anybody = true;
      found |= there == here;
    }
    satisfied &= found;
  }
  if (!satisfied && (anybody || !matches_all(pod))) {
    return "node(s) didn't match pod affinity rules";
  }
  const auto meet = [&](const AffinitySpec& term, const Standing& other) {
    const auto here = Label(node, term.topology_key);
    return here && here == Label(other.node, term.topology_key);
  };
  for (const AffinitySpec& term : pod.peers.affinity) {
    if (term.weight != 0 || !term.avoids) continue;
    for (const Standing& other : standing_) {
      if (Matches(term, pod, *other.pod) && meet(term, other)) {
        return "node(s) didn't match pod anti-affinity rules";
      }
    }
  }
  for (const Standing& other : standing_) {
    for (const AffinitySpec& term : other.pod->peers.affinity) {
      if (term.weight != 0 || !term.avoids) continue;
      if (Matches(term, *other.pod, pod) && meet(term, other)) {
        return "node(s) didn't satisfy existing pods anti-affinity rules";
      }
    }
  }
  return "";
}

// The node has the keys of all constraints of this kind and passes the policies.
bool PeerTwin::Counts(const PodSpec& pod, const SpreadSpec& spread, const std::string& node) const {
  for (const SpreadSpec& other : pod.peers.spread) {
    if (other.required == spread.required && !Label(node, other.topology_key)) return false;
  }
  const NodeSpec& spec = *nodes_.at(node);
  if (spread.honor_affinity && !pod.zone.empty() && pod.zone != spec.zone) return false;
  return !spread.honor_taints || !spec.tainted || pod.tolerates;
}

int64_t PeerTwin::PodsOn(const PodSpec& pod, const SpreadSpec& spread, const std::string& node,
                         bool settled) const {
  if (spread.selector.empty) return 0;
  return std::count_if(standing_.begin(), standing_.end(), [&](const Standing& other) {
    if (settled && IsTentative(pod, other)) return false;
    return other.node == node && !other.terminating && other.pod->ns == pod.ns &&
           spread.selector.Matches(other.pod->peers.labels);
  });
}

std::string PeerTwin::SpreadReason(const PodSpec& pod, const std::string& node) const {
  for (const SpreadSpec& spread : pod.peers.spread) {
    if (!spread.required) continue;
    const auto here = Label(node, spread.topology_key);
    if (!here) {
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    }
    std::map<std::string, int64_t> pods;
    std::map<std::string, int64_t> settled;
    for (const auto& [name, spec] : nodes_) {
      if (!Counts(pod, spread, name)) continue;
      const std::string domain = *Label(name, spread.topology_key);
      pods[domain] += PodsOn(pod, spread, name, false);
      settled[domain] += PodsOn(pod, spread, name, true);
    }
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto& [domain, count] : settled) least = std::min(least, count);
    const size_t wanted = spread.domains_min > 0 ? static_cast<size_t>(spread.domains_min) : 1;
    if (pods.size() < wanted) least = 0;
    const int64_t self = spread.selector.Matches(pod.peers.labels) ? 1 : 0;
    const auto domain = pods.find(*here);
    const int64_t beside = domain == pods.end() ? 0 : domain->second;
    if (beside + self - least > spread.skew_max) {
      return "node(s) didn't match pod topology spread constraints";
    }
  }
  return "";
}

std::vector<std::string> PeerTwin::Reasons(const PodSpec& pod, const std::string& node) const {
  std::vector<std::string> reasons;
  for (const std::string& reason : {AffinityReason(pod, node), SpreadReason(pod, node)}) {
    if (!reason.empty()) reasons.push_back(reason);
  }
  return reasons;
}

std::vector<int64_t> PeerTwin::AffinityScores(const PodSpec& pod,
                                              const std::vector<std::string>& nodes) const {
  std::vector<int64_t> raw;
  for (const std::string& node : nodes) {
    int64_t sum = 0;
    const auto add = [&](const AffinitySpec& term, const PodSpec& owner, const PodSpec& other,
                         const std::string& place) {
      if (term.weight == 0 || !Matches(term, owner, other)) return;
      const auto here = Label(node, term.topology_key);
      if (!here || here != Label(place, term.topology_key)) return;
      sum += term.avoids ? -term.weight : term.weight;
    };
    for (const Standing& other : standing_) {
      for (const AffinitySpec& term : pod.peers.affinity) add(term, pod, *other.pod, other.node);
      for (const AffinitySpec& term : other.pod->peers.affinity) {
        add(term, *other.pod, pod, other.node);
      }
    }
    raw.push_back(sum);
  }
  std::vector<int64_t> scores(nodes.size(), 0);
  if (nodes.empty()) return scores;
  const int64_t least = *std::min_element(raw.begin(), raw.end());
  const int64_t most = *std::max_element(raw.begin(), raw.end());
  for (size_t i = 0; i < nodes.size() && most > least; ++i) {
    scores[i] = static_cast<int64_t>(
        100.0 * (static_cast<double>(raw[i] - least) / static_cast<double>(most - least)));
  }
  return scores;
}

std::vector<int64_t> PeerTwin::SpreadScores(const PodSpec& pod,
                                            const std::vector<std::string>& nodes) const {
  if (pod.peers.spread.empty()) return DefaultSpreadScores(pod, nodes);
  std::vector<const SpreadSpec*> soft;
  for (const SpreadSpec& spread : pod.peers.spread) {
    if (!spread.required) soft.push_back(&spread);
  }
  if (soft.empty()) return {};
  std::vector<std::string> rated;
  for (const std::string& node : nodes) {
    const bool has_all = std::all_of(soft.begin(), soft.end(), [&](const SpreadSpec* spread) {
      return Label(node, spread->topology_key).has_value();
    });
    if (has_all) rated.push_back(node);
  }
  std::map<std::string, double> sums;
  for (const SpreadSpec* spread : soft) {
    std::set<std::string> domains;
    for (const std::string& node : rated) domains.insert(*Label(node, spread->topology_key));
    const bool per_host = spread->topology_key == kHostKey;
    const double weight =
        std::log(static_cast<double>((per_host ? rated.size() : domains.size()) + 2));
    for (const std::string& node : rated) {
      int64_t pods = per_host ? PodsOn(pod, *spread, node, false) : 0;
      for (const auto& [name, spec] : nodes_) {
        if (per_host || !Counts(pod, *spread, name)) continue;
        if (Label(name, spread->topology_key) != Label(node, spread->topology_key)) continue;
        pods += PodsOn(pod, *spread, name, false);
      }
      sums[node] += static_cast<double>(pods) * weight + (spread->skew_max - 1);
    }
  }
  std::map<std::string, int64_t> raw;
  for (const auto& [node, sum] : sums) raw[node] = static_cast<int64_t>(std::round(sum));
  return FewestFirst(raw, nodes);
}

std::vector<int64_t> PeerTwin::FewestFirst(const std::map<std::string, int64_t>& raw,
                                           const std::vector<std::string>& nodes) {
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (const auto& [node, pods] : raw) {
    least = std::min(least, pods);
    most = std::max(most, pods);
  }
  std::vector<int64_t> scores;
  for (const std::string& node : nodes) {
    const auto found = raw.find(node);
    if (found == raw.end()) {
      scores.push_back(0);
    } else {
      scores.push_back(most == 0 ? 100 : 100 * (most + least - found->second) / most);
    }
  }
  return scores;
}

}  // namespace bth::test
