#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/sim/manifest_fuzz.cc"
#include "tests/support/catch.h"

namespace {

TEST_CASE("manifest: the fuzzer's corpus and its beginnings are survived", "[sim][fuzz]") {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "corpus" / "manifest";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CAPTURE(entry.path().string());
    for (size_t length = 0; length <= text.size(); length += 1 + text.size() / 40) {
      const std::string part = text.substr(0, length);
      CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(part.data()), part.size()) ==
            0);
    }
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size()) == 0);
    ++files;
  }
  CHECK(files >= 5);
}

}  // namespace
