// Words about jobs that wait for their admission: reasons of conditions, and figures that tell how
// much is in use just now, which follow what other jobs do.
#pragma once

#include <string>
#include <string_view>

namespace bth::framework {

// Of the condition Unschedulable of a PodGroup that waits for its admission (True), and that waited
// for it (False).
inline constexpr std::string_view kNotEnqueuedReason = "NotEnqueued";
inline constexpr std::string_view kEnqueuedReason = "Enqueued";

// " (as of this writing: 6 of 8 cpu used or promised)". A message that is shown somewhere stays as
// it is while nothing but its figures changed: thousands of waiting jobs must not be written anew
// with every job that comes or ends.
std::string Figures(std::string_view words);

// The text without its figures: those above, and the amount `used` of a refused ResourceQuota.
std::string WithoutFigures(std::string_view text);

// The same message, be it written at another time.
bool SameButFigures(std::string_view a, std::string_view b);

}  // namespace bth::framework
