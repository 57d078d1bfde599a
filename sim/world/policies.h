// The scheduling policies that storms draw from.
#pragma once

#include <span>
#include <string_view>

namespace bth::sim {

// Texts of scheduler.conf; the empty one stands for the built-in policy. All of them keep gangs.
std::span<const std::string_view> StormPolicies();
// One that heeds hypernodes.
std::string_view StormTopologyPolicy();

}  // namespace bth::sim
