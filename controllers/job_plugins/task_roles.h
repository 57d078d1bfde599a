// The tasks of a batch job that plugins look for by name. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/types/batch_job.h"

namespace bth::controllers {

struct TaskRole {
  std::string_view flag;   // Of the argument that names the task.
  std::string_view name;   // As it is for this job.
  std::string_view usual;  // The default.
};

bool HasTask(const types::BatchJobSpec& spec, std::string_view name);

// "no task is named boss (--master)"; empty when there is one.
std::string MissingTask(const types::BatchJobSpec& spec, const TaskRole& role);
// Of a task that a job may do without: empty as well unless an argument names it.
std::string MissingIfNamed(const types::BatchJobSpec& spec, const TaskRole& role);
// Of a task beside `main`: unless an argument names it, it is missed only where the job has tasks
// besides that one.
std::string MissingBeside(const types::BatchJobSpec& spec, std::string_view main,
                          const TaskRole& role);

// Both, where they are not empty.
std::string JoinedGaps(std::string one, const std::string& other);

}  // namespace bth::controllers
