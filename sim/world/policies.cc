#include "sim/world/policies.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace bth::sim {
namespace {

// `plugins`: of the second tier.
std::string Policy(std::string_view actions, std::initializer_list<std::string_view> plugins) {
  std::string out = StrCat("actions: \"", actions, R"("
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
)");
  for (const std::string_view plugin : plugins) StrAppend(&out, "  - name: ", plugin, "\n");
  return out;
}

}  // namespace

std::span<const std::string> StormPolicies() {
  static const auto& policies = *new std::vector<std::string>{
      "",
      Policy("enqueue, allocate, preempt, reclaim, backfill",
             {"drf", "predicates", "capacity", "nodeorder"}),
      Policy("enqueue, allocate, preempt, backfill",
             {"overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack"}),
      Policy("enqueue, allocate, gangpreempt, gangreclaim, backfill",
             {"predicates", "capacity", "nodeorder"}),
  };
  return policies;
}

const std::string& StormTopologyPolicy() {
  static const auto& policy = *new std::string(
      Policy("enqueue, allocate, preempt, backfill",
             {"drf", "predicates", "proportion", "nodeorder", "network-topology-aware"}));
  return policy;
}

}  // namespace bth::sim
