// Which pods of a batch job a kill deletes. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "api/types/bus.h"
#include "controllers/job/job_book.h"
#include "controllers/job/phases.h"
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
  // Terminating already, but aimed at as a part of the job: nothing more is to follow from their
  // end.
  std::vector<PodPointer> leaving;
  // Of the pods that stay or are terminating already; victims are added as they go.
  PodCounts counts;
  // Some victim is of the present incarnation.
  bool is_present = false;
  // There is no such partition: nothing is done, the phase included.
  bool is_void = false;
};

// `spare_finished`: pods that succeeded or failed stay (kJob only).
KillPlan PlanKill(const JobView& job, const KillTarget& target, bool spare_finished);

// Pods that have ended stay, because no incarnation follows.
bool SparesFinished(const types::BatchJob& job, const JobStep& step);

// As StepFor; but where a former process ended while it deleted the pods of the last incarnation,
// that is gone on with before the next one begins.
JobStep StepOf(const JobView& job, types::BusAction action);

}  // namespace bth::controllers
