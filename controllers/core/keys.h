// Labels and annotations that several controllers read or write.
#pragma once

#include <string_view>

namespace bth::controllers {

// On pods: the PodGroup they belong to.
inline constexpr std::string_view kGroupNameKey = "scheduling.k8s.io/group-name";
// On pods and jobs: how they may be disturbed; PodGroups take them over.
inline constexpr std::string_view kPreemptableKey = "volcano.sh/preemptable";
inline constexpr std::string_view kCooldownTimeKey = "volcano.sh/cooldown-time";
inline constexpr std::string_view kRevocableZoneKey = "volcano.sh/revocable-zone";
inline constexpr std::string_view kJdbMinAvailableKey = "volcano.sh/jdb-min-available";
inline constexpr std::string_view kJdbMaxUnavailableKey = "volcano.sh/jdb-max-unavailable";

}  // namespace bth::controllers
