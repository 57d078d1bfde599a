// How events name what they are about.
#pragma once

#include "api/types/resource.h"
#include "client/event_correlator.h"
#include "client/known_objects.h"

namespace bth::client {

inline EventObject EventObjectOf(const types::ResourceType& type, const ObjectKey& key) {
  return {.api_version = type.ApiVersion(),
          .kind = type.kind,
          .namespace_name = key.namespace_name,
          .name = key.name,
          .uid = key.uid};
}

template <typename T>
EventObject EventObjectOf(const T& object) {
  return EventObjectOf(types::ResourceTraits<T>::type(),
                       {object.meta.ns, object.meta.name, object.meta.uid});
}

}  // namespace bth::client
