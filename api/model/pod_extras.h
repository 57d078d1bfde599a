// Parts of a pod that only single plugins read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bth::model {

// How Kubernetes treats a pod when its node runs out of something; in the order in which pods go.
enum class QosClass : uint8_t { kBestEffort, kBurstable, kGuaranteed };

// What a pod of class Guaranteed wants of single CPUs. Immutable.
struct PodNuma {
  std::string policy;  // Annotation volcano.sh/numa-topology-policy; empty: the node's holds.
  // Names of its containers, and how many CPUs each has to itself: what it asks for, where that is
  // a whole number.
  std::vector<std::string> containers;
  std::vector<int32_t> cpus;
};

// What a container requests, as far as devices may serve it.
struct ContainerRequests {
  std::string name;
  bool ends_first = false;         // An init container that ends before the others begin.
  std::vector<std::string> names;  // Of all resources that it requests, sorted.
  // Whole units of extended resources, by name; none are zero.
  std::vector<std::pair<std::string, int64_t>> extended;
};

// Immutable, shared by every pod with the same constraints.
struct PodExtras {
  // What its containers may use at most; 0: no limit. Init containers, sidecars and overhead count
  // as they do in requests, but overhead only where there is a limit.
  int64_t cpu_limit_milli = 0;
  int64_t memory_limit_bytes = 0;
  QosClass qos = QosClass::kBestEffort;
  // Resources that some container names in its requests or limits, zero amounts included. Sorted.
  std::vector<std::string> named_resources;
  // Annotation volcano.sh/resource-strategy-scoring-type; empty: the pod leaves it to the policy.
  std::string strategy;
  // Annotation volcano.sh/resource-strategy-weight, by name; empty when it cannot be read.
  std::vector<std::pair<std::string, int64_t>> strategy_weights;
  std::shared_ptr<const PodNuma> numa;  // Null: it wants none, or is not of class Guaranteed.
  // Init containers first; empty: none requests extended resources.
  std::vector<ContainerRequests> requests;
};

}  // namespace bth::model
