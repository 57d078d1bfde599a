// The next snapshot in the making, shared by the tables of a mirror.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "api/model/snapshot.h"

namespace bth::cache {

// Every table writes the columns that are its own, reads those of others, and says here what that
// means for the cycle to come. Thread: I/O.
struct Draft {
  model::Snapshot now;
  // Since the last snapshot something changed that may let or make a cycle decide differently,
  bool changed = false;
  // or that only statuses follow: confirmed bindings, room that nobody waits for.
  bool statuses_changed = false;
  int64_t rows_rewritten = 0;
  std::vector<model::JobId> changed_jobs;  // Since the last snapshot; some more than once.

  // The last snapshot showed jobs that wait.
  bool some_wait() const { return now.active_jobs != nullptr && !now.active_jobs->empty(); }
  // Room was taken or left. Only jobs that wait care about it; those that came after the last
  // snapshot have said so themselves.
  void NoteRoom() {
    const bool none_waits = now.active_jobs != nullptr && now.active_jobs->empty();
    (none_waits ? statuses_changed : changed) = true;
  }
  // The row of a task, to be changed: its job changes with it.
  model::TaskRow& ChangeTask(model::TaskId id) {
    if (const model::JobId job = now.tasks[id].job; job.valid()) changed_jobs.push_back(job);
    return now.tasks.Mutable(id);
  }
  // The last to write before the snapshot is taken; nothing has changed since.
  void Publish(absl::Time taken_at);
};

}  // namespace bth::cache
