// Whether tasks that wait for each other can all begin. Pure, any thread.
#pragma once

#include <vector>

#include "api/types/batch_job.h"

namespace bth::admission {

// Some task has a `dependsOn`, be it empty: only then does anybody look at the graph.
bool HasDependencies(const std::vector<types::BatchTask>& tasks);

// Every task has its turn when those it waits for are done. Not so when one waits for itself in the
// end, for a task that does not exist, or twice for the same one. Cost: n log n.
bool IsOrdered(const std::vector<types::BatchTask>& tasks);

}  // namespace bth::admission
