// Lifecycle policies that admission would have refused. Pure, any thread.
#pragma once

#include "absl/status/status.h"
#include "api/types/batch_job.h"

namespace bth::controllers {

// kInvalidArgument names the first policy of the job or of a task that could not be meant: with an
// event and an exit code or with neither, an event or action that policies may not name, an exit
// code 0, and what an earlier policy of the same list answers already.
absl::Status CheckPolicies(const types::BatchJobSpec& spec);

}  // namespace bth::controllers
