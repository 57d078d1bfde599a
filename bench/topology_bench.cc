// Gangs that must stay inside one rack of a network of three tiers.
#include <benchmark/benchmark.h>

#include "bench/cluster.h"

namespace bth::bench {
namespace {

constexpr int64_t kNodes = 10'000;
constexpr int64_t kNodesPerRack = 16;
constexpr int64_t kRacksPerRow = 16;
constexpr int64_t kRowsPerHall = 10;
constexpr int64_t kSlots = 8;  // Pods of the gangs that a node holds.
constexpr int64_t kPodCpu = 8000;
constexpr int64_t kGang = 64;
constexpr int64_t kGroup = 8;  // Pods of a sub-group, of gangs that have such.

const std::string& TopologyConf() {
  static const std::string conf = StrCat(kConf, "  - name: network-topology-aware\n");
  return conf;
}

std::string NodeName(int64_t node) {
  return StrCat("node-", absl::Dec(node, absl::kZeroPad6));
}
std::string DomainName(const char* kind, int64_t number) {
  return StrCat(kind, "-", absl::Dec(number, absl::kZeroPad4));
}

// What a gang asks of the network.
enum NetworkBound : int64_t { kNothing, kOneRack, kOneRow, kSoft };

model::NetworkTopologySpec TopologyOf(int64_t bound) {
  model::NetworkTopologySpec topology;
  topology.mode = bound == kSoft ? model::NetworkTopologySpec::Mode::kSoft
                                 : model::NetworkTopologySpec::Mode::kHard;
  if (bound != kSoft) topology.highest_tier = bound == kOneRack ? 1 : 2;
  return topology;
}

// Racks of 16 nodes in rows of 16 racks in halls of ten rows.
class NetworkCluster {
 public:
  NetworkCluster() {
    cluster_.AddNodes(kNodes);
    AddTier(1, "node", "rack", kNodes, kNodesPerRack);
    AddTier(2, "rack", "row", racks(), kRacksPerRow);
    AddTier(3, "row", "hall", rows(), kRowsPerHall);
  }
  static constexpr int64_t racks() { return kNodes / kNodesPerRack; }
  static constexpr int64_t rows() { return (racks() + kRacksPerRow - 1) / kRacksPerRow; }

  // `minimum`: so many of the pods have to start together.
  void AddGang(const std::string& name, int64_t bound, int64_t pods, int64_t minimum) {
    cache::CompiledPodGroup group;
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = name;
    group.facts->uid = "uid-" + name;
    if (bound != kNothing) group.facts->topology = {TopologyOf(bound)};
    group.has_network_topology = bound != kNothing;
    group.queue = "default";
    group.min_member = static_cast<int32_t>(minimum);
    group.shown.phase = model::PodGroupPhase::kInqueue;
    mirror().PutPodGroup(std::move(group));
    for (int64_t i = 0; i < pods; ++i) {
      Put(PodSpec{.name = StrCat(name, "-", i),
                  .job = "ns/" + name,
                  .cpu_milli = kPodCpu,
                  .memory_bytes = kGi,
                  .created_us = i},
          mirror());
    }
  }
  void AddGang(const std::string& name, int64_t bound) { AddGang(name, bound, kGang, kGang); }
  // A gang of sub-groups, each of which must stay in one rack, and all of them in one row.
  void AddGroups(const std::string& name, int64_t groups) {
    cache::CompiledPodGroup group;
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = name;
    group.facts->uid = "uid-" + name;
    group.facts->topology = {TopologyOf(kOneRow), TopologyOf(kOneRack)};
    group.has_network_topology = true;
    group.queue = "default";
    group.min_member = static_cast<int32_t>(groups * kGroup);
    group.sub_groups = {{.name = "part",
                         .size = static_cast<int32_t>(kGroup),
                         .min_sub_groups = static_cast<int32_t>(groups),
                         .match_label_keys = {"part"}}};
    group.shown.phase = model::PodGroupPhase::kInqueue;
    mirror().PutPodGroup(std::move(group));
    for (int64_t i = 0; i < groups * kGroup; ++i) {
      PodSpec pod{.name = StrCat(name, "-", i),
                  .job = "ns/" + name,
                  .cpu_milli = kPodCpu,
                  .memory_bytes = kGi,
                  .created_us = i};
      pod.peers.labels = {{"part", StrCat(i / kGroup)}};
      Put(pod, mirror());
    }
  }
  void RemoveGang(const std::string& name, int64_t pods = kGang) {
    for (int64_t i = 0; i < pods; ++i) mirror().RemovePod(StrCat("ns/", name, "-", i));
    mirror().RemovePodGroup("ns/" + name);
  }
  // So many slots of the node are taken.
  void Fill(int64_t node, int64_t slots) {
    const std::string name = StrCat("holder-", node);
    if (slots == 0) return mirror().RemovePod("ns/" + name);
    Put(PodSpec{.name = name,
                .node = NodeName(node),
                .status = model::TaskStatus::kRunning,
                .cpu_milli = slots * kPodCpu,
                .memory_bytes = kGi},
        mirror());
  }
  // Every rack has six slots left, on as many nodes; the last has `last` on each of its nodes.
  void FillUp(int64_t last) {
    for (int64_t node = 0; node < kNodes; ++node) {
      const bool in_last = node / kNodesPerRack == racks() - 1;
      const int64_t left = in_last ? last : (node % kNodesPerRack < 6 ? 1 : 0);
      Fill(node, kSlots - left);
    }
  }

