// What of an object the controllers keep in memory.
#pragma once

#include "api/types/pod.h"

namespace bth::controllers {

// Drops what no controller reads of a running pod: environments, commands, mounts, affinities and
// conditions are most of a pod's bytes. Kept are metadata, phase, container states, and what sums
// of requests need.
void TrimPod(types::Pod& pod);

template <typename T>
using Trim = void (*)(T&);

// Null: the whole object is kept.
template <typename T>
constexpr Trim<T> TrimOf() {
  return nullptr;
}
template <>
constexpr Trim<types::Pod> TrimOf<types::Pod>() {
  return &TrimPod;
}

}  // namespace bth::controllers
