// What is kept of each job beside the columns of snapshots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "api/model/ids.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

struct JobRecord {
  std::string key;  // Empty: the slot is free.
  std::optional<CompiledPodGroup> group;
  std::vector<model::TaskId> tasks;  // By (creation, UID).
  int32_t ours = 0;                  // Of them, with our scheduler name.
  model::SubJobId default_sub_job;   // Of all tasks that no policy claims.
  absl::flat_hash_map<std::string, model::SubJobId> sub_jobs;  // Of policies, by key.
  absl::flat_hash_map<std::string, model::RoleId> roles;
  absl::Duration backoff_until = -absl::InfiniteDuration();  // Monotonic.
  bool lists_dirty = true;
};

}  // namespace bth::cache
