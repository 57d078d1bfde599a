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
// Some pods of the job have a place, whether its PodGroup is there or not.
bool HoldsPlaces(const model::Snapshot& now, const JobTable& jobs,
                 const std::string& pod_group_key);
// When those of its pods were made that have a place and have not failed. Nothing: none has one.
std::optional<PlacedTimes> PlacedTimesOf(const model::Snapshot& now, const JobTable& jobs,
                                         const std::string& pod_group_key);
// It stood with those of its pods that ended on their nodes after all that are bound now had been
// made. Cost: linear in the tasks of all jobs.
bool WasWhole(const model::Snapshot& now, const JobTable& jobs, const std::string& pod_group_key);
// Keys of ours that hold places, below their minimum or without a PodGroup, sorted. Cost: all jobs.
std::vector<std::string> HalfBoundGroupsOf(const model::Snapshot& now, const JobTable& jobs);

}  // namespace bth::cache
