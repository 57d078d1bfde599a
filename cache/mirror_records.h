// What the mirror keeps of each object beside the columns of its snapshots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "api/model/ids.h"
#include "cache/compiled.h"

namespace bth::cache {

struct PodRecord {
  CompiledPod pod;
  model::JobId job;  // Invalid: none.
  model::ShapeId shape;
  bool asks = false;  // Counts among those for whom resources have dimensions.
  bool assumed = false;
  int64_t given_up_us = 0;  // While it is leaving: when nobody waits for its room any more.
  // A node that a cycle promised the pod, until the object shows a nomination other than
  // `pod.nominated_node`; empty: none.
  std::string promised_node;
};

// A pod that a budget kept from being evicted.
struct SparedPod {
  std::string uid;
  absl::Time until;
  absl::Duration pause;  // The last one; the next refusal doubles it.
  bool over = false;     // And snapshots say so.
};

struct NodeRecord {
  std::string name;
  SharedSymbols symbol;                           // Of the name, from the first object on.
  std::optional<CompiledNode> object;             // Absent: only pods name it.
  absl::flat_hash_set<model::TaskId> with_ports;  // On it, terminated ones excepted.
  absl::flat_hash_set<model::TaskId> with_volumes;
  int32_t mentions = 0;  // By states and nominations of tasks.
};

struct JobRecord {
  std::string key;
  std::optional<CompiledPodGroup> group;
  std::vector<model::TaskId> tasks;  // By (creation, UID).
  int32_t ours = 0;                  // Of them, with our scheduler name.
  absl::flat_hash_map<std::string, model::SubJobId> sub_jobs;
  absl::flat_hash_map<std::string, model::RoleId> roles;
  absl::Time held_until = absl::InfinitePast();
  bool lists_dirty = true;
};

struct PriorityClass {
  int32_t value = 0;
  bool global_default = false;
};

}  // namespace bth::cache
