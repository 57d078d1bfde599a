// What the pages of docs/controllers show.
#pragma once

#include <string>

#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::test {

// The first YAML block of docs/controllers/PAGE.
inline std::string ExampleOf(const std::string& page) {
  const std::string text = ReadFile(SourceRoot() / "docs/controllers" / page);
  const std::string fence = "```yaml\n";
  const size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  const size_t from = begin + fence.size();
  return text.substr(from, text.find("```", from) - from);
}

}  // namespace bth::test
