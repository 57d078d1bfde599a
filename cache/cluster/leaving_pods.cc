#include "cache/cluster/leaving_pods.h"

namespace bth::cache {

using model::TaskId;

namespace {

// How long after its end was due a pod's room still counts as room that becomes free.
constexpr absl::Duration kPatience = absl::Minutes(5);

}  // namespace

int64_t LeavingPods::GivenUpAt(int64_t ends_us) {
  return ends_us == 0 ? 0 : ends_us + absl::ToInt64Microseconds(kPatience);
}

void LeavingPods::Set(TaskId id, int64_t given_up_us) {
  of_task_.EnsureContains(id);
  int64_t& known = of_task_[id];
  if (given_up_us == known) return;
  if (known != 0) ends_.erase({known, id});
  if (given_up_us != 0) ends_.insert({given_up_us, id});
  known = given_up_us;
}

absl::Time LeavingPods::NextEnd() const {
  return ends_.empty() ? absl::InfiniteFuture() : absl::FromUnixMicros(ends_.begin()->first);
}

TaskId LeavingPods::TakeDue(absl::Time now) {
  if (ends_.empty() || ends_.begin()->first > absl::ToUnixMicros(now)) return {};
  const TaskId id = ends_.begin()->second;
  Set(id, 0);
  return id;
}

}  // namespace bth::cache
