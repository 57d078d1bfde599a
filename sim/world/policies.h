// The scheduling policies that storms draw from.
#pragma once

#include <span>
#include <string>

namespace bth::sim {

// Texts of scheduler.conf; the empty one stands for the built-in policy. All of them keep gangs.
std::span<const std::string> StormPolicies();
// One that heeds hypernodes.
const std::string& StormTopologyPolicy();

}  // namespace bth::sim
