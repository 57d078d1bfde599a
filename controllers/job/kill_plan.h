// Which pods of a batch job a kill deletes. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "controllers/job/job_book.h"
#include "controllers/job/pod_counts.h"
#include "controllers/job/request.h"

namespace bth::controllers {

struct KillTarget {
  enum class Kind { kJob, kTask, kPod, kPartition };
  Kind kind = Kind::kJob;
  std::string task;
  std::string pod;
  std::string partition;
};

// Whom the action means, asked for by `request`.
KillTarget TargetOf(const JobRequest& request, types::BusAction action);

struct KillPlan {
  std::vector<PodPointer> victims;  // By task and name.
  // Of the pods that stay or are terminating already; victims are added as they go.
  PodCounts counts;
  // There is no such partition: nothing is done, the phase included.
  bool is_void = false;
};

// `spare_finished`: pods that succeeded or failed stay (kJob only).
KillPlan PlanKill(const JobView& job, const KillTarget& target, bool spare_finished);

}  // namespace bth::controllers
