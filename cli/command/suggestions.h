// "Did you mean this?": words near to one that is not known. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::cli {

// The words of `known` that begin with `typed` or are a slip of the fingers away from it: one
// letter in three, at least one, or two that changed places. At most five, in the order of `known`.
std::vector<std::string> NearWords(std::string_view typed, const std::vector<std::string>& known);

// The block below a message, which begins with a blank line; empty without words.
std::string DidYouMeanThis(const std::vector<std::string>& words);

}  // namespace bth::cli
