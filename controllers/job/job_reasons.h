// In words: how pods of a batch job ended, and why a policy acts. Pure, any thread.
#pragma once

#include <string>

#include "api/types/batch_job.h"
#include "api/types/pod.h"
#include "controllers/job/job_book.h"
#include "controllers/job/policy.h"
#include "controllers/job/request.h"

namespace bth::controllers {

// "pod j-a-0 failed: container main ended with exit code 3 (Error)".
std::string FailedPodText(const types::Pod& pod);
// Of the job's pods that have failed, the first few by task and name; empty: none has.
std::string FailedPodsText(const JobView& job);

// "by spec.tasks[1].policies[0]: pod j-a-0 was deleted or evicted"; empty when no policy asks for
// the action. `pod` is the one that the request is about; null: none, or it is gone.
std::string BecauseText(const types::BatchJob& job, const JobRequest& request,
                        const PolicyAnswer& answer, const types::Pod* pod);

}  // namespace bth::controllers
