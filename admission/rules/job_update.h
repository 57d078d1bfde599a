// What may change of a job that exists. Pure, any thread.
#pragma once

#include "admission/rules/request.h"
#include "api/types/batch_job.h"

namespace bth::admission {

// The first thing that is wrong with the change decides. `old_job` and `job` are the two documents,
// read; the request holds both as they were written.
Verdict CheckJobUpdate(const types::BatchJob& old_job, const types::BatchJob& job,
                       const Request& request);

}  // namespace bth::admission
