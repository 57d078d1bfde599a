// What a change of an object means for a batch job. Pure but for the book; thread: the executor's.
#pragma once

#include <optional>

#include "api/types/batch_job.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "controllers/job/job_book.h"
#include "controllers/job/request.h"

namespace bth::controllers {

JobRequest RequestOfNewJob(const types::BatchJob& job);
// Nothing when neither spec nor phase changed, nor the job was said to be invalid.
std::optional<JobRequest> RequestOfJob(const types::BatchJob& before, const types::BatchJob& after);

// Nothing for pods that do not belong to a batch job, or do not say to which part of it.
std::optional<JobRequest> RequestOfNewPod(const types::Pod& pod);
// `book` knows the pod as it is `after`.
std::optional<JobRequest> RequestOfPod(const types::Pod& before, const types::Pod& after,
                                       const JobBook& book);
// Of one that had ended before we looked: as if it ended now. Nothing for those that go on.
std::optional<JobRequest> RequestOfEndedPod(const types::Pod& pod, const JobBook& book);
// `known`: the book still had it.
std::optional<JobRequest> RequestOfGonePod(const types::Pod& pod, bool known);

// Nothing when the phase is the same, and the conditions of a group that is not admitted are, or
// whether one that is has a place.
std::optional<JobRequest> RequestOfGroup(const types::PodGroup& before,
                                         const types::PodGroup& after, const JobBook& book);
JobRequest RequestOfGoneGroup(const types::PodGroup& group);

}  // namespace bth::controllers
