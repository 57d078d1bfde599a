// The words of the short form about other pods.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/types/json.h"

namespace bth::sim {

// A term of `kind` (podAffinity, podAntiAffinity): `<label>:<value>`, required, or with a weight
// behind a further colon preferred.
absl::Status AddAffinityTerm(types::Json* pod, std::string_view kind,
                             const std::string& topology_key, const std::string& value);
// A spread constraint: `<label>:<value>[:<largest skew>[:soft]]`.
absl::Status AddSpreadTerm(types::Json* pod, const std::string& topology_key,
                           const std::string& value);

// Required, to all pods of the namespace; one pod more at most than where there are fewest.
absl::Status AddAntiAffinity(types::Json* pod, const std::string& topology_key);
absl::Status AddSpread(types::Json* pod, const std::string& topology_key);

}  // namespace bth::sim
