// How many tasks of a job may be evicted at a time.
#pragma once

#include <cstdint>

#include "api/model/job.h"

namespace bth::plugins::tdm {

// By the job's budget (volcano.sh/jdb-max-unavailable, volcano.sh/jdb-min-available); one task at a
// time without.
int32_t EvictionQuota(const model::JobFacts& facts, const model::JobCounts& counts);

}  // namespace bth::plugins::tdm
