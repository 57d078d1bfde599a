// What a batch job cannot come to, as it is written or as its pods have gone. Pure, any thread.
// Each text is empty when there is nothing to tell.
#pragma once

#include <string>

#include "api/types/batch_job.h"
#include "controllers/job/job_book.h"

namespace bth::controllers {

// Pods of a task that are started again whenever they end, and no policy that ends the job.
std::string NeverCompletesText(const types::BatchJobSpec& spec);

// A minimum that counts pods which are made only when the others run.
std::string GangOutOfReachText(const types::BatchJobSpec& spec);

// A task that lacks pods, and depends on one of which too many have failed.
std::string DependencyFailedText(const JobView& job);

}  // namespace bth::controllers
