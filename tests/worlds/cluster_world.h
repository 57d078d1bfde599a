// Whole clusters, up to large ones, and policies of every plugin in any order.
#pragma once

#include <string>
#include <vector>

#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {

struct ClusterSize {
  uint64_t nodes_max = 60;
  uint64_t pods_max = 400;
};

// Jobs in every phase and pods in every status, queues below queues with guarantees, limits and
// shares. Needs PutPriorities on the mirror.
WorldSpec RandomCluster(Rng& rng, const ClusterSize& size);

// Makes nodes so full, jobs that run so lowly and those that wait so important that pods go for
// others; who is there and where stays.
void Crowd(Rng& rng, WorldSpec* world);

struct RandomConf {
  std::string text;
  bool has_gang = false;     // Gangs are whole,
  bool has_filters = false;  // and nodes are fit for their pods.
};
// Every action and every built-in plugin, but for the extender, may be in it, in any tier. Action
// shuffle, whose plugins remember when they last evicted, only if it is asked for.
RandomConf RandomFullPolicy(Rng& rng, bool shuffles);

// What a cycle did that no node, pod or gang permits, by the descriptions alone; "": nothing.
std::string FirstWrong(const WorldSpec& world, const RandomConf& conf, const CycleResult& result);

}  // namespace bth::test
