// Services and workloads of random worlds, in plain words.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "tests/worlds/peer_specs.h"

namespace bth::test {

struct ServiceSpec {
  std::string name;
  std::string ns = "ns";
  LabelsOfPod selector;  // Empty: selects none.
};

struct WorkloadSpec {
  std::string kind;  // ReplicationController, ReplicaSet or StatefulSet.
  std::string name;
  std::string ns = "ns";
  LabelsOfPod pairs;                  // Of a ReplicationController.
  std::vector<SelectorSpec> demands;  // Of the others.
};

ServiceSpec RandomService(Rng& rng);
WorkloadSpec RandomWorkload(Rng& rng);
// "<kind> <name>" of a workload that a world may have; empty most of the time.
std::string RandomOwner(Rng& rng);

void Put(const ServiceSpec& spec, cache::Mirror& mirror);
void Remove(const ServiceSpec& spec, cache::Mirror& mirror);
void Put(const WorkloadSpec& spec, cache::Mirror& mirror);
void Remove(const WorkloadSpec& spec, cache::Mirror& mirror);

}  // namespace bth::test
