// The pod templates of tasks, as the API server would judge the pods. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "admission/rules/known.h"
#include "api/types/batch_job.h"
#include "api/types/json.h"

namespace bth::admission {

// A task as it was read, and its template as it was written; null: absent.
struct WrittenTask {
  const types::BatchTask& task;
  types::Json& pod_template;
};

// "spec.task[<index>].<error>. <error>. ", or of tasks that want whole CPUs that a container does
// not ask for them; empty: the template is well. It gets its defaults before it is looked at.
std::string CheckTaskTemplate(const WrittenTask& written, size_t index, std::string_view ns,
                              const Settings& settings);

}  // namespace bth::admission
