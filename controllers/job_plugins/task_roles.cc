#include "controllers/job_plugins/task_roles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/suggest.h"

namespace bth::controllers {

using types::BatchJobSpec;
using types::BatchTask;

bool HasTask(const BatchJobSpec& spec, std::string_view name) {
  return std::any_of(spec.tasks.begin(), spec.tasks.end(),
                     [name](const BatchTask& task) { return task.name == name; });
}

std::string MissingTask(const BatchJobSpec& spec, const TaskRole& role) {
  if (HasTask(spec, role.name)) return "";
  std::vector<std::string_view> names;
  for (const BatchTask& task : spec.tasks) names.push_back(task.name);
  return StrCat("no task is named ", role.name, " (--", role.flag, ")",
                DidYouMean(role.name, names));
}

std::string MissingIfNamed(const BatchJobSpec& spec, const TaskRole& role) {
  return role.name == role.usual ? "" : MissingTask(spec, role);
}

std::string MissingBeside(const BatchJobSpec& spec, std::string_view main, const TaskRole& role) {
  const bool has_others = std::any_of(spec.tasks.begin(), spec.tasks.end(),
                                      [main](const BatchTask& task) { return task.name != main; });
  return has_others ? MissingTask(spec, role) : MissingIfNamed(spec, role);
}

std::string JoinedGaps(std::string one, const std::string& other) {
  if (!other.empty()) StrAppend(&one, one.empty() ? "" : ", and ", other);
  return one;
}

}  // namespace bth::controllers
