// Annotations that mean something to servers and nodes. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// Of `metadata`, with the spec they stand beside.
void CheckPodAnnotations(const Part& metadata, const types::Json& spec);
// Where a profile is named by an annotation and by a field, both must name the same.
void CheckProfileAnnotations(const types::Json& metadata, const Part& spec);

}  // namespace bth::rules
