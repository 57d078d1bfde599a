// Who may go to revocable nodes.
#pragma once

#include <string_view>

#include "api/types/meta.h"
#include "conf/arguments.h"

namespace bth::cache {

inline constexpr std::string_view kPreemptableKey = "volcano.sh/preemptable";
inline constexpr std::string_view kRevocableZoneKey = "volcano.sh/revocable-zone";

inline bool IsTrue(std::string_view text) {
  return !text.empty() && conf::ParseGoBool(text).value_or(false);
}

// By annotation of a pod or PodGroup: an explicit zone must be "*"; without one, what is marked as
// preemptable may.
inline bool MayUseRevocableNodes(const types::ObjectMeta& meta) {
  if (meta.annotations.Contains(kRevocableZoneKey)) {
    return meta.Annotation(kRevocableZoneKey) == "*";
  }
  return IsTrue(meta.Annotation(kPreemptableKey));
}

}  // namespace bth::cache
