// What becomes of the pods of one cluster under two policies.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"
#include "sim/cluster.h"

namespace bth::sim {

struct ComparedPolicy {
  std::string name;  // For messages.
  std::shared_ptr<const conf::Policy> policy;
};

// Runs `cycles` cycles on `cluster` under each policy, each with what the one before it did: bound
// pods run, victims are gone. Every pod of ours that has not ended has a fate under each:
//
//   {"fate": "stays", "node": N} it ran and was left alone; {"fate": "placed", "node": N};
//   {"fate": "evicted", "node": N} from there; {"fate": "promised", "node": N} it waits for room
//   there; {"fate": "waits", "reason": R, "message": M}
//
// Two that wait differ when their reasons do, or the words of their messages: numbers alone make no
// difference, because every placement elsewhere changes them. The answer, sorted by job and pod:
//
//   {"before": NAME, "after": NAME, "cycles": C, "pods": P, "differ": D,
//    "fates": [{"fate": F, "before": COUNT, "after": COUNT}], those that occur,
//    "jobs": [{"job": "ns/name", "kind": "Job", "PodGroup" or "" for pods without, "queue": Q,
//              "pods": P, "differences": [{"pod": "ns/name", "before": FATE, "after": FATE}]}],
//    "notes": [TEXT]}
//
// Errors are those of Simulation and name the policy.
absl::StatusOr<types::Json> ComparePolicies(const Cluster& cluster, const ComparedPolicy& before,
                                            const ComparedPolicy& after, int cycles,
                                            const framework::Registry& registry);

}  // namespace bth::sim
