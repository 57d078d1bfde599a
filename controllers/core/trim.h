// What of an object the controllers keep in memory.
#pragma once

#include "api/types/node.h"
#include "api/types/pod.h"

namespace bth::controllers {

// Drops what no controller reads of a running pod: environments, commands, mounts, affinities and
// conditions are most of a pod's bytes. Kept are metadata, phase, container states, what sums of
// requests need, and that the pod is being evicted or waits for a node.
void TrimPod(types::Pod& pod);
// Kept are metadata and capacity: images and conditions are most of a node's bytes.
void TrimNode(types::Node& node);

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
template <>
constexpr Trim<types::Node> TrimOf<types::Node>() {
  return &TrimNode;
}

}  // namespace bth::controllers
