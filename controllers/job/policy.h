// What the policies of a batch job make of an event. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "controllers/job/request.h"

namespace bth::controllers {

struct PolicyAnswer {
  types::Word<types::BusAction> action = types::BusAction::kSyncJob;
  absl::Duration delay;  // How long the action waits.
  // Which policy of spec.policies or, with a task, of spec.tasks[task]; none: no policy says so.
  std::optional<size_t> policy;
  std::optional<size_t> task;
  bool operator==(const PolicyAnswer&) const = default;
};

// The first policy that matches decides, those of the task before those of the job; SyncJob when
// none does, and for events of another job of the same name or of an earlier incarnation.
// `job_version`: the present incarnation.
PolicyAnswer EvaluatePolicies(const types::BatchJob& job, int32_t job_version,
                              const JobRequest& request);

// Empty when jobs know the action; else what is wrong with its name, and which there are.
std::string WhyNoAction(const types::Word<types::BusAction>& action);

enum class ActionLevel { kInternal, kJob, kTask, kPod, kPartition };
ActionLevel LevelOf(types::BusAction action);

}  // namespace bth::controllers
