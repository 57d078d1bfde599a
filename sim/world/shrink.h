// A story that breaks a promise, with as few deeds as break it still.
#pragma once

#include <functional>
#include <vector>

namespace bth::sim {

// `breaks`: whether what is left breaks the same promise when the deeds at which `skip` is true are
// left out; it is asked at most `tries_max` times. Returns such a `skip` of `deeds` places.
std::vector<bool> Shrink(size_t deeds, std::vector<bool> skip, int tries_max,
                         const std::function<bool(const std::vector<bool>& skip)>& breaks);

}  // namespace bth::sim
