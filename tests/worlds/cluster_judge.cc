// What a cycle did, judged by the descriptions of the world, pod by pod.
#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "tests/worlds/cluster_world.h"
#include "tests/worlds/plugin_parts.h"

namespace bth::test {
namespace {

using model::TaskStatus;

bool IsThere(const PodSpec& pod) {
  return !pod.node.empty() && pod.status != TaskStatus::kSucceeded &&
         pod.status != TaskStatus::kFailed;
}

// Why the pod may not go where it was bound.
std::string Refusal(const PodSpec& pod, const NodeSpec& node) {
  if (node.cordoned) return "is cordoned";
  if (node.tainted && !pod.tolerates) return "is tainted";
  return pod.zone.empty() || pod.zone == node.zone ? "" : "is in another zone";
}

class Rooms {
 public:
  explicit Rooms(const std::vector<NodeSpec>& nodes) {
    for (const NodeSpec& node : nodes) free_[node.name] = node;
  }
  void Take(const PodSpec& pod, const std::string& node) {
    NodeSpec& room = free_[node];
    room.cpu_milli -= pod.cpu_milli;
    room.memory_bytes -= pod.memory_bytes;
    room.gpu_milli -= pod.gpu_milli;
    room.pods -= 1;
  }
  bool Holds(const PodSpec& pod, const std::string& node) const {
    const NodeSpec& room = free_.at(node);
    return (pod.cpu_milli == 0 || room.cpu_milli >= pod.cpu_milli) &&
           (pod.memory_bytes == 0 || room.memory_bytes >= pod.memory_bytes) &&
           (pod.gpu_milli == 0 || room.gpu_milli >= pod.gpu_milli);
  }
  const NodeSpec& of(const std::string& node) const { return free_.at(node); }

