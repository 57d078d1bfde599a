// Names of what is made for a batch job. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/types/batch_job.h"

namespace bth::controllers {

// "job-task-index"
std::string PodName(std::string_view job, std::string_view task, int32_t index);
// Whether `name` is that of one of the first `replicas` pods of the task: exactly as PodName writes
// it, without a sign and without zeros in front.
bool IsReplica(std::string_view name, std::string_view job, std::string_view task,
               int32_t replicas);
// "job-uid": of its pod group.
std::string PodGroupName(const types::BatchJob& job);
// `prefix` and twelve characters of [0-9a-z] that follow from `seed`, so that whoever asks again
// after a crash gets the same name; with the next twelve while `is_taken` says so.
std::string NameWithSuffix(std::string_view prefix, std::string_view seed,
                           const std::function<bool(const std::string&)>& is_taken);

}  // namespace bth::controllers
