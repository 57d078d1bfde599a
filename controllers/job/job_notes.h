// What somebody should know of a job although it does not hold the job up. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "controllers/job/job_book.h"
#include "controllers/job/job_waits.h"
#include "controllers/job/phases.h"

namespace bth::controllers {

// Reason of a job that runs and of which further pods have no place.
inline constexpr const char* kPodsWaiting = "PodsWaiting";

struct JobNote {
  std::string reason;  // Of the event and of status.state; empty: there is nothing to tell.
  std::string message;
  // There may be more to tell by then.
  std::optional<absl::Duration> look_again = {};
};

struct NoteFacts {
  std::string_view kept_queue;  // See KeptQueue. Empty: there is nothing to tell.
  const std::vector<std::string>& scheduler_names;
  const std::vector<std::string>& plugin_complaints;
  WaitFacts waits = {};  // Without a view nothing is said of its pods.
};

// In a job of this phase: a queue that it was not moved to; a scheduler that is none of those here
// and does not answer; while it is pending, a gang that waits for itself; arguments of plugins that
// were ignored or name no task; a task that waits for one that has failed; while it runs, pods that
// never end and those beyond its minimum that have no place. One reason, all messages.
JobNote NoteOf(const types::BatchJobSpec& spec, types::JobPhase phase, const NoteFacts& facts);

// In a job that this step has ended as Failed: that no retry is left, or what its pods did not
// come to; and which pods have failed, and how. `status`: of the job after the step.
JobNote EndNote(const JobView& job, const types::BatchJobStatus& status, const JobStep& step);
// Of a job that is ended because the same request failed too often. `failure`: the last one.
JobNote GivenUpNote(int failures, std::string_view failure);

// What of a change of the spec does not reach the pods that exist, as text; nothing when all of it
// does, or will with the next look at the job. Names of queues are not its affair (NoteOf).
// `view`: which tasks have pods; null: all of them.
std::optional<std::string> EditWithoutEffect(const types::BatchJobSpec& before,
                                             const types::BatchJobSpec& after,
                                             const JobView* view = nullptr);

}  // namespace bth::controllers
