// Where claims and volumes are.
#pragma once

namespace bth::scheduler::testing {

inline constexpr char kClaims[] = "/api/v1/namespaces/default/persistentvolumeclaims";
inline constexpr char kVolumes[] = "/api/v1/persistentvolumes";

}  // namespace bth::scheduler::testing
