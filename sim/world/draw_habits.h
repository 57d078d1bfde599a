// What goes on for long in some clusters, whatever the weather.
#pragma once

#include "sim/world/story.h"

namespace bth::sim {

// Adds to a story, from numbers of their own: policies that forbid bindings, a busybody who labels
// pods all the time, and pods that are replaced under their names.
void DrawHabits(Story* story);

}  // namespace bth::sim