 private:
  std::map<std::string, NodeSpec> free_;
};

// Pods of gangs that are below their minimum though some of them were bound.
std::string FirstBrokenGang(const WorldSpec& world, const CycleResult& result) {
  std::map<std::string, int> ready;
  std::set<std::string> bound;
  std::set<std::string> robbed;
  for (const PodSpec& pod : world.pods) {
    const bool binds = result.binds.contains(pod.Key());
    if (binds) bound.insert(pod.job);
    if (result.evictions.contains(pod.Key())) robbed.insert(pod.job);
    // Who asks for nothing need not have a place yet.
    const bool nothing = pod.status == TaskStatus::kPending && pod.cpu_milli == 0 &&
                         pod.memory_bytes == 0 && pod.gpu_milli == 0 && pod.card_memory == 0;
    ready[pod.job] +=
        static_cast<int>(binds || nothing || pod.status == TaskStatus::kRunning ||
                         pod.status == TaskStatus::kBound || pod.status == TaskStatus::kSucceeded);
  }
  for (const JobSpec& job : world.jobs) {
    if (!bound.contains(job.name) || robbed.contains(job.name)) continue;
    if (ready[job.name] < job.min) {
      return StrCat(job.name, " has ", ready[job.name], " of ", job.min);
    }
  }
  return "";
}

// The node that the pod is bound to; "": none.
std::string BoundTo(const CycleResult& result, const PodSpec& pod) {
  const auto bound = result.binds.find(pod.Key());
  return bound == result.binds.end() ? "" : bound->second;
}

// Nodes where too little stays free beside idle GPUs, whoever came to them in which order: pods
// that take none are looked at as if they were the last, and as if all who wait for GPUs, and were
// bound to no other node, had theirs.
std::string FirstReserveTaken(const WorldSpec& world, const PolicyTwin& twin,
                              const CycleResult& result) {
  std::map<std::string, PolicyTwin::Idle> idle;
  std::set<std::string> taken;
  for (const NodeSpec& node : world.nodes) {
    idle[node.name] = {.cpu_milli = node.cpu_milli,
                       .memory_bytes = node.memory_bytes,
                       .gpu_milli = node.gpu_milli};
  }
  const auto use = [&idle](const PodSpec& pod, const std::string& node) {
    PolicyTwin::Idle& left = idle[node];
    left.cpu_milli -= pod.cpu_milli;
    left.memory_bytes -= pod.memory_bytes;
    left.gpu_milli -= pod.gpu_milli;
  };
  for (const PodSpec& pod : world.pods) {
    const std::string node = BoundTo(result, pod);
    if (IsThere(pod)) {
      use(pod, pod.node);
    } else if (pod.gpu_milli > 0) {
      for (auto& [name, left] : idle) {
        if (node.empty() || node == name) left.gpu_milli -= pod.gpu_milli;
      }
    } else if (!node.empty()) {
      use(pod, node);
      taken.insert(node);
    }
  }
  for (const std::string& node : taken) {
    const std::string refusal = twin.WhyReserved(PodSpec(), idle[node]);
    if (!refusal.empty()) return StrCat("a pod is bound to ", node, ": ", refusal);
  }
  return "";
}

std::set<std::string> NodesIn(const WorldSpec& world, const HyperNodeSpec& hyper_node) {
  std::set<std::string> nodes(hyper_node.nodes.begin(), hyper_node.nodes.end());
  for (const HyperNodeSpec& other : world.hyper_nodes) {
    const auto& members = hyper_node.hyper_nodes;
    if (std::find(members.begin(), members.end(), other.name) == members.end()) continue;
    nodes.merge(NodesIn(world, other));
  }
  return nodes;
}

// Below every tier: no HyperNode has the name.
int32_t TierOf(const WorldSpec& world, const model::NetworkTopologySpec& near) {
  if (near.highest_tier) return *near.highest_tier;
  for (const HyperNodeSpec& one : world.hyper_nodes) {
    if (one.tier_name == near.highest_tier_name) return one.tier;
  }
  return -1;
}

// Gangs without a place before that were bound to nodes which no HyperNode up to their tier has
// together. A tier above all HyperNodes is no bound.
std::string FirstFarApart(const WorldSpec& world, const CycleResult& result) {
  std::map<std::string, std::set<std::string>> places;
  std::set<std::string> had_one;
  for (const PodSpec& pod : world.pods) {
    const std::string node = BoundTo(result, pod);
    if (!node.empty()) places[pod.job].insert(node);
    if (!pod.node.empty()) had_one.insert(pod.job);
  }
  int32_t highest = 0;
  for (const HyperNodeSpec& one : world.hyper_nodes) highest = std::max(highest, one.tier);
  for (const JobSpec& job : world.jobs) {
    if (job.topology.empty() || had_one.contains(job.name) || !places.contains(job.name)) continue;
    const model::NetworkTopologySpec& near = job.topology.front();
    if (near.mode != model::NetworkTopologySpec::Mode::kHard) continue;
    const int32_t tier = TierOf(world, near);
    if (tier > highest) continue;
    const std::set<std::string>& nodes = places.at(job.name);
    const auto has_all = [&](const HyperNodeSpec& one) {
      const std::set<std::string> inside = NodesIn(world, one);
      return one.tier <= tier &&
             std::includes(inside.begin(), inside.end(), nodes.begin(), nodes.end());
    };
    if (std::none_of(world.hyper_nodes.begin(), world.hyper_nodes.end(), has_all)) {
      return StrCat(job.name, " is on ", nodes.size(), " nodes beyond tier ", tier);
    }
  }
  return "";
}

// Cards that somebody was given and that do not have as much, whoever is leaving.
std::string FirstCardTooFull(const WorldSpec& world, const CycleResult& result) {
  using Card = std::pair<std::string, std::string>;  // Node and number.
  std::map<std::string, int32_t> cards;
  std::map<Card, int64_t> used;
  std::set<Card> given;
  for (const NodeSpec& node : world.nodes) cards[node.name] = node.cards;
  for (const PodSpec& pod : world.pods) {
    const std::string node = BoundTo(result, pod);
    if (IsThere(pod) && !pod.card.empty()) used[{pod.node, pod.card}] += pod.card_memory;
    if (node.empty() || pod.card_memory == 0) continue;
    const std::string card = result.CardOf(pod.Key());
    int32_t number = 0;
    if (!SimpleAtoi(card, &number) || number < 0 || number >= cards[node]) {
      return StrCat(pod.Key(), " is bound to ", node, " with card '", card, "'");
    }
    used[{node, card}] += pod.card_memory;
    given.insert({node, card});
  }
  for (const Card& card : given) {
    if (used[card] <= kCardMemory) continue;
    return StrCat("card ", card.second, " of ", card.first, " has ", used[card], " of ",
                  kCardMemory);
  }
  return "";
}

// What is wrong with the CPUs that the pod is given on the node; `taken` are those of others.
std::string WrongCpus(const PodSpec& pod, const NodeSpec& node, const std::set<int>& cpus,
                      const std::set<int>& taken) {
  const bool gives = node.cpus && node.cpus->given_out && !node.cpus->policy.empty() &&
                     node.cpus->policy != "none";
  if (!pod.numa_policy.empty() && (!gives || pod.numa_policy != node.cpus->policy)) {
    return "has another policy";
  }
  if (!gives) return cpus.empty() ? "" : "gives no CPUs out";
  const int first = CpusOfFirstNuma(node);
  bool in_first = false;
  bool in_second = false;
  for (const int cpu : cpus) {
    if (cpu < node.cpus->taken || cpu >= CpusOf(node) || taken.contains(cpu)) {
      return StrCat("gives CPU ", cpu, " twice");
    }
    in_first |= cpu < first;
    in_second |= cpu >= first;
  }
  // Else it does what it can.
  if (node.cpus->policy == "best-effort") return "";
  if (static_cast<int32_t>(cpus.size()) != OwnCpusOf(pod)) return "gives another number of CPUs";
  const bool is_split = node.cpus->policy == "single-numa-node" && in_first && in_second;
  return is_split ? "gives CPUs of two NUMA nodes" : "";
}

std::string FirstWrongCpus(const WorldSpec& world, const CycleResult& result) {
  std::map<std::string, const NodeSpec*> nodes;
  std::map<std::string, std::set<int>> taken;
  for (const NodeSpec& node : world.nodes) nodes[node.name] = &node;
  for (const PodSpec& pod : world.pods) {
    const std::string node = BoundTo(result, pod);
    if (node.empty()) continue;
    const std::set<int> cpus = result.CpusOf(pod.Key());
    const std::string wrong = pod.whole_cpus
                                  ? WrongCpus(pod, *nodes.at(node), cpus, taken[node])
                                  : (cpus.empty() ? "" : "gives CPUs to a pod that shares them");
    if (!wrong.empty()) return StrCat(pod.Key(), " is bound to ", node, ", which ", wrong);
    taken[node].insert(cpus.begin(), cpus.end());
  }
  return "";
}

// What plugins give, and what they keep nodes from, beyond single pods.
std::string FirstWrongOfPlugins(const WorldSpec& world, const RandomConf& conf,
                                const CycleResult& result) {
  std::string wrong = FirstReserveTaken(world, PolicyTwin(conf.filters), result);
  if (wrong.empty() && conf.filters.network) wrong = FirstFarApart(world, result);
  if (wrong.empty() && conf.filters.cards) wrong = FirstCardTooFull(world, result);
  if (wrong.empty() && conf.filters.cpus) wrong = FirstWrongCpus(world, result);
  return wrong;
}

}  // namespace

std::string FirstWrong(const WorldSpec& world, const RandomConf& conf, const CycleResult& result) {
  if (!result.violations.empty()) return result.violations[0];
  const PolicyTwin twin(conf.filters);
  Rooms rooms(world.nodes);
  std::map<std::string, std::set<int32_t>> ports;
  std::set<std::string> known;
  for (const NodeSpec& node : world.nodes) known.insert(node.name);
  for (const PodSpec& pod : world.pods) {
    if (!IsThere(pod) || !known.contains(pod.node)) continue;
    rooms.Take(pod, pod.node);
    if (!result.evictions.contains(pod.Key())) ports[pod.node].insert(pod.port);
  }
  for (const PodSpec& pod : world.pods) {
    const auto bound = result.binds.find(pod.Key());
    if (result.evictions.contains(pod.Key()) && !IsThere(pod)) {
      return pod.Key() + " is evicted from nowhere";
    }
    if (bound == result.binds.end()) continue;
    const std::string& node = bound->second;
    const std::string where = StrCat(pod.Key(), " is bound to ", node, ", which ");
    if (pod.status != TaskStatus::kPending) return pod.Key() + " is bound though it waits not";
    if (!known.contains(node)) return where + "is not there";
    if (!rooms.Holds(pod, node)) return where + "has no room";
    if (conf.has_filters) {
      const std::string refusal = Refusal(pod, rooms.of(node));
      if (!refusal.empty()) return where + refusal;
      if (rooms.of(node).pods < 1) return where + "takes no more pods";
      if (pod.port > 0 && !ports[node].insert(pod.port).second) return where + "lacks the port";
    }
    const std::string closed = twin.WhyClosed(pod, rooms.of(node));
    if (!closed.empty()) return StrCat(where, "says: ", closed);
    const std::string busy = twin.WhyBusy(rooms.of(node));
    if (!busy.empty()) return StrCat(where, "says: ", busy);
    rooms.Take(pod, node);
  }
  std::string wrong = FirstWrongOfPlugins(world, conf, result);
  if (!wrong.empty()) return wrong;
  return conf.has_gang ? FirstBrokenGang(world, result) : "";
}

}  // namespace bth::test
