// Pods that are deleted and do not go: their room is waited for, but not without end.
#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

// How long after its end was due a pod's room still counts as room that becomes free.
constexpr absl::Duration kPatience = absl::Minutes(5);

int64_t GivenUpAt(const PodRecord& pod) {
  return pod.ends_us == 0 ? 0 : pod.ends_us + absl::ToInt64Microseconds(kPatience);
}

}  // namespace

// One that should have been gone long ago keeps what it holds, and nobody knows until when.
TaskState Mirror::ObservedState(TaskId id) const {
  const PodRecord& pod = pod_records_[id];
  TaskState state{.status = pod.status, .node = pod.node};
  const int64_t given_up_us = GivenUpAt(pod);
  if (state.status == TaskStatus::kReleasing && given_up_us != 0 &&
      given_up_us <= absl::ToUnixMicros(clock_->Now())) {
    state.status = TaskStatus::kUnknown;
  }
  return state;
}

// After the task's state or its object changed.
void Mirror::NoteLeaving(TaskId id) {
  PodRecord& record = pod_records_[id];
  const bool leaves = now_.usage.tasks[id].status == TaskStatus::kReleasing;
  const int64_t given_up_us = leaves ? GivenUpAt(record) : 0;
  if (given_up_us == record.given_up_us) return;
  if (record.given_up_us != 0) leaving_.erase({record.given_up_us, id});
  if (given_up_us != 0) leaving_.insert({given_up_us, id});
  record.given_up_us = given_up_us;
}

void Mirror::GiveUpLeaving() {
  const int64_t now = absl::ToUnixMicros(clock_->Now());
  while (!leaving_.empty() && leaving_.begin()->first <= now) {
    const TaskId id = leaving_.begin()->second;
    SetState(id, {.status = TaskStatus::kUnknown, .node = now_.usage.tasks[id].node});
    NoteLeaving(id);
  }
}

}  // namespace bth::cache
