// When the pods of a task may be made although it waits for other tasks. Pure, any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/types/batch_job.h"
#include "controllers/job/job_book.h"

namespace bth::controllers {

// Its pods are made only when those of other tasks have come as far as it asks for.
bool DependsOnTasks(const types::BatchTask& task);

// Enough of its pods run with all containers ready, or have succeeded. True for a task without a
// minimum; false for an unknown one.
bool TaskIsReady(const JobView& job, std::string_view task);

// All tasks it depends on are ready; with iteration "any", one of them.
bool DependencyIsMet(const types::BatchTask& task,
                     const std::function<bool(const std::string&)>& ready);

}  // namespace bth::controllers
