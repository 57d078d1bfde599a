// How gangs stand, for those who end what is left of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/model/snapshot.h"
#include "cache/cluster/job_table.h"
#include "cache/cluster/mirror_views.h"

namespace bth::cache {

// `now` has the rows of `jobs`. Nothing: there is no such PodGroup.
std::optional<GangView> GangOf(const model::Snapshot& now, const JobTable& jobs,
                               const std::string& pod_group_key);
// Bound or running pods of the job, by name.
std::vector<PlacedPod> PlacedPodsOf(const model::Snapshot& now, const JobTable& jobs,
                                    const std::string& pod_group_key);
// Of ours, by key. Cost: all jobs.
std::vector<HalfBoundGroup> HalfBoundGroupsOf(const model::Snapshot& now, const JobTable& jobs);

}  // namespace bth::cache
