// Who an object belongs to.
#pragma once

#include <string>
#include <string_view>

#include "api/types/meta.h"
#include "api/types/resource.h"

namespace bth::controllers {

// A controller reference (controller and blockOwnerDeletion true) to an object of type T.
template <typename T>
types::OwnerReference ControllerReferenceTo(const T& owner) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  types::OwnerReference reference;
  reference.api_version = type.ApiVersion();
  reference.kind = type.kind;
  reference.name = owner.meta.name;
  reference.uid = owner.meta.uid;
  reference.controller = true;
  reference.block_owner_deletion = true;
  return reference;
}

// The one of these (an ObjectStore) that controls the object; null: none does, or only another one
// of that name.
template <typename Store>
typename Store::Pointer ControllerAmong(const Store& store, const types::ObjectMeta& meta) {
  const types::OwnerReference* reference = meta.Controller();
  if (reference == nullptr) return nullptr;
  typename Store::Pointer owner = store.Find(meta.ns, reference->name);
  return owner != nullptr && owner->meta.uid == reference->uid ? owner : nullptr;
}

inline bool IsControlledBy(const types::ObjectMeta& meta, std::string_view uid) {
  const types::OwnerReference* owner = meta.Controller();
  return owner != nullptr && owner->uid == uid;
}

}  // namespace bth::controllers
