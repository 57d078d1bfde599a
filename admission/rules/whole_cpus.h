// Tasks that want their CPUs from one NUMA node must ask for whole CPUs. Pure, any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "api/types/batch_job.h"
#include "api/types/json.h"

namespace bth::admission {

// The first container, counted over containers and then init containers, that asks for no CPU or
// for a part of one. Nothing: all is well, or the task's topologyPolicy does not care.
// `pod_template` is the task's, as it was written.
std::optional<size_t> ContainerWithoutWholeCpus(const types::BatchTask& task,
                                                const types::Json& pod_template);

}  // namespace bth::admission
