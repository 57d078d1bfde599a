// Stories as files: what a failure was shrunk to stays a test when stories are drawn otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/world/story.h"

namespace bth::sim {

// JSON, one deed to a line. Deeds at which `skip` is true are left out, and rounds without deeds.
std::string StoryText(const Story& story, const std::vector<bool>& skip = {});

// Errors name the member, and the deed by its number in its round.
absl::StatusOr<Story> ParseStory(std::string_view text);

}  // namespace bth::sim
