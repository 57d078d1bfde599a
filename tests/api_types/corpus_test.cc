// Runs each fuzzer's corpus, and mutations of it, through the same function as the fuzzer.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "tests/support/catch.h"

// Each fuzzer has this one entry; a namespace keeps them apart here.
#define LLVMFuzzerTestOneInput FuzzJson
#include "tests/api_types/json_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzQuantity
#include "tests/api_types/quantity_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzSelector
#include "tests/api_types/selector_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzPod
#include "tests/api_types/pod_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzBatch
#include "tests/api_types/batch_fuzz.cc"
#undef LLVMFuzzerTestOneInput

namespace {

std::vector<std::string> ReadCorpus(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(__FILE__).parent_path() / "corpus" / name;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// Replaces, removes, doubles or inserts some bytes.
std::string Mutate(std::string text, bth::Rng* rng) {
  using std::literals::operator""sv;
  static constexpr std::string_view kBytes = "\"{}[]:,0-.eEKi\\u \0\xFF\xED=!()<>"sv;
  const uint64_t steps = 1 + rng->Below(4);
  for (uint64_t i = 0; i < steps && !text.empty(); ++i) {
    const size_t at = rng->Below(text.size());
    const size_t count = 1 + rng->Below(std::min<size_t>(text.size() - at, 8));
    switch (rng->Below(4)) {
      case 0:
        text[at] = kBytes[rng->Below(kBytes.size())];
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, text.substr(at, count));
        break;
      default:
        text.insert(at, 1, kBytes[rng->Below(kBytes.size())]);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("fuzzers: corpora and their mutations hold the claims", "[types][fuzz]") {
  struct Case {
    std::string name;
    int (*run)(const uint8_t*, size_t);
  };
  const Case c = GENERATE(values<Case>({{"json", &FuzzJson},
                                        {"quantity", &FuzzQuantity},
                                        {"selector", &FuzzSelector},
                                        {"pod", &FuzzPod},
                                        {"batch", &FuzzBatch}}));
  CAPTURE(c.name);
  const std::vector<std::string> inputs = ReadCorpus(c.name);
  REQUIRE(inputs.size() >= 4);
  bth::Rng rng(20260102);
  for (const std::string& input : inputs) {
    CHECK(c.run(reinterpret_cast<const uint8_t*>(input.data()), input.size()) == 0);
    for (int i = 0; i < 300; ++i) {
      const std::string mutated = Mutate(input, &rng);
      REQUIRE(c.run(reinterpret_cast<const uint8_t*>(mutated.data()), mutated.size()) == 0);
    }
  }
}
