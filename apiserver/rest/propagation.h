// What a deletion means for the dependents of the object.
#pragma once

#include "apiserver/rest/write.h"

namespace bth::apiserver {

// Sets or takes away the finalizers that tell the collector what to do before the object goes:
// what the options say, else what the object says, else the default of its type. True when that
// changed the object.
bool SetPropagation(const ResourceType& type, const DeleteOptions& options, Json& object);

// The types whose dependents stay when nobody says otherwise.
bool OrphansByDefault(const ResourceType& type);

}  // namespace bth::apiserver