  // Every rack has six slots left, too few for a sub-group; of each row the first racks have eight:
  // `ample` of them in the last whole row, `racks` in the others.
  void FillUpForGroups(int64_t racks, int64_t ample) {
    for (int64_t node = 0; node < kNodes; ++node) {
      const int64_t rack = node / kNodesPerRack;
      const bool in_last = rack / kRacksPerRow == rows() - 2;
      const bool has_room = rack % kRacksPerRow < (in_last ? ample : racks);
      Fill(node, kSlots - (node % kNodesPerRack < (has_room ? kGroup : 6) ? 1 : 0));
    }
  }

  Cluster& cluster() { return cluster_; }
  cache::Mirror& mirror() { return cluster_.mirror(); }

 private:
  void AddTier(int32_t tier, const char* below, const char* kind, int64_t members, int64_t each) {
    for (int64_t first = 0; first < members; first += each) {
      cache::CompiledHyperNode domain;
      domain.name = DomainName(kind, first / each);
      domain.uid = "uid-" + domain.name;
      domain.tier = tier;
      for (int64_t i = first; i < std::min(first + each, members); ++i) {
        if (tier == 1) {
          domain.nodes.push_back(NodeName(i));
        } else {
          domain.hyper_nodes.push_back(DomainName(below, i));
        }
      }
      mirror().PutHyperNode(std::move(domain));
    }
  }

  Cluster cluster_;
};

void Expect(benchmark::State& state, const char* counter, int64_t value, const char* otherwise) {
  if (state.counters[counter] != static_cast<double>(value)) state.SkipWithError(otherwise);
}

// A thousand gangs on an empty cluster.
void BM_Gangs(benchmark::State& state, const std::string& conf, int64_t bound) {
  NetworkCluster network;
  const int64_t gangs = state.range(0);
  for (int64_t i = 0; i < gangs; ++i) network.AddGang(StrCat("gang-", i), bound);
  RunCycles(
      state, network.cluster(), [] {}, conf);
  Expect(state, "binds", gangs * kGang, "not all pods were bound");
}
BENCHMARK_CAPTURE(BM_Gangs, without_plugin, std::string(kConf), kNothing)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_Gangs, that_ask_for_nothing, TopologyConf(), kNothing)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_Gangs, in_one_rack, TopologyConf(), kOneRack)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_Gangs, in_one_row, TopologyConf(), kOneRow)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_Gangs, in_one_rack_if_possible, TopologyConf(), kSoft)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

// One gang comes in each cycle, the last one goes; one node in twenty has room. Of a gang of which
// half has to start, no rack has room for all.
void BM_OneGangOnAFullCluster(benchmark::State& state, int64_t bound, int64_t pods, int64_t minimum,
                              int64_t last, int64_t binds) {
  NetworkCluster network;
  network.FillUp(last);
  bool first = true;
  RunCycles(
      state, network.cluster(),
      [&] {
        if (!first) network.RemoveGang("gang", pods);
        first = false;
        network.AddGang("gang", bound, pods, minimum);
      },
      TopologyConf());
  Expect(state, "binds", binds, "what was bound is not what fits");
}
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, in_one_rack, kOneRack, kGang, kGang, 4, kGang)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, in_no_rack, kOneRack, kGang, kGang, 3, 0)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, in_one_row, kOneRow, kGang, kGang, 3, kGang)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, in_no_row, kOneRow, 2 * kGang, 2 * kGang, 3, 0)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, half_in_one_rack, kOneRack, kGang, kGang / 2, 3,
                  3 * kNodesPerRack)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_OneGangOnAFullCluster, half_in_no_rack, kOneRack, kGang, kGang / 2, 1, 0)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

