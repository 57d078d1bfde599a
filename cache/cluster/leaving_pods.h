// Pods that are deleted and do not go: their room is waited for, but not without end.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "absl/time/time.h"
#include "api/model/ids.h"
#include "base/ids.h"

namespace bth::cache {

// When nobody waits any more for the room of a pod that should have been gone long ago: it keeps
// what it holds, and nobody knows until when. Times are microseconds since the epoch, 0: never.
// Thread: I/O.
class LeavingPods {
 public:
  // Of a pod that is to be gone at `ends_us`.
  static int64_t GivenUpAt(int64_t ends_us);

  // Replaces what was noted of the task; 0: it does not leave.
  void Set(model::TaskId id, int64_t given_up_us);
  // InfiniteFuture: none leaves.
  absl::Time NextEnd() const;
  // One that is given up by `now`, and is noted no more; invalid: there is none.
  model::TaskId TakeDue(absl::Time now);

 private:
  std::set<std::pair<int64_t, model::TaskId>> ends_;
  IdVector<model::TaskId, int64_t> of_task_;  // What `ends_` has of each.
};

}  // namespace bth::cache
