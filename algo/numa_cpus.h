// Which CPUs of a node the kubelet gives to a container.
#pragma once

#include <optional>

#include "api/model/numa.h"

namespace bth::algo {

// `count` CPUs of `free`: whole sockets first, then whole cores, on the sockets with the fewest
// cores that have some left, then single ones where already most of the socket is taken and least
// of it and of the core is left. Nothing: there are not so many.
std::optional<model::CpuSet> TakeByTopology(const model::CpuLayout& layout, model::CpuSet free,
                                            int count);

// `count` CPUs of `available`, as many as possible on these NUMA nodes; none when there are not so
// many.
model::CpuSet AllocateCpus(const model::CpuLayout& layout, const model::CpuSet& available,
                           model::NumaMask preferred, int count);

}  // namespace bth::algo
