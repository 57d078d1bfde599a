// That a gang stood, or is bound in part, as its PodGroup tells it to schedulers that come later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/cluster/mirror_views.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// The condition of that type, if it is True; else null.
const ShownCondition* FindTrue(const ShownPodGroup& shown, std::string_view type);

// The message of the condition Scheduled: up to when pods were made that the gang stood with, by
// the API server's clock, which made both. What is told stays as long as such a pod has its place.
// `placed` are the gang's pods now; nothing: none has a place.
std::string StandingText(const ShownPodGroup& shown, const std::optional<PlacedTimes>& placed);

// An earlier life of this program, or Volcano, said that the gang stood, and some of the pods that
// have a place now may have been among those: what is left of it may be at work.
bool StoodBefore(const ShownPodGroup& shown, const std::optional<PlacedTimes>& placed);

// Type of the PodGroup condition of gangs of which a binding failed and that lack members.
inline constexpr const char* kPartiallyBound = "PartiallyBound";
ShownCondition NoLongerPartiallyBound(const GangView& gang);
// Where an earlier life of this program said that the gang lacks members and it does not.
void EndPartiallyBound(const std::optional<GangView>& gang,
                       std::vector<ShownCondition>* conditions);

}  // namespace bth::cache
