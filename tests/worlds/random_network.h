// Networks of random worlds, and who asks to stay together in them.
#pragma once

#include <cstddef>
#include <string>

#include "base/rng.h"
#include "tests/worlds/random_world.h"

namespace bth::test {

// Puts nodes into a tree of three tiers, now and then into more than one HyperNode or into none,
// and has jobs ask to stay inside of one, by its tier or the name of its tier, which may be none.
void AddNetwork(Rng& rng, WorldSpec* world);
// Divides some of these jobs into sub-jobs with bounds of their own.
void AddSubGroups(Rng& rng, WorldSpec* world);
// The label by which pods belong to sub-jobs of the policy of that number.
std::string SubGroupLabel(size_t policy);

}  // namespace bth::test
