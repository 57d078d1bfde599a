// Runs the corpus of the schema fuzzer, and mutations of it, through the fuzzed function.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/support/catch.h"

// Each fuzzer has this one entry; the name keeps them apart in one program.
#define LLVMFuzzerTestOneInput FuzzSchema
#include "tests/apiserver/schema_fuzz.cc"
#undef LLVMFuzzerTestOneInput

namespace {

int Run(const std::string& text) {
  return FuzzSchema(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// Replaces, removes or doubles some bytes, so that most of the text can still be read.
std::string Mutate(std::string text, bth::Rng& rng) {
  static constexpr std::string_view kBytes = "\"{}[]:,019.-etn ";
  const size_t at = 1 + rng.Below(text.size() - 1);
  const size_t count = 1 + rng.Below(std::min<size_t>(text.size() - at, 6));
  switch (rng.Below(3)) {
    case 0:
      text[at] = kBytes[rng.Below(kBytes.size())];
      break;
    case 1:
      text.erase(at, count);
      break;
    default:
      text.insert(at, text.substr(at, count));
  }
  return text;
}

}  // namespace

TEST_CASE("fuzz: the corpus of schemas and mutations of it pass") {
  const std::filesystem::path corpus =
      std::filesystem::path(__FILE__).parent_path() / "corpus" / "schema";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 20);
  bth::Rng rng(20260103);
  for (const std::filesystem::path& file : files) {
    INFO(file.string());
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(Run(text) == 0);
    for (int i = 0; i < 100; ++i) REQUIRE(Run(Mutate(text, rng)) == 0);
  }
}
