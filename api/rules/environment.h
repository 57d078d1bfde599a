// Environments of containers, and references to fields of the pod. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// env and envFrom. `relaxed`: names of anything printable but '='.
void CheckEnvironment(const Part& container, bool relaxed);

// A file of a downward API volume refers to fields of the pod or to amounts of a container.
void CheckDownwardFile(const Part& volume, const Part& file);

}  // namespace bth::rules
