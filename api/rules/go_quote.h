// Text in quotes as Go's %q writes it: what Kubernetes and Volcano show of a user's values. Pure.
#pragma once

#include <string>
#include <string_view>

namespace bth::rules {

// Quotes, backslashes and what cannot be printed are escaped; bytes that are no UTF-8 as \xNN.
std::string GoQuote(std::string_view text);

}  // namespace bth::rules
