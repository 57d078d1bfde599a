// Where CPUs lie, and which a pod wants for itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/numa.h"
#include "api/model/pod_extras.h"
#include "api/types/numa_topology.h"
#include "api/types/pod.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// A Numatopology, the report on the node of its name.
struct CompiledNuma {
  std::string name;
  std::string uid;
  std::shared_ptr<const model::NumaFacts> facts;
  // Pods whose CPUs are not among those that it calls allocatable.
  std::vector<std::string> pod_uids;
  std::vector<std::string> pod_keys;  // "<ns>/<name>".
};

// kInvalidArgument names the field: numbers that are none, below zero or beyond what is counted,
// CPU sets that cannot be read, more NUMA nodes than the kubelet manages.
absl::StatusOr<CompiledNuma> Compile(const types::Numatopology& report);

// The annotation volcano.sh/topology-decision: on which NUMA nodes, by id, so many CPUs are the
// pod's. Empty: it says nothing, or nothing that can be so.
inline constexpr std::string_view kNumaDecision = "volcano.sh/topology-decision";
NumaDecision DecisionOf(const types::Pod& pod);
// As it is written: `{"numa":{"0":{"cpu":"2"}}}`.
std::string DecisionText(const model::CpuLayout& layout, const model::CpuSet& cpus);

// Null: nothing about the pod goes by CPUs of its own. It must be of class Guaranteed.
std::shared_ptr<const model::PodNuma> CompilePodNuma(const types::Pod& pod);

}  // namespace bth::cache
