// Where plugins would have a gang tried.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/hooks/hooks.h"
#include "framework/session/session.h"

namespace bth::framework {

// Rows of HyperNodes to try one after the other, by the first plugin that says; nobody: the one
// that was asked about.
HyperNodeGradient GradientFor(const Session& session, const HyperNodeQuestion& question);
// So many of a sub-job's waiting tasks that ask for something are needed for its minimum.
int32_t TasksLacking(const Session& session, model::SubJobId sub_job);
// How good each of them is for the sub-job, by all plugins together.
std::vector<double> RankHyperNodes(const Session& session, model::SubJobId sub_job,
                                   absl::Span<const model::HyperNodeId> candidates);
// The same, and no less than it will be, once other tasks are placed that ask for `before` together
// or for less; of a sub-job of which nothing is placed. Empty: some plugin does not know.
std::vector<double> MostOfHyperNodes(const Session& session, model::SubJobId sub_job,
                                     const model::ResourceVec& before,
                                     absl::Span<const model::HyperNodeId> candidates);

}  // namespace bth::framework
