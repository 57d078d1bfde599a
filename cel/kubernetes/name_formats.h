// The formats of names and texts that Kubernetes checks by name (format.dns1123Label()).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::cel {

struct NamedFormat {
  std::string_view name;   // "dns1123Label"
  std::string_view title;  // "DNS1123Label": how the value is printed.
  size_t pattern_size;     // What the check counts as, for its cost.
  // What is wrong with a text, in Kubernetes' words; empty: nothing.
  std::vector<std::string> (*check)(std::string_view text);
};

// Null: there is no such format.
const NamedFormat* FindNamedFormat(std::string_view name);
std::vector<std::string_view> NamedFormats();

}  // namespace bth::cel
