// Volumes of a job. Used by the webhook. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "api/types/batch_job.h"

namespace bth::admission {

// What is wrong with the first volume that is wrong; empty: nothing.
std::string CheckJobVolumes(const std::vector<types::BatchVolume>& volumes);

}  // namespace bth::admission
