// Which of two states of an object is the later one.
#pragma once

#include <string_view>

namespace bth::controllers {

// True when `version` is a later metadata.resourceVersion than `than`. Both are decimal numbers
// that grow with every write; anything else counts as newer, so that no news is lost.
inline bool IsNewerVersion(std::string_view version, std::string_view than) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!is_number(version) || !is_number(than)) return version != than;
  if (version.size() != than.size()) return version.size() > than.size();
  return version > than;
}

}  // namespace bth::controllers
