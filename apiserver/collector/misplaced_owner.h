// The event that tells of an owner reference that cannot hold.
#pragma once

#include "apiserver/rest/core.h"
#include "apiserver/store/object.h"

namespace bth::apiserver {

// OwnerRefInvalidNamespace about `object`, whose `owner` is in another namespace, or in one at all
// while the object is in none. Nothing in a namespace that is gone or going.
void TellOfMisplacedOwner(Core& core, const StoredObject& object, const OwnerReference& owner);

}  // namespace bth::apiserver
