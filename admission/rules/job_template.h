// The pod templates of tasks, as the API server would judge the pods. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "admission/rules/known.h"
#include "api/types/batch_job.h"

namespace bth::admission {

// "spec.task[<index>].<error>. <error>. ", or of tasks that want whole CPUs that a container does
// not ask for them; empty: the template is well. The template is looked at as if it had its
// defaults.
std::string CheckTaskTemplate(const types::BatchTask& task, size_t index, std::string_view ns,
                              const Settings& settings);

}  // namespace bth::admission
