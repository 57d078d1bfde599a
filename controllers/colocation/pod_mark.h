// Which colocation settings a pod gets, and what that changes of it. Pure functions, any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/colocation.h"
#include "api/types/meta.h"

namespace bth::controllers {

inline constexpr std::string_view kColocationName = "volcano.sh/colocation-config-name";
inline constexpr std::string_view kColocationSettings = "volcano.sh/colocation-config";

using ColocationPtr = std::shared_ptr<const types::ColocationConfiguration>;

// A selector that is absent or invalid matches nothing, an empty one every pod.
bool Selects(const types::ColocationConfiguration& configuration, const types::LabelMap& labels);

// The newest of those that match; of equally old ones the first by name. Null: none.
ColocationPtr ChooseColocation(const types::LabelMap& labels,
                               const std::vector<ColocationPtr>& configurations);

// The pod's two annotations as they should be.
struct PodMark {
  std::optional<std::string> name;  // Nothing: the annotation is to go.
  std::string settings;             // JSON; "{}" without a configuration.
  bool operator==(const PodMark&) const = default;
};

// Nothing when the pod is as it should be: its JSON means the same, or it never had a
// configuration and gets none.
std::optional<PodMark> NeededMark(const types::ObjectMeta& pod,
                                  const types::ColocationConfiguration* chosen);

}  // namespace bth::controllers
