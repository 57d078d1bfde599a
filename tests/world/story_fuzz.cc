// Any bytes as a story: no crash, a place in every error, and what is accepted reads back equal.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "sim/world/story_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto story = bth::sim::ParseStory(text);
  if (!story.ok()) {
    BTH_CHECK(!story.status().message().empty());
    return 0;
  }
  const std::string once = bth::sim::StoryText(*story);
  const auto again = bth::sim::ParseStory(once);
  BTH_CHECK(again.ok());
  BTH_CHECK(bth::sim::StoryText(*again) == once);
  for (const bth::sim::Round& round : story->rounds) {
    for (const bth::sim::Deed& deed : round.deeds) BTH_CHECK(!bth::sim::Describe(deed).empty());
  }
  return 0;
}
