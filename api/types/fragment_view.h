// Parts of objects, read from a tree by who has the tree at hand anyway. Pure function, any thread.
#pragma once

#include "api/types/fragment.h"

namespace bth::types {

namespace fragment_internal {
bool ViewOfSoundTree(const TypeOps& ops, const Json& json, void* value);
bool OutlineOfSoundTree(const TypeOps& ops, const Json& json, void* value);
}  // namespace fragment_internal

// As FragmentFromJson, but raw views hold no copy of what was written: an empty object is there
// instead. Costs a fraction of it where nothing is wrong.
template <class T>
absl::StatusOr<T> FragmentViewFromJson(const Json& json) {
  T value;
  if (!fragment_internal::ViewOfSoundTree(OpsOf<T>(), json, &value)) {
    value = T();
    BTH_RETURN_IF_ERROR(fragment_internal::FromTree(OpsOf<T>(), json, &value));
  }
  return value;
}

// As FragmentViewFromJson, but raw views hold nothing of what was written: whether they could be
// read is looked at, and an empty object says that one is there. For who goes by the tree.
template <class T>
absl::StatusOr<T> FragmentOutlineFromJson(const Json& json) {
  T value;
  if (!fragment_internal::OutlineOfSoundTree(OpsOf<T>(), json, &value)) {
    value = T();
    BTH_RETURN_IF_ERROR(fragment_internal::FromTree(OpsOf<T>(), json, &value));
  }
  return value;
}

}  // namespace bth::types
