// Why a job waits, in words. Pure function of what was read.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "cli/explain/job_facts.h"

namespace bth::cli {

// In the order in which one would look: the first thing that holds the job, its gang, its pods, the
// numbers of its queue, who else runs there.
std::string ExplainJobText(const JobFacts& facts, absl::Time now);

}  // namespace bth::cli
