// Which tasks each sub-job has.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/snapshot.h"

namespace bth::framework {

// Of the picture at open, which never changes: where the tasks are now is for others to say. Lives
// for one session. Thread: scheduling. Cost: the tasks of the job the first time that one of its
// sub-jobs is asked about, later a search in their order.
class SubJobTasks {
 public:
  // `base` outlives it.
  explicit SubJobTasks(const model::Snapshot& base) : base_(base) {}

  // In the order of the job. Stays where it is.
  absl::Span<const model::TaskId> Of(model::SubJobId sub_job);

 private:
  const model::Snapshot& base_;
  // By sub-job; of one, in the order of the job.
  absl::flat_hash_map<model::JobId, std::vector<model::TaskId>> by_job_;
};

}  // namespace bth::framework
