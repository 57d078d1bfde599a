#include "sim/world/policies.h"

namespace bth::sim {
namespace {

constexpr std::string_view kStormPolicies[] = {
    "",
    R"(actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: drf
  - name: predicates
  - name: capacity
  - name: nodeorder
)",
    R"(actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
)",
    R"(actions: "enqueue, allocate, gangpreempt, gangreclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: capacity
  - name: nodeorder
)",
};

constexpr std::string_view kTopologyPolicy = R"(actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: network-topology-aware
)";

}  // namespace

std::span<const std::string_view> StormPolicies() {
  return kStormPolicies;
}

std::string_view StormTopologyPolicy() {
  return kTopologyPolicy;
}

}  // namespace bth::sim
