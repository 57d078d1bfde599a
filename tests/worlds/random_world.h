// Small random clusters, for properties that must hold everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compiled.h"
#include "tests/worlds/peer_specs.h"
#include "tests/worlds/selector_specs.h"

namespace bth::test {

// When all of this is, since the epoch.
inline constexpr int64_t kWorldSeconds = 1'000'000;

// Plain descriptions; the mirror's own interner turns them into what it takes.
struct PodSpec {
  std::string name;
  std::string job;  // "ns/name"; empty: a foreign pod.
  std::string role;
  std::string node;  // Empty: pending.
  model::TaskStatus status = model::TaskStatus::kPending;
  int32_t priority = 1;
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int64_t gpu_milli = 0;
  int64_t created_us = 0;
  std::string zone;            // Wanted by node selector, when set.
  std::string preferred_zone;  // Preferred with weight 10, when set.
  bool tolerates = false;      // The taint "special".
  int32_t port = 0;            // Host port, when set.
  std::string ns = "ns";
  PeerSpecs peers;
  std::string owner;       // "<kind> <name>" of the workload that manages it, when set.
  bool fixed = false;      // Marked as not preemptable.
  bool revocable = false;  // May go to revocable nodes.
  // Of single plugins (plugin_parts.h).
  int64_t card_memory = 0;  // Of one shared card, when set.
  std::string card;         // The number of the one that it holds on its node.
  bool whole_cpus = false;  // Of class Guaranteed: whole CPUs are its own.
  std::string numa_policy;  // That it wants, when set.
  std::string Key() const { return ns + "/" + name; }
};
// What was measured of a node, in percent.
struct LoadSpec {
  double cpu_percent = 0;
  double memory_percent = 0;
  int64_t age_s = 0;
};
// What a Numatopology says of a node.
struct CpuSpec {
  std::string policy;     // Of its topology manager.
  bool given_out = true;  // To containers alone: its CPU manager is static.
  int32_t taken = 0;      // So many, from CPU 0 on, are given out already.
};
struct NodeSpec {
  std::string name;
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int64_t gpu_milli = 0;
  int64_t pods = 10;
  std::string zone;
  bool tainted = false;
  bool prefer_not = false;  // A PreferNoSchedule taint.
  bool cordoned = false;
  bool unnamed = false;  // Without a label that says its name.
  std::string group;     // For nodegroup.
  std::string revocable_zone;
  int32_t cards = 0;  // Shared ones, each with kCardMemory.
  std::optional<LoadSpec> load = {};
  std::optional<CpuSpec> cpus = {};
};
// A policy of sub-jobs: pods of the job with a label of its name, by its values.
struct SubGroupSpec {
  int32_t size = 1;
  int32_t least = 0;  // Sub-jobs that are needed.
};
struct JobSpec {
  std::string name;
  std::string queue;
  int32_t min = 1;
  int64_t created_us = 0;
  std::vector<std::pair<std::string, int32_t>> roles;
  model::PodGroupPhase phase = model::PodGroupPhase::kInqueue;
  int64_t minimum_cpu_milli = 0;  // Of minResources, when set.
  std::string priority_class;
  bool opts_out = false;  // Gang actions must not evict from it.
  std::vector<model::NetworkTopologySpec> topology =
      {};  // What it asks of the network, if anything.
  std::vector<SubGroupSpec> sub_groups = {};
  // For task-topology: roles that stand together, and apart; and their order.
  std::vector<std::vector<std::string>> together = {};
  std::vector<std::vector<std::string>> apart = {};
  std::vector<std::string> role_order = {};
};
struct HyperNodeSpec {
  std::string name;
  int32_t tier = 1;
  std::string tier_name = "";
  std::vector<std::string> nodes = {};
  std::vector<std::string> hyper_nodes = {};
};
struct QueueSpec {
  std::string name;
  int32_t weight = 1;
  int64_t capability_cpu_milli = 0;  // 0: none.
  bool strict = false;               // Keeps the order of its jobs.
  std::string hierarchy;             // Annotations for hierarchical drf.
  std::string hierarchy_weights;
  bool reclaimable = true;
  int64_t deserved_cpu_milli = 0;   // 0: not set.
  int64_t guarantee_cpu_milli = 0;  // The same.
  std::string parent;
  int32_t priority = 0;
  bool closed = false;
  std::string group;  // Its pods go to nodes of this group, when set.
};

struct WorldSpec {
  std::vector<NodeSpec> nodes;
  std::vector<QueueSpec> queues;
  std::vector<JobSpec> jobs;
  std::vector<PodSpec> pods;
  std::map<std::string, std::string> teams;  // Label `team` of namespaces that have it.
  std::vector<ServiceSpec> services;
  std::vector<WorkloadSpec> workloads;
  std::vector<HyperNodeSpec> hyper_nodes;
  std::vector<std::string> counted;  // Resources that count though no pod asks for them.
  bool cards_count = false;          // Objects are read for shared cards.
};

// Parts of worlds. The place is one of the world's nodes, or none most of the time.
PodSpec RandomPod(Rng& rng, const std::string& name);
void PlaceAtRandom(Rng& rng, const WorldSpec& world, PodSpec* pod);

// At most 11 nodes, 3 queues, 5 jobs and 38 pods, a third of them on nodes.
WorldSpec RandomWorld(Rng& rng);
// Gives jobs priorities and queues shares, and takes some jobs' and queues' consent to evictions.
// Needs PutPriorities on the mirror.
void AddRanks(Rng& rng, WorldSpec* world);
void PutPriorities(cache::Mirror& mirror);
// Makes pods of one kind that differ by their labels; small ones here and there will not have some
// of them in their zone.
void MakeAlike(Rng& rng, WorldSpec* world);

// Leaves out what BTH_LEAVE_OUT names (tests/support/leave_out.h).
void LeaveOutOf(WorldSpec* world);

void Put(const NodeSpec& node, cache::Mirror& mirror);
void Put(const QueueSpec& queue, cache::Mirror& mirror);
void Put(const JobSpec& job, cache::Mirror& mirror);
void Put(const HyperNodeSpec& hyper_node, cache::Mirror& mirror);
void Put(const PodSpec& pod, cache::Mirror& mirror);
// Everything, in an order shuffled by `order`; 0 keeps the order of the lists.
void Feed(const WorldSpec& world, cache::Mirror& mirror, uint64_t order);

// What a snapshot says, by names, in a fixed order: equal worlds have equal texts.
std::string Describe(const model::Snapshot& snapshot);

}  // namespace bth::test
