// Which tasks of a job are to stand together, and which apart.
#pragma once

#include "api/model/task_topology.h"
#include "api/types/meta.h"

namespace bth::cache {

// Of a PodGroup; none when no annotation asks for it. Texts are limited in bytes and names: what is
// longer is left out as a whole, and `unusable` says why.
model::SharedTaskTopology CompileTaskTopology(const types::ObjectMeta& group);

}  // namespace bth::cache