// Gangs of eight sub-groups of eight pods on an empty cluster, where a rack takes a whole gang.
void BM_GangsOfGroups(benchmark::State& state) {
  NetworkCluster network;
  const int64_t gangs = state.range(0);
  for (int64_t i = 0; i < gangs; ++i) network.AddGroups(StrCat("gang-", i), kGang / kGroup);
  RunCycles(
      state, network.cluster(), [] {}, TopologyConf());
  Expect(state, "binds", gangs * kGang, "not all pods were bound");
}
BENCHMARK(BM_GangsOfGroups)->Arg(20)->Arg(1000)->Unit(benchmark::kMillisecond)->MinTime(1);

// One such gang comes in each cycle, the last one goes; one node in twenty has room. Of the eight
// sub-groups that it has, the rows hold fewer, but for the last where it fits.
void BM_GroupsOnAFullCluster(benchmark::State& state, int64_t racks, int64_t ample) {
  NetworkCluster network;
  network.FillUpForGroups(racks, ample);
  bool first = true;
  RunCycles(
      state, network.cluster(),
      [&] {
        if (!first) network.RemoveGang("gang");
        first = false;
        network.AddGroups("gang", kGang / kGroup);
      },
      TopologyConf());
  const bool fits = ample >= kGang / kGroup;
  Expect(state, "binds", fits ? kGang : 0, fits ? "the gang was not bound" : "something was bound");
}
BENCHMARK_CAPTURE(BM_GroupsOnAFullCluster, in_one_row, 0, 8)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_GroupsOnAFullCluster, in_one_row_others_lack_one, 7, 8)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_GroupsOnAFullCluster, in_no_row, 0, 0)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_GroupsOnAFullCluster, in_no_row_by_one, 7, 7)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

// Gangs wait for a rack, and pods come and go where none of them fits.
template <typename AddGang>
void RunNodeFreed(benchmark::State& state, NetworkCluster& network, const AddGang& add_gang) {
  for (int64_t i = 0; i < state.range(0); ++i) add_gang(StrCat("gang-", i));
  bool free = false;
  RunCycles(
      state, network.cluster(),
      [&] {
        free = !free;
        network.Fill(0, free ? kSlots - 2 : kSlots - 1);
      },
      TopologyConf());
  Expect(state, "binds", 0, "something was bound");
}

// Of equal pods, or all but one, which is small.
void BM_NodeFreed(benchmark::State& state, bool with_leader) {
  NetworkCluster network;
  network.FillUp(3);
  RunNodeFreed(state, network, [&](const std::string& name) {
    network.AddGang(name, kOneRack);
    if (!with_leader) return;
    Put(PodSpec{.name = name + "-0", .job = "ns/" + name, .cpu_milli = 500, .memory_bytes = kGi},
        network.mirror());
  });
}
BENCHMARK_CAPTURE(BM_NodeFreed, equal_pods, false)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_NodeFreed, with_leader, true)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

void BM_NodeFreedForGroups(benchmark::State& state) {
  NetworkCluster network;
  network.FillUpForGroups(0, 0);
  RunNodeFreed(state, network,
               [&](const std::string& name) { network.AddGroups(name, kGang / kGroup); });
}
BENCHMARK(BM_NodeFreedForGroups)->Arg(1000)->Unit(benchmark::kMicrosecond)->MinTime(1);

// A node goes in one cycle and comes back in the next: HyperNodes are made anew from their members.
void BM_NodeComesAndGoes(benchmark::State& state, bool in_network) {
  Cluster flat;
  NetworkCluster network;
  Cluster& cluster = in_network ? network.cluster() : flat;
  if (!in_network) flat.AddNodes(kNodes);
  bool there = true;
  RunCycles(
      state, cluster,
      [&] {
        there = !there;
        if (there) {
          cluster.AddNodes(1);
        } else {
          cluster.mirror().RemoveNode(NodeName(0));
        }
      },
      TopologyConf());
}
BENCHMARK_CAPTURE(BM_NodeComesAndGoes, of_three_tiers, true)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);
BENCHMARK_CAPTURE(BM_NodeComesAndGoes, without_hyper_nodes, false)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
