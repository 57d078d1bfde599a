// What admission fills into a batch job. Pure, any thread.
#pragma once

#include <string_view>

#include "api/types/batch_job.h"

namespace bth::controllers {

// Queue, scheduler (`scheduler_name`), retries, names and minimums of tasks, DNS of pods on the
// host's network, plugins that others need, and the minimum of the job: the sum over its tasks but
// for those that wait for others, whose pods do not exist while the gang waits for its place. What
// the job says itself stays. Done twice it changes nothing more, unless what was filled in depends
// on what was changed since.
void FillInDefaults(std::string_view scheduler_name, types::BatchJobSpec* spec);

}  // namespace bth::controllers
