// What single plugins go by, in worlds of plain descriptions: shared cards, CPUs by NUMA node,
// measured loads, how the roles of a job stand to each other, and where nodes are in the network.
#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compiled.h"
#include "tests/worlds/random_world.h"

namespace bth::test {

inline constexpr int64_t kCardMemory = 1000;  // Of each shared card.

// Each of them in some worlds.
void AddPluginParts(Rng& rng, WorldSpec* world);
LoadSpec RandomLoad(Rng& rng);
// Objects are read for shared cards, or nobody has or wants any.
void CountCards(bool counted, WorldSpec* world);

// Whole CPUs of the node, and how many of them, from CPU 0 on, are its first NUMA node. The others
// are its second.
int32_t CpusOf(const NodeSpec& node);
int32_t CpusOfFirstNuma(const NodeSpec& node);
// CPUs that are to be the pod's alone.
int32_t OwnCpusOf(const PodSpec& pod);

// What the mirror has to know before it is told of objects.
void PutSettings(const WorldSpec& world, cache::Mirror& mirror);
void PutLoads(const WorldSpec& world, cache::Mirror& mirror);
// Of a node that has some.
void PutCpus(const NodeSpec& node, cache::Mirror& mirror);
void Complete(const NodeSpec& spec, cache::CompiledNode* node);
void Complete(const PodSpec& spec, cache::CompiledPod* pod, model::PodConstraints* constraints);
void Complete(const JobSpec& spec, model::JobFacts* facts);

}  // namespace bth::test
