// Names and policies that come with the program.
#include "base/check.h"
#include "conf/load.h"

namespace bth::conf {

const KnownNames& BuiltinNames() {
  static const KnownNames names = {{"enqueue", "allocate", "backfill", "preempt", "reclaim",
                                    "shuffle", "gangpreempt", "gangreclaim"},
                                   {"binpack",
                                    "capacity",
                                    "cdp",
                                    "conformance",
                                    "deviceshare",
                                    "drf",
                                    "extender",
                                    "gang",
                                    "nodegroup",
                                    "nodeorder",
                                    "numa-aware",
                                    "network-topology-aware",
                                    "overcommit",
                                    "pdb",
                                    "predicates",
                                    "priority",
                                    "proportion",
                                    "resourcequota",
                                    "resource-strategy-fit",
                                    "rescheduling",
                                    "sla",
                                    "task-topology",
                                    "tdm",
                                    "usage"}};
  return names;
}

std::string_view DefaultPolicyText() {
  return R"(# In force when no --scheduler-conf is given.
actions: "enqueue, allocate, backfill"
tiers:
# Whose turn it is, and whom to spare.
- plugins:
  - name: priority
  - name: gang
  - name: conformance
# What fits, who deserves it, and where it goes best.
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
)";
}

std::string_view AgentPolicyText() {
  return R"(# In force when no --scheduler-conf is given.
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodeorder
)";
}

namespace {

Policy MustParse(std::string_view text) {
  absl::StatusOr<LoadedPolicy> loaded = ParsePolicy(text, BuiltinNames());
  BTH_CHECK(loaded.ok());  // A constant of ours; a test loads it too.
  return std::move(loaded->policy);
}

}  // namespace

Policy DefaultPolicy() {
  return MustParse(DefaultPolicyText());
}

Policy AgentPolicy() {
  return MustParse(AgentPolicyText());
}

}  // namespace bth::conf
