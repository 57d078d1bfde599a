// What the pages of docs/controllers show.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"

namespace bth::test {

// The first YAML block of docs/controllers/PAGE.
inline std::string ExampleOf(const std::string& page) {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../..";
  std::ifstream in(root / "docs/controllers" / page, std::ios::binary);
  REQUIRE(in.good());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string fence = "```yaml\n";
  const size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  const size_t from = begin + fence.size();
  return text.substr(from, text.find("```", from) - from);
}

}  // namespace bth::test
