// What a gang action has to place for a job.
#pragma once

#include <vector>

#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"

namespace bth::actions::gang_eviction {

// Pending tasks of a sub-job without scheduling gates, in task order.
struct PendingPart {
  model::SubJobId sub_job;
  std::vector<model::TaskId> tasks;        // That ask for something.
  std::vector<model::TaskId> best_effort;  // Placed as far as the gang's minimum needs them.
};

// Of sub-jobs that ask for something, those first that their group still needs. Of a job that has
// its minimum only the first one: it grows piece by piece.
std::vector<PendingPart> PendingPartsOf(const framework::Session& session, model::JobId job);

model::ResourceVec NeedOf(const framework::Session& session, const std::vector<PendingPart>& parts);

}  // namespace bth::actions::gang_eviction
