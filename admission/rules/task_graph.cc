#include "admission/rules/task_graph.h"

#include <algorithm>

#include "base/circles.h"

namespace bth::admission {

using types::BatchTask;

bool HasDependencies(const std::vector<BatchTask>& tasks) {
  return std::any_of(tasks.begin(), tasks.end(),
                     [](const BatchTask& task) { return task.depends_on.has_value(); });
}

bool IsOrdered(const std::vector<BatchTask>& tasks) {
  std::vector<Waiting> entries;
  entries.reserve(tasks.size());
  for (const BatchTask& task : tasks) {
    Waiting& entry = entries.emplace_back();
    entry.name = task.name;
    if (!task.depends_on.has_value()) continue;
    const std::vector<std::string>& names = task.depends_on->names;
    entry.targets.insert(names.begin(), names.end());
    // Volcano counts it twice and takes it away once, so that the task never begins.
    if (entry.targets.size() != names.size()) return false;
  }
  return InCircles(entries).empty();
}

}  // namespace bth::admission
