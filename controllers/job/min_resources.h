// What the smallest allowed part of a batch job needs. Pure, any thread.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "api/types/batch_job.h"

namespace bth::controllers {

// Value of a PriorityClass; 0 for an unknown one.
using PriorityOf = std::function<int32_t(const std::string& priority_class)>;

// The quota usage of spec.minAvailable pods: of the tasks with the highest priority first, and of
// the minima of all tasks first where the job asks for all of them. kOutOfRange when a sum is too
// large.
absl::StatusOr<types::ResourceList> MinResources(const types::BatchJobSpec& spec,
                                                 const PriorityOf& priority_of);

}  // namespace bth::controllers
