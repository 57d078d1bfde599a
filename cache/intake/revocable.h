// Who is marked as preemptable, and who may go to revocable nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/types/meta.h"
#include "conf/arguments.h"

namespace bth::cache {

inline constexpr std::string_view kPreemptableKey = "volcano.sh/preemptable";
inline constexpr std::string_view kRevocableZoneKey = "volcano.sh/revocable-zone";

inline bool IsTrue(std::string_view text) {
  return !text.empty() && conf::ParseGoBool(text).value_or(false);
}

// What a pod or PodGroup says of itself, its annotation before its label; what cannot be parsed,
// such as nothing at all, is no. Nullopt: it says nothing.
inline std::optional<bool> PreemptableMark(const types::ObjectMeta& meta) {
  const std::string* mark = meta.annotations.Find(kPreemptableKey);
  if (mark == nullptr) mark = meta.labels.Find(kPreemptableKey);
  if (mark == nullptr) return std::nullopt;
  return IsTrue(*mark);
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
