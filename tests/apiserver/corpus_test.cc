// Runs the fuzzer's corpus through the fuzzed function.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

TEST_CASE("fuzz: the corpus passes") {
  const std::filesystem::path corpus =
      std::filesystem::path(__FILE__).parent_path() / "corpus" / "apiserver";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(corpus))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 10);
  for (const std::filesystem::path& file : files) {
    INFO(file.string());
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) ==
          0);
  }
}
