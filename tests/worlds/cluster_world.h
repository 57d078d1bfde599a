// Whole clusters, up to large ones, and policies of every plugin in any order.
#pragma once

#include <string>
#include <vector>

#include "tests/worlds/policy_twin.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {

struct ClusterSize {
  uint64_t nodes_max = 60;
  uint64_t pods_max = 400;
};

// Jobs in every phase and pods in every status, queues below queues with guarantees, limits and
// shares; in some of them what single plugins go by (plugin_parts.h). Needs PutPriorities on the
// mirror.
WorldSpec RandomCluster(Rng& rng, const ClusterSize& size);

// Makes nodes so full, jobs that run so lowly and those that wait so important that pods go for
// others; who is there and where stays.
void Crowd(Rng& rng, WorldSpec* world);

struct RandomConf {
  std::string text;
  bool has_gang = false;       // Gangs are whole,
  bool has_filters = false;    // and nodes are fit for their pods, by plugin predicates
  PolicyFilters filters = {};  // and by these.
  std::vector<std::string> plugins = {};
};
// Those that may be in a policy: all that are registered, but for a few (cluster_policy.cc).
const std::vector<std::string>& PolicyPlugins();
// Every action and every one of these plugins may be in it, in any tier. Action shuffle, whose
// plugins remember when they last evicted, only if it is asked for.
RandomConf RandomFullPolicy(Rng& rng, bool shuffles);
// Arguments, as the inside of a map, of a plugin that PolicyTwin knows, and what they say.
std::string RandomFilterArguments(Rng& rng, const std::string& plugin, PolicyFilters* filters);

// What a cycle did that no node, pod or gang permits, by the descriptions and the policy alone; "":
// nothing. Inter-pod affinity and spread have a twin of their own (peer_twin.h); node groups and
// what queues may hold are not looked at.
std::string FirstWrong(const WorldSpec& world, const RandomConf& conf, const CycleResult& result);

}  // namespace bth::test
