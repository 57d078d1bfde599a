// Ages as tables show them. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth::cli {

// In event tables: 62s, 3m10s, 5h7m, 5d9h, 2y0d.
std::string EventAge(absl::Duration age);

// In tables of pods and job flows, as in Kubernetes' own: the same, but "2y".
std::string ObjectAge(absl::Duration age);

// Of a timestamp of an object; "<unknown>" when it is empty or cannot be read.
std::string EventAgeOf(std::string_view timestamp, absl::Time now);
std::string ObjectAgeOf(std::string_view timestamp, absl::Time now);

}  // namespace bth::cli
